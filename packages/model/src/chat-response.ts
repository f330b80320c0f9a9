import type {
  AudioBlock,
  ChatUsage,
  ImageBlock,
  StopReason,
  TextBlock,
  ThinkingBlock,
  ToolUseBlock,
} from "@agentscope-ts/message"

/** What a model can say. */
export type ChatContent = TextBlock | ThinkingBlock | ToolUseBlock | AudioBlock | ImageBlock

/** Everything a model has said so far. `id` is the provider's once it is known; `createdAt` is ISO 8601 in UTC. */
export interface ChatSnapshot {
  readonly id: string
  readonly model: string
  readonly createdAt: string
  readonly content: readonly ChatContent[]
  /** Absent until the end, and wherever the provider reported none. */
  readonly usage?: ChatUsage
}

/** Something that was put right, left out or done otherwise than asked, in a way that somebody should know of. */
export interface CallWarning {
  readonly code: string
  readonly message: string
}

/** A finished answer. `structured` is the validated value when the request had a schema. */
export interface ChatResponse<T = unknown> extends ChatSnapshot {
  readonly stopReason: StopReason
  readonly structured?: T
  /** The words in which the model refused, where its provider tells them apart from its texts. */
  readonly refusal?: string
  /** What the call warned of, each once; absent where there was nothing. */
  readonly warnings?: readonly CallWarning[]
}
