import type { JsonObject } from "@agentscope-ts/message"
import type { FunctionCall } from "@agentscope-ts/model/wire"

/** A part of a user message. */
export type OpenAIContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "input_audio"; readonly input_audio: { readonly data: string; readonly format: string } }
  | { readonly type: "file"; readonly file: { readonly filename: string; readonly file_data: string } }

/** A call of a tool; `arguments` is JSON text. */
export type OpenAIToolCall = FunctionCall

/** A message as Chat Completions takes it. */
export interface OpenAIWireMessage {
  readonly role: string
  readonly name?: string
  readonly content?: string | readonly OpenAIContentPart[] | null
  readonly tool_calls?: readonly OpenAIToolCall[]
  readonly tool_call_id?: string
  /** The thinking that led to the message, for those who want it back: DeepSeek and others. */
  readonly reasoning_content?: string
  /** OpenRouter: reasoning that has to come back as it was. */
  readonly reasoning_details?: readonly JsonObject[]
}
