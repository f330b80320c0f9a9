import {
  type Msg,
  type PendingCall,
  type ToolResultBlock,
  type ToolUseBlock,
  toolResult,
  toolUsesOf,
} from "@agentscope-ts/message"
import { pendingOf } from "@agentscope-ts/tool"
import { agentError } from "./agent-error.ts"

/**
 * A round of tool calls that waits for somebody: the message with the calls, the result of each call in order (null: not
 * there yet), and the calls that wait. Plain data: it is saved with the agent.
 */
export interface WaitingRound {
  readonly message: Msg
  readonly results: readonly (ToolResultBlock | null)[]
  readonly pending: readonly PendingCall[]
}

/** What a suspended result waits for. */
function waitingCall(toolUse: ToolUseBlock, result: ToolResultBlock): PendingCall {
  return pendingOf(result) ?? { toolUse, kind: "external", digest: toolUse.id }
}

/** The round with these results of its calls, or `undefined` when none of them waits. */
export function waitingRound(message: Msg, results: readonly ToolResultBlock[]): WaitingRound | undefined {
  if (results.every(({ state }) => state !== "suspended")) return undefined
  const calls = toolUsesOf(message)
  return {
    message,
    results: results.map((result) => (result.state === "suspended" ? null : result)),
    pending: results.flatMap((result, i) => {
      const call = calls[i]
      return call && result.state === "suspended" ? [waitingCall(call, result)] : []
    }),
  }
}

/** The result of a call that was cut off, or never begun. */
export function interruptedResult(toolUse: ToolUseBlock): ToolResultBlock {
  return toolResult(toolUse, "The tool call was interrupted: there is no result.", { state: "interrupted" })
}

/** Checks what a session gives back. */
export function asWaitingRound(value: unknown): WaitingRound | undefined {
  if (value === null || value === undefined) return undefined
  const round = value as Partial<WaitingRound>
  if (round.message && Array.isArray(round.results) && Array.isArray(round.pending)) return round as WaitingRound
  throw agentError("invalid_argument", "The saved round of pending calls lacks its message, results or pending calls.")
}
