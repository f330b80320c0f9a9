import {
  type JsonObject,
  type MediaBlock,
  type TextBlock,
  type ToolResultBlock,
  type ToolResultState,
  wellFormed,
} from "@agentscope-ts/message"
import { isToolResponse, type ToolResponse } from "../define/response.ts"
import { bounded, type Cut } from "./cut-output.ts"
import { jsonCopy, jsonText, plainText } from "./json-text.ts"

/** A tool's answer as a result block holds it. */
export interface Output {
  readonly output: readonly (TextBlock | MediaBlock)[]
  readonly structured?: unknown
  readonly state?: ToolResultState
  readonly metadata?: JsonObject
  /** There when the text was cut. */
  readonly cut?: Cut
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
  const unread = json === "{}" ? unreadName(value) : undefined
  if (unread !== undefined) {
    const how =
      unread === "ReadableStream" ? "read it, and return the text" : "return await res.text() or await res.json()"
    return { output: text(`The tool returned a ${unread}, not what is in it: ${how}.`), state: "error" }
  }
  // a copy: the tool may go on changing what it returned, and the history must not
  return { output: text(wellFormed(json)), structured: JSON.parse(json) }
}

/** What has to be read first, of any implementation, such as an answer of `fetch`: JSON has nothing to say of one. */
function unreadName(value: object): string | undefined {
  return /^\[object (Response|Request|Blob|File|ReadableStream)\]$/.exec(Object.prototype.toString.call(value))?.[1]
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
    ...(shown.cut && { cut: shown.cut }),
  }
}

/** The value that a tool's answer has in code: a response's `structured`, or the value itself. */
export function codeValueOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && isToolResponse(value) ? value.structured : value
}
