import type { ContentBlock, MediaBlock, TextBlock, ToolResultBlock, ToolUseBlock } from "./blocks.ts"
import type { ErrorJson } from "./error.ts"
import type { JsonValue } from "./json.ts"
import type { Msg, Reply } from "./msg.ts"
import type { PendingCall } from "./pending.ts"
import type { ChatUsage, StopReason } from "./usage.ts"

/** What a model streams. `index` counts the blocks of one response from 0; a block's deltas come before its `block_end`. */
export type ChatDelta =
  | { readonly type: "text_delta"; readonly index: number; readonly text: string }
  | { readonly type: "thinking_delta"; readonly index: number; readonly text: string }
  | { readonly type: "tool_use_start"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: "tool_use_delta"; readonly index: number; readonly id: string; readonly json: string }
  | { readonly type: "block_end"; readonly index: number; readonly block: Exclude<ContentBlock, ToolResultBlock> }

/** On every event: whose reply, `path` of the agents above it (empty at the top), and a number that grows by one. */
export interface EventBase {
  readonly replyId: string
  readonly agent: string
  readonly path: readonly string[]
  readonly seq: number
}

/**
 * What an agent does, from `reply_start` to `reply_end` or `error`. `message` says that a message entered memory; `retry` that
 * the model is asked again, and that what it said since `model_start` is void.
 */
export type AgentEvent = EventBase &
  (
    | { readonly type: "reply_start" }
    | { readonly type: "model_start"; readonly msgId: string; readonly iteration: number; readonly model: string }
    | (ChatDelta & { readonly msgId: string })
    | {
        readonly type: "model_end"
        readonly msgId: string
        readonly stopReason: StopReason
        readonly usage?: ChatUsage
      }
    | { readonly type: "tool_execution_start"; readonly toolUse: ToolUseBlock }
    | { readonly type: "tool_progress"; readonly toolUse: ToolUseBlock; readonly data: JsonValue }
    | { readonly type: "tool_result_delta"; readonly toolUse: ToolUseBlock; readonly block: TextBlock | MediaBlock }
    | { readonly type: "tool_result"; readonly toolUse: ToolUseBlock; readonly result: ToolResultBlock }
    | { readonly type: "pending"; readonly pending: PendingCall }
    | { readonly type: "message"; readonly msg: Msg }
    | { readonly type: "compaction"; readonly removed: number; readonly summary: Msg }
    | { readonly type: "retry"; readonly attempt: number; readonly delayMs: number; readonly error: ErrorJson }
    | { readonly type: "warning"; readonly code: string; readonly message: string }
    | { readonly type: "reply_end"; readonly reply: Reply<unknown> }
    | { readonly type: "error"; readonly error: ErrorJson }
  )

/** The event with a given tag. */
export type AgentEventOf<T extends AgentEvent["type"]> = Extract<AgentEvent, { readonly type: T }>
