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
import { agentError } from "../agent-error.ts"
import { childOf, isWaitingChild, pendingBelow, suspendedOn, type WaitingChild } from "../sub-agents/waiting-child.ts"

/**
 * A round of tool calls that waits for somebody: the message with the calls, the result of each call in order (null: not
 * there yet), and the calls that wait, those of sub-agents in the place of the calls that asked them. Plain data: it is saved
 * with the agent.
 */
export interface WaitingRound {
  readonly message: Msg
  readonly results: readonly (ToolResultBlock | null)[]
  readonly pending: readonly PendingCall[]
  /** The sub-agents that wait; absent when there are none. */
  readonly children?: readonly WaitingChild[]
}

/** A call of a round that has no result yet, with what waits for it. */
export interface OpenCall {
  readonly call: ToolUseBlock
  /** The call itself, or those of the sub-agent that it asked. */
  readonly pending: readonly PendingCall[]
  readonly child: WaitingChild | undefined
}

/** The calls of a round that have no result yet. */
export function openCalls({ message, results, pending, children = [] }: WaitingRound): readonly OpenCall[] {
  let next = 0
  return toolUsesOf(message).flatMap((call, i) => {
    if (results[i]) return []
    const child = children.find((waiting) => waiting.call.id === call.id)
    const from = next
    next += child ? child.pending.length : 1
    return [{ call, pending: pending.slice(from, next), child }]
  })
}

/** The result of an open call as it was when it came to wait. */
export function stillWaiting({ call, pending, child }: OpenCall): ToolResultBlock {
  if (child) return suspendedOn(child)
  const result = toolResult(call, "", { state: "suspended" })
  return pending[0] ? { ...result, metadata: { pending: { ...pending[0] } as never } } : result
}

/** What a suspended result waits for. */
function waitingCall(toolUse: ToolUseBlock, result: ToolResultBlock): PendingCall {
  return pendingOf(result) ?? { toolUse, kind: "external", digest: toolUse.id }
}

/** The round of an agent with these results of its calls, or `undefined` when none of them waits. */
export function waitingRound(
  agent: string,
  message: Msg,
  results: readonly ToolResultBlock[],
): WaitingRound | undefined {
  if (results.every(({ state }) => state !== "suspended")) return undefined
  const calls = toolUsesOf(message)
  const taken = new Set(calls.map(({ id }) => id))
  const children: WaitingChild[] = []
  const pending = results.flatMap((result, i) => {
    const call = calls[i]
    if (call === undefined || result.state !== "suspended") return []
    const child = childOf(result)
    if (child === undefined) return [waitingCall(call, result)]
    children.push(child)
    return child.pending.map((waiting) => free(pendingBelow(agent, call.id, child.agent, waiting), taken))
  })
  return {
    message,
    results: results.map((result) => (result.state === "suspended" ? null : result)),
    pending,
    ...(children.length > 0 && { children }),
  }
}

/** With an id that no other call has: a model may well make one up that looks like that of a sub-agent's call. */
function free(call: PendingCall, taken: Set<string>): PendingCall {
  let { id } = call.toolUse
  while (taken.has(id)) id += "_"
  taken.add(id)
  return id === call.toolUse.id ? call : { ...call, toolUse: { ...call.toolUse, id } }
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
  const { message, results, pending, children } = value as Partial<WaitingRound>
  if (!isObject(message) || !Array.isArray(message.content) || !Array.isArray(results) || !Array.isArray(pending)) {
    throw unfit("lacks its message, results or pending calls")
  }
  const calls = toolUsesOf(message)
  if (results.length !== calls.length || !results.every((result) => result === null || isObject(result))) {
    throw unfit("has no result, or null, for each call of its message")
  }
  // once the round is closed they are in every request
  checkMessage(message, 0)
  checkBlocks(
    results.filter((result) => result !== null),
    "results",
  )
  if (children !== undefined && !(Array.isArray(children) && children.every(isWaitingChild))) {
    throw unfit("has sub-agents that lack their call, their pending calls or their state")
  }
  const round = { message, results, pending, ...(children && { children }) }
  if (!pending.every(isPending) || !fits(round)) {
    throw unfit("does not have those calls pending that have no result")
  }
  return round
}

/** Whether what waits is what has no result, and each sub-agent is that of a call. */
function fits(round: WaitingRound): boolean {
  const { pending, children = [] } = round
  const open = openCalls(round)
  const sum = open.reduce((count, { child }) => count + (child ? child.pending.length : 1), 0)
  return (
    sum === pending.length &&
    new Set(pending.map(({ toolUse }) => toolUse.id)).size === sum &&
    open.filter(({ child }) => child).length === children.length &&
    children.every((child) => child.pending.length > 0 && child.pending.every(isPending)) &&
    open.every((each) => each.child !== undefined || each.pending[0]?.toolUse.id === each.call.id)
  )
}

const unfit = (problem: string) => agentError("invalid_argument", `The saved round of pending calls ${problem}.`)
