import type {
  ContentBlock,
  MediaBlock,
  MediaSource,
  Opaque,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "../blocks.ts"
import type { JsonObject } from "../json.ts"
import { invalid } from "./invalid.ts"
import { openAIPart } from "./openai-message.ts"
import { isObject, isState } from "./own-message.ts"

/** What a 2.x reply says to the model in passing: it becomes a message of its own. */
export interface Hint {
  readonly type: "hint"
  readonly content: readonly ContentBlock[]
}

function text(block: JsonObject, key: string, where: string): string {
  const value = block[key]
  if (typeof value === "string") return value
  throw invalid(where, `has no text in "${key}".`)
}

function media(block: JsonObject, type: MediaBlock["type"] | undefined, where: string): MediaBlock {
  const source = block["source"]
  if (!isObject(source)) throw invalid(where, 'has no "source".')
  const given = source["media_type"] ?? source["mediaType"]
  const mediaType = typeof given === "string" ? given : undefined
  const name = typeof block["name"] === "string" ? { name: block["name"] } : undefined
  return { type: type ?? kindOf(mediaType), source: sourceOf(source, mediaType, where), ...name }
}

function kindOf(mediaType: string | undefined): MediaBlock["type"] {
  const kind = mediaType?.split("/")[0]
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "file"
}

function sourceOf(source: JsonObject, mediaType: string | undefined, where: string): MediaSource {
  const { type, data, url } = source
  if (type === "base64" && typeof data === "string" && mediaType !== undefined) return { type, mediaType, data }
  if (type === "url" && typeof url === "string") return { type, url, ...(mediaType !== undefined && { mediaType }) }
  throw invalid(where, 'has a "source" that is neither base64 (media_type, data) nor a url (url).')
}

function parsed(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Signatures are named after the one provider whose Python formatter wrote them. */
function opaqueOf(value: unknown): { readonly opaque?: Opaque } {
  if (!isObject(value) || typeof value["provider"] !== "string" || value["data"] === undefined) return {}
  return { opaque: { provider: value["provider"], data: value["data"] } }
}

/** `input` is an object in 1.0, JSON text in 2.x; the raw text counts only where no arguments came out of it. */
function toolUse(block: JsonObject, where: string): ToolUseBlock {
  const { input, thought_signature: signature, opaque } = block
  const raw = block["raw_input"] ?? block["rawInput"]
  const written = typeof input === "string" ? input : typeof raw === "string" ? raw : ""
  const object = isObject(input) && Object.keys(input).length > 0 ? input : written.trim() === "" ? {} : parsed(written)
  return {
    type: "tool_use",
    id: text(block, "id", where),
    name: text(block, "name", where),
    input: object ?? {},
    ...(object === undefined && { rawInput: written }),
    ...opaqueOf(typeof signature === "string" ? { provider: "gemini", data: { thoughtSignature: signature } } : opaque),
  }
}

function toolResult(block: JsonObject, where: string): ToolResultBlock {
  const { output, metadata, state = "success" } = block
  // in 2.x a result that was being made when the session was saved
  const ended = state === "running" ? "interrupted" : state
  if (!isState(ended)) throw invalid(where, `has the unknown state ${JSON.stringify(state)}.`)
  return {
    type: "tool_result",
    id: text(block, "id", where),
    name: text(block, "name", where),
    output: outputOf(output, where),
    state: ended as ToolResultBlock["state"],
    ...(block["structured"] !== undefined && { structured: block["structured"] }),
    ...(isObject(metadata) && Object.keys(metadata).length > 0 && { metadata }),
  }
}

function outputOf(output: unknown, where: string): readonly (TextBlock | MediaBlock)[] {
  if (output === null || output === undefined) return []
  if (typeof output === "string") return [{ type: "text", text: output }]
  if (!Array.isArray(output)) throw invalid(where, 'has an "output" that is neither text nor a list of blocks.')
  return output.map((item: unknown, index) => {
    const block = importBlock(item, `${where}.output[${index}]`)
    if (block.type === "text" || "source" in block) return block
    throw invalid(`${where}.output[${index}]`, `of type "${block.type}" cannot stand in a tool result.`)
  })
}

function importHint(block: JsonObject, where: string): Hint {
  const { hint } = block
  if (typeof hint === "string") return { type: "hint", content: [{ type: "text", text: hint }] }
  if (!Array.isArray(hint)) throw invalid(where, 'has a "hint" that is neither text nor a list of blocks.')
  return { type: "hint", content: outputOf(hint, `${where}.hint`) }
}

const known = "text, thinking, image, audio, video, file, data, tool_use, tool_call, tool_result, hint"

/** One block of AgentScope Python 1.0 or 2.x, a part of OpenAI's, or one of ours, as ours. `where` names it in errors. */
export function importBlock(given: unknown, where: string): ContentBlock | Hint {
  if (!isObject(given)) throw invalid(where, "is no content block.")
  const block = openAIPart(given, where)
  const { type } = block
  switch (type) {
    case "text":
      return { type, text: text(block, "text", where), ...opaqueOf(block["opaque"]) }
    case "thinking": {
      const { signature, opaque } = block
      const data = typeof signature === "string" ? { provider: "anthropic", data: { signature } } : opaque
      return { type, thinking: text(block, "thinking", where), ...opaqueOf(data) }
    }
    case "image":
    case "audio":
    case "video":
    case "file":
      return media(block, type, where)
    case "data":
      return media(block, undefined, where)
    case "tool_use":
    case "tool_call":
      return toolUse(block, where)
    case "tool_result":
      return toolResult(block, where)
    case "hint":
      return importHint(block, where)
    default:
      throw invalid(where, `has the unknown type ${JSON.stringify(type)}. Known: ${known}.`)
  }
}
