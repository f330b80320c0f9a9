import {
  type Msg,
  type PendingCall,
  type ToolResultBlock,
  type ToolUseBlock,
  toolResult,
  toolUsesOf,
} from "@agentscope-ts/message"
import { checkBlocks, checkMessage } from "@agentscope-ts/model"
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

/**
 * The result of a call that is under way, for a state that is saved meanwhile: where that is loaded nobody runs it a second
 * time.
 */
export function unknownResult(toolUse: ToolUseBlock): ToolResultBlock {
  const text = "The tool call was under way when the conversation was saved: whether it had an effect is not known."
  return { ...toolResult(toolUse, text, { state: "interrupted" }), metadata: { indeterminate: true } }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

function isPending(value: unknown): value is PendingCall {
  if (!isObject(value) || !isObject(value["toolUse"]) || typeof value["digest"] !== "string") return false
  return isObject(value["toolUse"]["input"]) && (value["kind"] === "approval" || value["kind"] === "external")
}

/** Checks what a session gives back: the calls that wait are those of the message that have no result. */
export function asWaitingRound(value: unknown): WaitingRound | undefined {
  if (value === null || value === undefined) return undefined
  const { message, results, pending } = value as Partial<WaitingRound>
  if (!isObject(message) || !Array.isArray(message.content) || !Array.isArray(results) || !Array.isArray(pending)) {
    throw unfit("lacks its message, results or pending calls")
  }
  const calls = toolUsesOf(message)
  const open = calls.filter((_, i) => results[i] === null).map(({ id }) => id)
  if (results.length !== calls.length || !results.every((result) => result === null || isObject(result))) {
    throw unfit("has no result, or null, for each call of its message")
  }
  // once the round is closed they are in every request
  checkMessage(message, 0)
  checkBlocks(
    results.filter((result) => result !== null),
    "results",
  )
  if (!pending.every(isPending) || String(pending.map(({ toolUse }) => toolUse.id)) !== String(open)) {
    throw unfit("does not have those calls pending that have no result")
  }
  return { message, results, pending }
}

const unfit = (problem: string) => agentError("invalid_argument", `The saved round of pending calls ${problem}.`)
