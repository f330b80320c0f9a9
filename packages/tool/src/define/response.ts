import { toolError } from "../error.ts"
import type { JsonObject, JsonValue, MediaBlock, TextBlock, ToolResultState } from "@agentscope-ts/message"

/** A tool's answer in full: what the model sees, the value for programs, the state. Made by {@link toolResponse}. */
export interface ToolResponse<Out = undefined> {
  readonly type: "tool_response"
  readonly content: readonly (TextBlock | MediaBlock)[]
  readonly structured?: Out
  readonly state?: ToolResultState
  readonly metadata?: JsonObject
}

interface ResponseOptions {
  state?: ToolResultState | undefined
  metadata?: JsonObject | undefined
}

/**
 * Lets a tool say what the model sees (text or blocks) apart from what programs get (`structured`). The state is
 * `success` unless given; `metadata` goes into the result block.
 */
export function toolResponse(
  content: string | readonly (TextBlock | MediaBlock)[],
  options?: ResponseOptions,
): ToolResponse
export function toolResponse<T extends JsonValue>(
  content: string | readonly (TextBlock | MediaBlock)[],
  options: ResponseOptions & { structured: T },
): ToolResponse<T>
export function toolResponse<T extends JsonValue>(
  content: string | readonly (TextBlock | MediaBlock)[],
  options: ResponseOptions & { structured?: T } = {},
): ToolResponse<T> {
  const { structured, state, metadata } = options
  if (typeof content !== "string" && !Array.isArray(content)) {
    throw toolError("invalid_argument", `toolResponse() takes a text or a list of blocks, not ${typeof content}.`)
  }
  return {
    type: "tool_response",
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    ...(structured !== undefined && { structured }),
    ...(state && { state }),
    ...(metadata && { metadata }),
  }
}

/** Whether a value is a {@link ToolResponse}. */
export function isToolResponse(value: object): value is ToolResponse<unknown> {
  return "type" in value && value.type === "tool_response" && "content" in value && Array.isArray(value.content)
}
