import type { ContentBlock, MediaBlock, Msg, StopReason, ToolResultBlock } from "@agentscope-ts/message"
import { markRedacted, redact } from "./redact.ts"

/** A message part as the conventions have it. */
type Part = { readonly type: string; readonly [key: string]: unknown }

function mediaPart({ type, source, name }: MediaBlock): Part {
  // Inline data stays out: a trace would repeat it with every call. What it was is said.
  if (source.type === "base64") {
    return { type, mime_type: source.mediaType, size: Math.floor((source.data.length * 3) / 4), ...(name && { name }) }
  }
  if (source.url.startsWith("data:")) return { type, mime_type: source.mediaType ?? null, size: source.url.length }
  return { type: "uri", modality: type, mime_type: source.mediaType ?? null, uri: source.url }
}

function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case "text":
      return { type: "text", content: block.text }
    case "thinking":
      return { type: "reasoning", content: block.thinking }
    case "tool_use":
      return { type: "tool_call", id: block.id, name: block.name, arguments: block.rawInput ?? block.input }
    case "tool_result":
      return { type: "tool_call_response", id: block.id, response: block.output.map(partOf) }
    default:
      return mediaPart(block)
  }
}

// A history is traced again with every call; each of its messages is turned into JSON once.
const encoded = new WeakMap<Msg, string>()

function encode(msg: Msg): string {
  let json = encoded.get(msg)
  if (json === undefined) {
    json = redact(JSON.stringify({ role: msg.role, parts: msg.content.map(partOf), name: msg.name }))
    encoded.set(msg, json)
  }
  return json
}

/** The value of `gen_ai.input.messages` for these messages: JSON, secrets masked, inline media left out. */
export function inputMessages(messages: readonly Msg[]): string {
  return markRedacted(`[${messages.map(encode).join(",")}]`)
}

const finishReasons: Readonly<Partial<Record<StopReason, string>>> = {
  stop: "stop",
  length: "length",
  content_filter: "content_filter",
  refusal: "content_filter",
  tool_use: "tool_call",
}

/** The value of `gen_ai.output.messages` for what a model or an agent answered. The role is `assistant`. */
export function outputMessages(content: readonly ContentBlock[], stopReason: StopReason = "stop"): string {
  const message = { role: "assistant", parts: content.map(partOf), finish_reason: finishReasons[stopReason] ?? "error" }
  return markRedacted(redact(JSON.stringify([message])))
}

/** The value of `gen_ai.system_instructions` for a system prompt. */
export function systemInstructions(text: string): string {
  return markRedacted(redact(JSON.stringify([{ type: "text", content: text }])))
}

/** The value of `gen_ai.tool.call.result`: the tool's own value, else what the model is shown, inline media left out. */
export function toolCallResult({ structured, output }: ToolResultBlock): string | undefined {
  const json = JSON.stringify(structured ?? output.map(partOf)) as string | undefined
  return json === undefined ? undefined : markRedacted(redact(json))
}

interface ToolDefinition {
  readonly name: string
  readonly description?: string
  readonly parameters: unknown
}
const definitions = new WeakMap<readonly ToolDefinition[], string>()

/** The value of `gen_ai.tool.definitions` for the tools of a request; encoded once per array. */
export function toolDefinitions(tools: readonly ToolDefinition[]): string {
  let json = definitions.get(tools)
  if (json === undefined) {
    const list = tools.map(({ name, description, parameters }) => ({ type: "function", name, description, parameters }))
    json = redact(JSON.stringify(list))
    definitions.set(tools, json)
  }
  return markRedacted(json)
}
