import {
  isThenable,
  type Approval,
  hasBlocks,
  type Msg,
  type Resume,
  type ToolResultBlock,
  type ToolUseBlock,
  toolResult,
  toolResultMsg,
  toolResultsOf,
  toolUsesOf,
} from "@agentscope-ts/message"
import { checkApprovalPolicy, pendingOf } from "@agentscope-ts/tool"
import { Acting } from "../acting/acting.ts"
import { agentError } from "../agent-error.ts"
import { checkAnswers } from "../base/agent-input.ts"
import type { ReplyWork } from "../react/reply-work.ts"
import { interruptedResult, type OpenCall, openCalls, stillWaiting, unknownResult, type WaitingRound } from "./round.ts"
import { answersFor } from "../sub-agents/waiting-child.ts"

/**
 * Takes up the conversation: answers to pending calls are worked off, what is left open is closed where something new was
 * said, and the new messages enter memory. A message that comes back ends the reply: calls still wait.
 */
export async function takeUp(work: ReplyWork, given: readonly Msg[]): Promise<Msg | undefined> {
  const { conversation, run, agent, settings } = work
  const messages = settings.session ? settings.session.takeUp(work, given) : given
  const said = messages.filter(({ role }) => role !== "tool")
  const answers = answersOf(messages, run.resume)
  await dropForgotten(work)
  if (answers) {
    checkAnswers(`ReActAgent "${agent.name}"`, conversation.round?.pending ?? [], answers)
    checkApprovalPolicy({ allow: rulesOf(answers.approvals) })
    const ending = conversation.round && (await answer(work, conversation.round, answers))
    if (ending) return ending
    work.goesOn = said.length === 0
  }
  const { round } = conversation
  // none is left where the state was saved while the last ones were under way
  if (round && round.pending.length > 0 && said.length === 0) return work.waiting(round)
  if (round) await closeRound(work, round)
  else if (!answers) await closeLoaded(work, said.length === 0)
  if (work.cutOff && said.length === 0) work.goesOn = true
  await work.join()
  if (!answers && said.length > 0 && said.every(isBlank)) await needSomething(work)
  for (const msg of said) await work.remember(msg)
  return undefined
}

/** A text of a person that says nothing; an agent in a pipeline may well be silent. */
const isBlank = ({ role, content }: Msg): boolean =>
  role === "user" && content.every((block) => block.type === "text" && block.text.trim() === "")

/** An empty text is no conversation: throws `invalid_argument` where nothing was ever said. */
async function needSomething({ agent }: ReplyWork): Promise<void> {
  const got = agent.memory.get()
  if ((isThenable(got) ? await got : got).length > 0) return
  throw agentError(
    "invalid_argument",
    `ReActAgent "${agent.name}": there is nothing to answer: give a text or a message. Its memory is empty, too.`,
  )
}

/** `tool` messages count as results. */
function answersOf(messages: readonly Msg[], resume: Resume | undefined): Resume | undefined {
  const told = messages.flatMap((msg) => (msg.role === "tool" ? toolResultsOf(msg) : []))
  if (told.length === 0) return resume
  return { ...resume, results: [...(resume?.results ?? []), ...told] }
}

const rulesOf = (approvals: readonly Approval[] = []): readonly string[] =>
  approvals.flatMap(({ decision, remember }) => (decision === "approve" ? (remember ?? []) : []))

/** Works the answers off; a message that comes back ends the reply. */
async function answer(work: ReplyWork, round: WaitingRound, answers: Resume): Promise<Msg | undefined> {
  const { conversation } = work
  const acting = new Acting(work)
  const answered: ToolUseBlock[] = []
  const left: OpenCall[] = []
  for (const open of openCalls(round)) {
    const toolUse = startAnswered(acting, open, answers)
    if (toolUse) answered.push(toolUse)
    else left.push(open)
  }
  conversation.round = underWay(round, answered, left, answers)
  const results = await acting.finish(answered)
  const byId = new Map(results.map((result) => [result.id, result]))
  // a call whose tool has changed is asked about again: what was said of the old one is no rule for the new one; and what was
  // said of a sub-agent's calls is a rule of its own
  const taken = answers.approvals?.filter(({ toolUseId }) => {
    const result = byId.get(toolUseId)
    return result && pendingOf(result)?.kind !== "approval"
  })
  remember(work, rulesOf(taken))
  conversation.round = undefined
  // its call was refused before it got the answers
  for (const { call, child } of openCalls(round)) {
    const result = child && byId.get(call.id)
    if (result && result.state !== "suspended") await conversation.subAgents?.close(call.id, child)
  }
  const calls = toolUsesOf(round.message)
  const all = calls.map((call, i) => {
    const result = round.results[i] ?? byId.get(call.id) ?? waitingResult(left, call)
    return result.name === call.name ? result : { ...result, name: call.name }
  })
  if (work.run.stopped) return work.cut(undefined, await work.close(calls, all))
  if (work.suspend(round.message, all) === undefined) await work.close(calls, all)
  return undefined
}

/** Begins what the answers say of an open call; `undefined` when they say nothing of it. */
function startAnswered(acting: Acting, { pending, child }: OpenCall, answers: Resume): ToolUseBlock | undefined {
  if (child) {
    const told = answersFor(child, pending, answers)
    if (told) acting.goOn({ child, answers: told, isTaken: false })
    return told && child.call
  }
  const [waiting] = pending
  if (waiting === undefined) return undefined
  const { toolUse, kind } = waiting
  const result = answers.results?.find(({ id }) => id === toolUse.id)
  const approval = answers.approvals?.find(({ toolUseId }) => toolUseId === toolUse.id)
  if (result) acting.give(toolUse, result)
  else if (approval && kind === "external") acting.give(toolUse, refused(toolUse, approval))
  else if (approval) acting.start(toolUse, approval)
  else return undefined
  return toolUse
}

/** The result of a call that was not answered, as it was. */
function waitingResult(open: readonly OpenCall[], call: ToolUseBlock): ToolResultBlock {
  const waiting = open.find((each) => each.call.id === call.id)
  return waiting ? stillWaiting(waiting) : interruptedResult(call)
}

/** Keeps rules for the tools as they are now; one that is remembered again is kept as the newer. */
function remember(work: ReplyWork, rules: readonly string[]): void {
  if (rules.length === 0) return
  const known = new Map(work.conversation.rules.map((rule) => [rule.rule, rule]))
  for (const rule of rules) known.set(rule, work.agent.toolkit.remembered(rule))
  work.changeRules([...known.values()])
}

/** The round as it is saved while answers are worked off. */
function underWay(
  { message, results: before }: WaitingRound,
  answered: readonly ToolUseBlock[],
  left: readonly OpenCall[],
  { results = [] }: Resume,
): WaitingRound {
  const children = left.flatMap(({ child }) => child ?? [])
  const under = new Set(answered.map(({ id }) => id))
  return {
    message,
    results: toolUsesOf(message).map((call, i) =>
      under.has(call.id) ? (results.find(({ id }) => id === call.id) ?? unknownResult(call)) : (before[i] ?? null),
    ),
    pending: left.flatMap(({ pending }) => pending),
    ...(children.length > 0 && { children }),
  }
}

/** Calls whose message was deleted from the memory wait no longer: there is nothing that a result could be for. */
async function dropForgotten({ conversation, agent }: ReplyWork): Promise<void> {
  const { round } = conversation
  if (round === undefined) return
  const got = agent.memory.get()
  const ids = new Set(toolUsesOf(round.message).map(({ id }) => id))
  const isThere = (msg: Msg) => msg.id === round.message.id || toolUsesOf(msg).some(({ id }) => ids.has(id))
  if ((isThenable(got) ? await got : got).some(isThere)) return
  conversation.round = undefined
  for (const { call, child } of openCalls(round)) await conversation.subAgents?.close(call.id, child)
}

function refused(toolUse: ToolUseBlock, { reason }: Approval): ToolResultBlock {
  return toolResult(toolUse, `There will be no result: ${reason ?? "the person asked said no"}.`, { state: "denied" })
}

/** Something new was said, or the run was stopped: what waits is closed as interrupted. */
export async function closeRound(work: ReplyWork, round: WaitingRound): Promise<void> {
  work.conversation.round = undefined
  const calls = toolUsesOf(round.message)
  const open = openCalls(round)
  await work.close(
    calls,
    calls.map((call, i) => round.results[i] ?? work.settings.session?.resultOf(call) ?? waitingResult(open, call)),
  )
}

/**
 * A history that was saved in the middle of a round ends with calls that nobody answers any more. A session knows what became
 * of them, and a reply that was cut off goes on with them.
 */
async function closeLoaded(work: ReplyWork, nothingSaid: boolean): Promise<void> {
  const got = work.agent.memory.get()
  const last = (isThenable(got) ? await got : got).at(-1)
  if (last?.role !== "assistant" || !hasBlocks(last, "tool_use")) return
  if (work.cutOff && nothingSaid) {
    work.openRound = last
    return
  }
  const { session } = work.settings
  await work.remember(toolResultMsg(toolUsesOf(last).map((call) => session?.resultOf(call) ?? interruptedResult(call))))
}
