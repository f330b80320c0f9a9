import type { JsonObject, JsonValue, MediaBlock, TextBlock } from "@agentscope-ts/message"
import type { Validate } from "@agentscope-ts/model"
import { type ToolResponse, toolResponse } from "@agentscope-ts/tool"
import { mcpError } from "../error.ts"
import { contentBlock } from "./content-blocks.ts"

type Block = TextBlock | MediaBlock
/** What a call of an MCP tool comes to. */
export type McpToolResponse = ToolResponse<JsonObject | undefined>

/** Whose answer is read. */
export interface ResultOrigin {
  readonly server: string
  readonly tool: string
  readonly trusted: boolean
  /** Checks the structured content, where the tool says what it is like. */
  readonly validateOutput: Validate | undefined
}

/**
 * The answer to `tools/call` as a tool's response. Blocks become ours; `structuredContent` is the value for programs, and
 * the text too where there is no content. Data that a block shows is not repeated in the value. `isError` is the state
 * `error`. Throws `invalid_output` where the value does not fit the tool's output schema; a tool that has one and answers
 * without a value has broken its word, and its content still counts.
 */
export function toolResult(answer: JsonObject, origin: ResultOrigin): McpToolResponse {
  const { content, structuredContent, isError, toolResult: older, _meta } = answer
  // an object by the protocol; some servers send lists
  const structured = structuredContent === null ? undefined : (structuredContent as JsonObject | undefined)
  if (isError !== true) checkOutput(structured, origin)
  const media = new Map<string, number>()
  const blocks: Block[] = Array.isArray(content) ? (content as readonly JsonValue[]).map(contentBlock) : []
  for (const [index, block] of blocks.entries()) remember(media, block, index)
  if (blocks.length === 0 && older !== undefined) blocks.push({ type: "text", text: JSON.stringify(older) })
  let value = structured
  if (structured !== undefined) {
    const isShown = blocks.length > 0
    value = withoutMedia(structured, media, isShown ? undefined : blocks) as JsonObject
    if (!isShown) blocks.unshift({ type: "text", text: JSON.stringify(value) })
  }
  if (blocks.length === 0) blocks.push({ type: "text", text: "Done: the tool returned nothing." })
  const metadata: JsonObject = {
    mcp: { server: origin.server, tool: origin.tool, ...(_meta !== undefined && { meta: _meta }) },
    ...(!origin.trusted && { untrusted: true }),
  }
  const state = isError === true ? "error" : undefined
  return value === undefined
    ? toolResponse(blocks, { state, metadata })
    : toolResponse(blocks, { structured: value, state, metadata })
}

function checkOutput(structured: JsonObject | undefined, { server, tool, validateOutput }: ResultOrigin): void {
  // without a value there is still what the tool said, and what it did
  if (validateOutput === undefined || structured === undefined) return
  const where = `The tool "${tool}" of the MCP server "${server}"`
  const checked = validateOutput(structured)
  if (checked.ok) return
  const issues = checked.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ")
  throw mcpError("invalid_output", `${where} answered with a value that does not fit its output schema: ${issues}`)
}

/** Shorter data costs nothing to repeat. */
const worthSaving = 200

function remember(media: Map<string, number>, block: Block, index: number): void {
  if (block.type === "text" || block.source.type !== "base64") return
  if (block.source.data.length > worthSaving) media.set(block.source.data, index)
}

/**
 * The value without the data of media that stand in the content. With `lifted`, media inside the value (objects with
 * `type`, `data` and `mimeType`, as servers wrap their content) are added there, and told of in the place of their data.
 */
function withoutMedia(value: JsonValue, media: Map<string, number>, lifted: Block[] | undefined): JsonValue {
  if (typeof value === "string") {
    const index = value.length > worthSaving ? media.get(value) : undefined
    return index === undefined ? value : `[data of content block ${index + 1}]`
  }
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    const list = value as readonly JsonValue[]
    return list.map((item) => withoutMedia(item, media, lifted))
  }
  const { type, data, mimeType } = value as JsonObject
  const isMedia = (type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string"
  if (lifted && isMedia && data.length > worthSaving && !media.has(data)) {
    lifted.push(contentBlock(value))
    // the text comes before the blocks
    media.set(data, lifted.length)
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutMedia(item, media, lifted)]))
}
