import { type JsonObject, type JsonValue, type MediaBlock, textOf } from "@agentscope-ts/message"
import { type ChatResponse, modelError } from "@agentscope-ts/model"
import { type ToolResponse, toolResponse } from "@agentscope-ts/tool"

/** A tool's answer of media: the blocks for the model, and for code, with what else is known of them as metadata. */
export function mediaResponse<Block extends MediaBlock>(
  blocks: readonly Block[],
  metadata: JsonObject,
): ToolResponse<readonly Block[]> {
  const value = blocks as unknown as JsonValue
  return toolResponse(blocks, { structured: value, metadata }) as ToolResponse<unknown> as ToolResponse<
    readonly Block[]
  >
}

/** A tool's answer of text. */
export function textResponse(text: string, metadata: JsonObject): ToolResponse<string> {
  return toolResponse(text, { structured: text, metadata })
}

/** What a model said of media; throws `malformed_response` when it said nothing. */
export function saidOf(response: ChatResponse, model: string): ToolResponse<string> {
  const text = textOf(response)
  const { refusal, usage } = response
  if (text.trim() === "") {
    const message = `${model} said nothing${refusal === undefined ? "" : `, but refused: ${refusal}`}.`
    throw modelError({ code: refusal === undefined ? "malformed_response" : "content_filtered", message })
  }
  return textResponse(text, known({ model, usage: usage as unknown as JsonValue }))
}

/** The fields that are known. */
export function known(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  )
}
