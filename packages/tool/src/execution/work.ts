import type { TapedCall, ToolUseBlock } from "@agentscope-ts/message"
import type { Validate } from "@agentscope-ts/model"
import type { Span } from "@agentscope-ts/tracing"
import type { Effects } from "../define/definition.ts"
import type { CallingAgent } from "./call-context.ts"
import type { Postprocess } from "./postprocess.ts"
import type { Spill } from "./spill.ts"

/** What an execution is bound by. */
export interface ExecutionOptions {
  readonly signal: AbortSignal | undefined
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number
  /** The most characters of text in the result. */
  readonly limit: number
  readonly spill: Spill | undefined
  readonly agent: CallingAgent | undefined
  /** Told when a tool that was given up, after it had begun, ends after all. */
  readonly onLate: ((outcome: "returned" | "threw") => void) | undefined
  readonly span: Span | undefined
}

/** What is executed, and on what terms. */
export interface Work {
  /** The call as it runs: with the input that a person changed, if one did. */
  readonly toolUse: ToolUseBlock
  execute(): unknown
  /** Told once, before the first attempt. */
  readonly onStart: (() => void) | undefined
  readonly validateOutput: Validate | undefined
  readonly maxRetries: number
  /** What an unfinished call may have changed. */
  readonly effects: Effects
  readonly postprocess: Postprocess | undefined
  /** The tape that runs. */
  readonly taped: TapedCall | undefined
}
