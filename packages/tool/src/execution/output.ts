import {
  cutText,
  type JsonObject,
  type MediaBlock,
  type TextBlock,
  type ToolResultBlock,
  type ToolResultState,
  wellFormed,
} from "@agentscope-ts/message"
import { isToolResponse, type ToolResponse } from "../define/response.ts"
import { jsonCopy, jsonText, plainText } from "./json-text.ts"

/** A tool's answer as a result block holds it. */
export interface Output {
  readonly output: readonly (TextBlock | MediaBlock)[]
  readonly structured?: unknown
  readonly state?: ToolResultState
  readonly metadata?: JsonObject
}

const media = new Set(["image", "audio", "video", "file"])

/** Whether a value is a block that a result can hold. */
export function isOutputBlock(value: unknown): value is TextBlock | MediaBlock {
  if (typeof value !== "object" || value === null || !("type" in value)) return false
  if (value.type === "text") return "text" in value && typeof value.text === "string"
  if (!media.has(value.type as string) || !("source" in value)) return false
  const { source } = value
  return (
    typeof source === "object" &&
    source !== null &&
    "type" in source &&
    ["base64", "url"].includes(source.type as string)
  )
}

const text = (value: string): readonly TextBlock[] => [{ type: "text", text: value }]

function isResult(value: object): value is ToolResultBlock {
  return "type" in value && value.type === "tool_result" && "output" in value && Array.isArray(value.output)
}

/**
 * A tool's value as output, whatever it is; never throws. Text longer than `limit` characters in all is cut, with a word
 * about it, and a value whose JSON is longer is not kept as `structured` (`metadata.structuredOmitted`).
 */
export function outputOf(value: unknown, limit: number): Output {
  if (typeof value === "string")
    return value.length <= limit ? { output: text(wellFormed(value)) } : bounded(text(value), limit)
  if (value === undefined) return { output: text("Done.") }
  if (typeof value !== "object" || value === null) return primitiveOutput(value)
  if (isToolResponse(value)) return responseOutput(value, limit)
  if (isResult(value)) {
    return merged(bounded(value.output.filter(isOutputBlock), limit), keptOf(value.structured, limit), value)
  }
  if (isOutputBlock(value)) return bounded([value], limit)
  if (Array.isArray(value) && value.length > 0 && value.every(isOutputBlock)) return bounded(value, limit)
  const json = jsonText(value)
  if (json.length > limit) return bounded(text(json), limit, { structuredOmitted: true })
  if (json === "{}" && isFetchResponse(value)) {
    return {
      output: text("The tool returned a Response, not what is in it: return await res.text() or await res.json()."),
      state: "error",
    }
  }
  // a copy: the tool may go on changing what it returned, and the history must not
  return { output: text(wellFormed(json)), structured: JSON.parse(json) }
}

/** Whether it is an answer of `fetch`, of any implementation: JSON has nothing to say of one. */
function isFetchResponse(value: object): boolean {
  return Object.prototype.toString.call(value) === "[object Response]"
}

function primitiveOutput(value: unknown): Output {
  const output = text(plainText(value))
  const kept = value === null || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))
  return kept ? { output, structured: value } : { output }
}

function responseOutput(response: ToolResponse<unknown>, limit: number): Output {
  const shown = bounded(response.content.filter(isOutputBlock), limit)
  return merged(shown, keptOf(response.structured, limit), response)
}

/** A value for programs, as a JSON-safe copy, unless its JSON is longer than `limit`. */
export function keptOf(value: unknown, limit: number): Pick<Output, "structured" | "metadata"> {
  if (value === undefined) return {}
  const json = jsonText(value)
  return json.length > limit ? { metadata: { structuredOmitted: true } } : { structured: JSON.parse(json) as unknown }
}

/** What is shown, with the value for programs and what a response says beside. */
export function merged(
  shown: Output,
  kept: Pick<Output, "structured" | "metadata">,
  said: Pick<ToolResponse<unknown>, "state" | "metadata"> = {},
): Output {
  const metadata = { ...shown.metadata, ...(jsonCopy(said.metadata ?? {}) as JsonObject), ...kept.metadata }
  return {
    output: shown.output,
    ...(kept.structured !== undefined && { structured: kept.structured }),
    ...(said.state && { state: said.state }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
}

/** The value that a tool's answer has in code: a response's `structured`, or the value itself. */
export function codeValueOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && isToolResponse(value) ? value.structured : value
}

/** Cuts the text of blocks at `limit` characters in all, and says so at the cut; media stay whole. */
export function bounded(blocks: readonly (TextBlock | MediaBlock)[], limit: number, metadata: JsonObject = {}): Output {
  let total = 0
  for (const block of blocks) if (block.type === "text") total += block.text.length
  if (total <= limit) {
    const output = blocks.map((block) => (block.type === "text" ? { ...block, text: wellFormed(block.text) } : block))
    return { output, ...(Object.keys(metadata).length > 0 && { metadata }) }
  }
  return cut(blocks, limit, total, metadata)
}

function cut(blocks: readonly (TextBlock | MediaBlock)[], limit: number, total: number, metadata: JsonObject): Output {
  const output: (TextBlock | MediaBlock)[] = []
  let left = limit
  for (const block of blocks) {
    if (block.type !== "text") output.push(block)
    else if (left > 0) {
      const kept = block.text.length <= left ? block.text : cutText(block.text, left)
      left -= block.text.length
      output.push({ ...block, text: left > 0 ? wellFormed(kept) : detached(kept) + cutNote(total, limit) })
    }
  }
  return { output, metadata: { ...metadata, truncated: { characters: total, shown: limit } } }
}

/** What stands where an output was cut. */
export function cutNote(total: number, limit: number): string {
  return `\n[The output was cut here: it has ${total} characters, the first ${limit} are shown.]`
}

/** A copy that does not keep the long string alive which it was cut from; lone surrogates become U+FFFD. */
export function detached(part: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(part))
}
