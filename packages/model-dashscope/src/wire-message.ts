import type { FunctionCall } from "@agentscope-ts/model/wire"

/** A part of a message that is more than text: one field, named after what it holds. Media are web URLs or `data:` URLs. */
export type DashScopeContentPart =
  | { readonly text: string }
  | { readonly image: string }
  | { readonly audio: string }
  | { readonly video: string }

/** A message as DashScope's generation endpoints take it. */
export interface DashScopeWireMessage {
  readonly role: string
  readonly content: string | readonly DashScopeContentPart[]
  /** The thinking that led to the tool calls. */
  readonly reasoning_content?: string
  readonly tool_calls?: readonly FunctionCall[]
  readonly tool_call_id?: string
  readonly name?: string
}
