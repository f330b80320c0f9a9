import type { JsonObject } from "@agentscope-ts/message"
import type { FunctionCall } from "@agentscope-ts/model/wire"

/** A message as Ollama takes it. */
export interface OllamaWireMessage {
  readonly role: string
  readonly content: string | null
  /** As base64. */
  readonly images?: readonly string[]
  /** The thinking that led to the tool calls. */
  readonly thinking?: string
  readonly tool_calls?: readonly FunctionCall<JsonObject>[]
  readonly tool_call_id?: string
  readonly name?: string
  readonly tool_name?: string
}
