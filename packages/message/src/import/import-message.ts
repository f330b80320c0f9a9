import { isoNow, newId } from "../ambient.ts"
import type { ContentBlock } from "../blocks.ts"
import type { JsonObject, JsonValue } from "../json.ts"
import type { FinishReason, Msg, Role } from "../msg.ts"
import type { ChatUsage } from "../usage.ts"
import { type Hint, importBlock } from "./import-blocks.ts"
import { invalid } from "./invalid.ts"
import type { OpenAICalls } from "./openai-message.ts"
import { isObject, isOwn } from "./own-message.ts"

interface Part {
  readonly role: Role
  readonly content: ContentBlock[]
}

/** Which of our messages holds a block of a message with this role. */
function roleOf(block: ContentBlock, role: Role): Role {
  switch (block.type) {
    case "tool_result":
      return "tool"
    case "tool_use":
    case "thinking":
      return "assistant"
    case "text":
      return role === "tool" ? "user" : role
    default:
      return role === "system" || role === "tool" ? "user" : role
  }
}

/** Consecutive blocks that go into one message stay together; a hint is a message of the user's side on its own. */
function split(blocks: readonly (ContentBlock | Hint)[], role: Role): Part[] {
  const parts: Part[] = []
  let open: Part | undefined
  for (const block of blocks) {
    if (block.type === "hint") {
      parts.push({ role: "user", content: [...block.content] })
      open = undefined
      continue
    }
    const target = roleOf(block, role)
    if (open?.role !== target) {
      open = { role: target, content: [] }
      parts.push(open)
    }
    open.content.push(block)
  }
  return parts.length > 0 ? parts : [{ role, content: [] }]
}

/** 1.0 writes local time without a zone, 2.x ISO 8601. */
function timestampOf(msg: JsonObject, where: string): string {
  const written = msg["timestamp"] ?? msg["created_at"]
  if (written === undefined || written === null) return isoNow()
  const date = typeof written === "string" ? new Date(written.replace(" ", "T")) : undefined
  if (date === undefined || Number.isNaN(date.getTime())) {
    throw invalid(where, `has the timestamp ${JSON.stringify(written)}, which is no date.`)
  }
  return date.toISOString()
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  completed: "completed",
  interrupted: "interrupted",
  exceed_max_iters: "max_iterations",
  error: "error",
}

function usageOf(msg: JsonObject): ChatUsage | undefined {
  const { usage, created_at: start, finished_at: end } = msg
  if (!isObject(usage)) return undefined
  const count = (name: string) => {
    const value = usage[`${name}_tokens`] ?? usage[name]
    return typeof value === "number" ? value : undefined
  }
  const read = count("cache_input")
  const written = count("cache_creation_input") ?? count("cache_creation")
  const span = typeof start === "string" && typeof end === "string" ? Date.parse(end) - Date.parse(start) : 0
  return {
    inputTokens: count("input") ?? 0,
    outputTokens: count("output") ?? 0,
    ...(read !== undefined && { cachedInputTokens: read }),
    ...(written !== undefined && { cacheWriteTokens: written }),
    timeMs: Number.isFinite(span) ? span : 0,
  }
}

/** What 2.x says about a whole reply: it goes to the last message that the assistant speaks. */
function outcomeOf(msg: JsonObject): Partial<Msg> {
  const { finished_reason: finished, structured_output: structured } = msg
  const reason =
    typeof finished === "string" && Object.hasOwn(finishReasons, finished) ? finishReasons[finished] : undefined
  const usage = usageOf(msg)
  return {
    ...(isObject(structured) && { structured }),
    ...(reason && { finishReason: reason }),
    ...(usage && { usage }),
  }
}

function metadataOf(msg: JsonObject): JsonObject | undefined {
  const { metadata, error } = msg
  const all = { ...(isObject(metadata) && metadata), ...(isObject(error) && { error }) }
  return Object.keys(all).length > 0 ? all : undefined
}

const names: Readonly<Partial<Record<Role, string>>> = { user: "user", tool: "tool" }

/** One message of any known form as one or, where it holds calls and results together, several of ours. */
export function importMessage(given: JsonObject, where: string, calls: OpenAICalls): readonly Msg[] {
  const msg = calls.read(given, where)
  if (isOwn(msg)) return [msg as unknown as Msg]
  const { role, content } = msg
  if (role !== "user" && role !== "assistant" && role !== "system" && role !== "tool") {
    throw invalid(where, `has the role ${JSON.stringify(role)}; it must be user, assistant, system or tool.`)
  }
  const parts = split(blocksOf(content, where), role)
  const id = typeof msg["id"] === "string" && msg["id"] !== "" ? msg["id"] : newId()
  const name = typeof msg["name"] === "string" ? msg["name"] : role
  const timestamp = timestampOf(msg, where)
  const metadata = metadataOf(msg)
  const lastSpoken = parts.findLastIndex((part) => part.role === "assistant")
  return parts.map((part, index) => ({
    id: index === 0 ? id : `${id}-${index + 1}`,
    name: part.role === role ? name : (names[part.role] ?? name),
    role: part.role,
    content: part.content,
    timestamp,
    ...(metadata && index === Math.max(lastSpoken, 0) && { metadata }),
    ...(index === lastSpoken && outcomeOf(msg)),
  }))
}

function blocksOf(content: JsonValue | undefined, where: string): readonly (ContentBlock | Hint)[] {
  if (typeof content === "string") return [{ type: "text", text: content }]
  if (content === null) return []
  if (!Array.isArray(content)) throw invalid(where, "has a content that is neither text nor a list of blocks.")
  return content.map((block: unknown, index) => importBlock(block, `${where}.content[${index}]`))
}
