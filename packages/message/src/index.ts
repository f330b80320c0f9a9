export { onAbort, untilAbort } from "./abort.ts"
export { type Ambient, ambient, isoNow, newId, replaceAmbient } from "./ambient.ts"
export type {
  AudioBlock,
  BlockOf,
  BlockType,
  ContentBlock,
  FileBlock,
  ImageBlock,
  MediaBlock,
  MediaSource,
  Opaque,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolResultState,
  ToolUseBlock,
  VideoBlock,
} from "./blocks.ts"
export { copyOf } from "./copy-of.ts"
export { AgentScopeError, type ErrorInit, type ErrorJson, errorJson, type MessageErrorCode } from "./error.ts"
export { EventQueue } from "./event-queue.ts"
export type { AgentEvent, AgentEventOf, ChatDelta, EventBase } from "./events.ts"
export { foldEvent } from "./fold-event.ts"
export { importMessages } from "./import/import-messages.ts"
export type { JsonObject, JsonValue } from "./json.ts"
export {
  assistantMsg,
  createMsg,
  type FinishReason,
  type Msg,
  type MsgOptions,
  type Reply,
  type Role,
  systemMsg,
  toolResultMsg,
  type UserContent,
  userMsg,
} from "./msg.ts"
export { describeValue } from "./describe-value.ts"
export { didYouMean, nearestName } from "./nearest-name.ts"
export { type Approval, approve, deny, type PendingCall, type Resume, toolResult } from "./pending.ts"
export { blocksOf, type HasContent, hasBlocks, textOf, toolResultsOf, toolUsesOf } from "./read.ts"
export type {
  FromJsonSchema,
  InferInput,
  InferOutput,
  JsonSchema,
  JsonSchemaTarget,
  Schema,
  StandardSchema,
} from "./schema.ts"
export type { TapedCall, TapedChunk, TapedListener } from "./taped-call.ts"
export { isThenable } from "./thenable.ts"
export { addUsage, type ChatUsage, type StopReason } from "./usage.ts"
export { cutText, cutTextStart, wellFormed } from "./well-formed.ts"
