import { type Approval, describeValue, type Msg, type PendingCall, type Resume, userMsg } from "@agentscope-ts/message"
import { checkBlocks, checkMessage } from "@agentscope-ts/model"
import { agentError } from "../agent-error.ts"
import type { AgentInput } from "./agent-run.ts"

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Whether an input is answers to pending calls; an empty object is no answer yet to any of them. */
export const isResume = (input: unknown): input is Resume =>
  isObject(input) &&
  !Array.isArray(input) &&
  !("role" in input) &&
  ("results" in input || "approvals" in input || Object.keys(input).length === 0)

/** An input as messages; `where` begins the error. @throws AgentScopeError `invalid_argument` for anything that is none. */
export function messagesOf(where: string, input: AgentInput | undefined): readonly Msg[] {
  if (input === undefined) return []
  if (typeof input === "string") return [userMsg(input)]
  const messages: readonly unknown[] = Array.isArray(input) ? input : [input]
  const other = messages.find((msg) => !isObject(msg) || !("role" in msg) || !("content" in msg))
  if (other !== undefined || messages.includes(undefined)) {
    throw agentError(
      "invalid_argument",
      `${where}: an input is text, a message, a list of messages, or { results, approvals }, not ${describeValue(other)}.${answerHint(other)}`,
    )
  }
  // in memory it would spoil every request to come
  fitting(where, () => messages.forEach(checkMessage))
  return messages as readonly Msg[]
}

/** The messages of what a hook returned. Throws for what is none: left out, they would be lost without a word. */
export function hookMessages(messages: unknown): readonly Msg[] {
  if (!Array.isArray(messages)) {
    throw agentError("invalid_argument", `messages must be a list of messages, not ${describeValue(messages)}.`)
  }
  messages.forEach(checkMessage)
  return messages as readonly Msg[]
}

/** How answers to calls are given, to whoever gave them alone. */
function answerHint(other: unknown): string {
  const { type, toolUseId } = (isObject(other) ? other : {}) as Partial<Record<string, unknown>>
  if (type === "tool_result") return " A Resume is { results, approvals }: give { results: [toolResult(…)] }."
  if (toolUseId !== undefined) return " A Resume is { results, approvals }: give { approvals: [approve(…)] }."
  return ""
}

/** What is said while a reply is worked on. @throws AgentScopeError `invalid_argument` for anything that is no message. */
export function messageOf(where: string, said: string | Msg): Msg {
  const [msg] = messagesOf(where, typeof said === "string" ? said : [said])
  return msg as Msg
}

/** Runs a check of data; what it throws is `invalid_argument`. */
export function fitting(where: string, check: () => void): void {
  try {
    check()
  } catch (cause) {
    throw agentError("invalid_argument", `${where}: ${(cause as Error).message}`, { cause })
  }
}

const states: readonly unknown[] = ["success", "error", "interrupted", "denied"]

/** Refuses answers that are none: they mostly come from another program. */
function checkShape(where: string, { results = [], approvals = [] }: Resume): void {
  const wrong = (what: string) => agentError("invalid_argument", `${where}: ${what}`)
  if (!Array.isArray(results) || !Array.isArray(approvals)) throw wrong("results and approvals are lists.")
  for (const result of results as readonly unknown[]) {
    const { type, id, output, state } = (isObject(result) ? result : {}) as Partial<Record<string, unknown>>
    if (type !== "tool_result" || typeof id !== "string" || !Array.isArray(output) || !states.includes(state)) {
      throw wrong(
        "each of the results must be a tool result with an output and a final state: make it with toolResult.",
      )
    }
  }
  fitting(where, () => checkBlocks(results, "results"))
  for (const approval of approvals as readonly unknown[]) {
    const { toolUseId, decision, input, reason, remember } = (isObject(approval) ? approval : {}) as Partial<Approval>
    const isInput = input === undefined || (isObject(input) && !Array.isArray(input))
    const isRules =
      remember === undefined || (Array.isArray(remember) && remember.every((rule) => typeof rule === "string"))
    const isDecision =
      ["approve", "deny"].includes(decision as string) && ["string", "undefined"].includes(typeof reason)
    if (typeof toolUseId !== "string" || !isDecision || !isInput || !isRules) {
      throw wrong("each of the approvals must be a decision about one call: make it with approve or deny.")
    }
  }
}

/**
 * Refuses answers that do not fit the pending calls one to one.
 * @throws AgentScopeError `unknown_pending` for an id that does not wait, one given twice, an approval of another input, or
 * an answer of the wrong kind; `invalid_argument` for what is no answer at all.
 */
export function checkAnswers(where: string, pending: readonly PendingCall[], answers: Resume): void {
  checkShape(where, answers)
  const { results, approvals } = answers
  const open = new Map(pending.map((call) => [call.toolUse.id, call]))
  const take = (id: string): PendingCall => {
    const call = open.get(id)
    if (call) {
      open.delete(id)
      return call
    }
    if (pending.some(({ toolUse }) => toolUse.id === id)) throw unknown(where, `the call "${id}" is answered twice.`)
    const waiting = pending.map(({ toolUse }) => `"${toolUse.id}" (${toolUse.name})`).join(", ") || "none"
    throw unknown(where, `no call "${id}" waits for an answer. Waiting: ${waiting}.`)
  }
  for (const result of results ?? []) {
    const call = take(result.id)
    if (call.kind === "approval") {
      throw unknown(
        where,
        `the call "${result.id}" waits for an approval, not for a result: answer with approve or deny.`,
      )
    }
  }
  for (const { toolUseId, digest, decision } of approvals ?? []) {
    const call = take(toolUseId)
    if (call.digest !== digest) {
      throw unknown(where, `the approval of "${toolUseId}" was given for another input than the one that waits.`)
    }
    if (call.kind === "external" && decision === "approve") {
      throw unknown(where, `the call "${toolUseId}" waits for a result, not for an approval: answer with toolResult.`)
    }
  }
}

const unknown = (where: string, message: string) => agentError("unknown_pending", `${where}: ${message}`)
