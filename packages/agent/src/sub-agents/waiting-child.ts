import type { Approval, JsonObject, PendingCall, Resume, ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import { type AnyTool, contextKey, digestOf, fingerprintOf, pendingOf } from "@agentscope-ts/tool"

/**
 * A sub-agent that waits for somebody, as plain data: what it says of itself in the suspended result of the call that asked
 * it. `pending` are its calls as it has them, `state` is all of it, for another process.
 */
export interface WaitingAgent {
  /** The name of the tool that asked. */
  readonly tool: string
  readonly agent: string
  readonly pending: readonly PendingCall[]
  readonly state: JsonObject
}

/** A {@link WaitingAgent} in the round of the one that asked, with its call as it ran. */
export interface WaitingChild extends WaitingAgent {
  readonly call: ToolUseBlock
  /** A person had changed the call's input. */
  readonly edited?: boolean
}

/** Where a suspended result has its {@link WaitingAgent}. */
export const waitingAgentKey = "subAgent"

/** The sub-agent that waits behind a suspended result. */
export function childOf(result: ToolResultBlock): WaitingChild | undefined {
  const waiting = result.metadata?.[waitingAgentKey] as unknown as WaitingAgent | undefined
  const call = pendingOf(result)?.toolUse
  if (waiting === undefined || call === undefined) return undefined
  const { tool, agent, pending, state } = waiting
  const child = { call, tool, agent, pending, state }
  return result.metadata?.["input"] === undefined ? child : { ...child, edited: true }
}

/** The suspended result that {@link childOf} reads. */
export function suspendedOn({ call, edited, ...waiting }: WaitingChild): ToolResultBlock {
  const pending: PendingCall = { toolUse: call, kind: "external", digest: digestOf(call) }
  const metadata = { [waitingAgentKey]: waiting, pending, ...(edited && { input: call.input }) }
  const { id, name } = call
  return { type: "tool_result", id, name, output: [], state: "suspended", metadata: metadata as never }
}

/** A call of a sub-agent, as the one that asked it lists it: its id begins with that of the call that asked. */
export function pendingBelow(above: string, callId: string, agent: string, call: PendingCall): PendingCall {
  const { toolUse, path = [agent] } = call
  return { ...call, toolUse: { ...toolUse, id: `${callId}/${toolUse.id}` }, path: [above, ...path] }
}

/** Of these answers, those that are for the sub-agent, as it knows the calls; `listed` are they as they were listed above. */
export function answersFor(child: WaitingChild, listed: readonly PendingCall[], answers: Resume): Resume | undefined {
  const ids = new Map(listed.map(({ toolUse }, i) => [toolUse.id, child.pending[i]?.toolUse.id as string]))
  const results = (answers.results ?? []).flatMap((result) => {
    const id = ids.get(result.id)
    return id === undefined ? [] : [{ ...result, id }]
  })
  const approvals = (answers.approvals ?? []).flatMap((approval) => {
    const toolUseId = ids.get(approval.toolUseId)
    return toolUseId === undefined ? [] : [{ ...approval, toolUseId }]
  })
  return results.length + approvals.length > 0 ? { results, approvals } : undefined
}

/** What a call gets that does not ask a sub-agent anew, but hands it answers. */
export interface GoingOn {
  readonly child: WaitingChild
  readonly answers: Resume
  /** The tool that it is meant for has it. */
  isTaken: boolean
}

/** Where a tool finds its {@link GoingOn}. */
export const goingOnKey = contextKey<GoingOn | null>("agentscope.going_on", null)

/** Lets the call run again that a sub-agent waits behind: it was allowed when it ran first. */
export function allowed({ call, edited }: WaitingChild, tool: AnyTool | undefined): Approval {
  const digest = digestOf(call, tool && fingerprintOf(tool))
  return { toolUseId: call.id, digest, decision: "approve", ...(edited && { input: call.input }) }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Whether a saved value is a {@link WaitingChild}; its pending calls are left to be checked. */
export function isWaitingChild(value: unknown): value is WaitingChild {
  if (!isObject(value)) return false
  const { call, tool, agent, pending, state } = value as { readonly [K in keyof WaitingChild]?: unknown }
  const isCall = isObject(call) && "id" in call && typeof call.id === "string" && "input" in call
  return isCall && typeof tool === "string" && typeof agent === "string" && Array.isArray(pending) && isObject(state)
}
