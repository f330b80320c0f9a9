import type { JsonObject } from "@agentscope-ts/message"

/** A call of a tool; `arguments` is an object. */
export interface OllamaToolCall {
  readonly id: string
  readonly type: "function"
  readonly function: { readonly name: string; readonly arguments: JsonObject }
}

/** A message as Ollama takes it. */
export interface OllamaWireMessage {
  readonly role: string
  readonly content: string | null
  /** As base64. */
  readonly images?: readonly string[]
  /** The thinking that led to the tool calls. */
  readonly thinking?: string
  readonly tool_calls?: readonly OllamaToolCall[]
  readonly tool_call_id?: string
  readonly name?: string
  readonly tool_name?: string
}
