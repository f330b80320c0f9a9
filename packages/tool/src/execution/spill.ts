import type { ToolUseBlock } from "@agentscope-ts/message"
import type { CallingAgent } from "./call-context.ts"

/** Whose output was too long. */
export interface SpilledCall {
  readonly toolUse: ToolUseBlock
  /** Absent outside an agent. */
  readonly agent?: CallingAgent
}

/**
 * Keeps a text that is too long for a result, and answers with words by which the model finds it, such as the path of a
 * file; `undefined` when it was not kept. What it throws is told in the result; the call is no failure for it.
 */
export type Spill = (text: string, call: SpilledCall) => string | undefined | Promise<string | undefined>
