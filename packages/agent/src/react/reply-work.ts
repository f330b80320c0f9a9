import {
  type ChatUsage,
  createMsg,
  type FinishReason,
  type Msg,
  type ToolResultBlock,
  toolResultMsg,
  type ToolUseBlock,
} from "@agentscope-ts/message"
import type { ChatRequest } from "@agentscope-ts/model"
import {
  type ApprovalPolicy,
  type ContextEntry,
  contextKey,
  type RememberedRule,
  type Toolkit,
  type ToolState,
} from "@agentscope-ts/tool"
import type { ActingTerms } from "../acting/acting.ts"
import { type Run, Stopped } from "../base/agent-run.ts"
import { InputEstimate } from "../budget/input-estimate.ts"
import { ModelCall } from "../budget/model-call.ts"
import { Purse } from "../budget/purse.ts"
import type { ReplyPart } from "./reply-part.ts"
import type { ReActAgent } from "./react-agent.ts"
import type { Conversation } from "./conversation.ts"
import type { ReActSettings } from "./react-settings.ts"
import { interruptedResult, type WaitingRound, waitingRound } from "../waiting/round.ts"
import { StructuredReply } from "./structured-reply.ts"
import { childOf } from "../sub-agents/waiting-child.ts"

/** For agents without parts: a list made for each question would be garbage in every round. */
const noParts: readonly ReplyPart[] = []

/** The run that a tool was called in: how an agent behind a tool finds the stream its events go into. */
export const runKey = contextKey<Run | null>("agentscope.run", null)

/** What the parts of one reply of a ReActAgent share: the agent's inside, the run, and the ways a reply ends. */
export class ReplyWork {
  readonly agent: ReActAgent
  readonly run: Run
  readonly settings: ReActSettings
  readonly conversation: Conversation
  readonly toolkit: Toolkit | undefined
  /** The agent's own tool groups; `undefined` as long as it has changed none. */
  toolState: ToolState | undefined
  /** Whether it goes on where an earlier reply waited for somebody, with nothing new said. */
  goesOn = false
  /** Whether it goes on with a reply that was cut off with its process. */
  cutOff = false
  /** The message of that one whose calls have no results yet; it is in memory. */
  openRound: Msg | undefined
  readonly structured: StructuredReply | undefined
  /** What the reply may spend; `undefined` where nothing is limited. */
  readonly purse: Purse | undefined
  /** What the provider reported of the last model call. */
  lastUsage: ChatUsage | undefined
  #terms: ActingTerms | undefined

  constructor(
    agent: ReActAgent,
    run: Run,
    inside: Pick<ReplyWork, "settings" | "conversation" | "toolkit" | "toolState">,
  ) {
    this.agent = agent
    this.run = run
    this.settings = inside.settings
    this.conversation = inside.conversation
    this.toolkit = inside.toolkit
    this.toolState = inside.toolState
    const { schema, budget } = run.options
    this.structured = schema && new StructuredReply(schema)
    this.purse = Purse.of(inside.settings.budget, budget, run.inherited)
    run.purse = this.purse
  }

  /** Whether the calls of a round may run side by side. */
  get parallel(): boolean {
    return this.settings.parallelToolCalls ?? this.toolkit?.parallel ?? true
  }

  /** What may run: the operator's policy and the rules that a person said to remember. */
  get policy(): ApprovalPolicy | undefined {
    return this.conversation.policy(this.settings.approval)
  }

  /** Takes other rules that a person said to remember: they hold from the next call on. */
  changeRules(rules: readonly RememberedRule[]): void {
    this.conversation.rules = rules
    this.#terms = undefined
  }

  /** On what terms tool calls are executed: made for the first of them. */
  get terms(): ActingTerms {
    this.#terms ??= this.#makeTerms()
    return this.#terms
  }

  #makeTerms(): ActingTerms {
    const { agent, run, settings, structured, parallel, policy: approval } = this
    const { toolState: state, id, name } = agent
    this.toolState = state
    const own: readonly (ContextEntry | object)[] = settings.context ?? []
    const given = run.options.context ?? []
    // what was given with the call comes before what the agent has, and that before what the one that asks has
    run.context = run.parent ? [...own, ...given] : [...given, ...own]
    return {
      agent,
      run,
      structured,
      parallel,
      options: {
        state,
        signal: run.signal,
        context: [...run.context, runKey.of(run)],
        approval,
        agent: { id, name },
        parent: run.span,
        ...settings.session?.termsOf(this),
      },
    }
  }

  // ---- tools

  /** The toolkit that has the tool of this name: the agent's own tools come first. */
  toolkitOf(name: string): Toolkit {
    const own = this.settings.own?.toolkit
    return own?.get(name) ? own : this.agent.toolkit
  }

  /**
   * Whether a call may start while the model still speaks: nobody has a say in it, and, as what was not said to its end is asked
   * for anew after a kill, it has no effects where there is a session, and changes nothing that is saved.
   */
  mayStartEarly(name: string): boolean {
    const toolkit = this.toolkitOf(name)
    if (toolkit.mayAsk(name, this.policy)) return false
    if (this.settings.session === undefined) return true
    return toolkit.get(name)?.effects === "none" && !this.changesAgent(name)
  }

  /** Whether a tool changes what is saved with the agent, such as its plan: its calls run in order. */
  changesAgent(name: string): boolean {
    return this.settings.own?.toolkit.get(name)?.concurrencySafe === false
  }

  // ---- parts

  /** The input is in memory: nothing was asked of a model yet. */
  async begin(messages: readonly Msg[]): Promise<void> {
    for (const part of this.settings.parts ?? noParts) await part.begin?.(this, messages)
  }

  /** Before a model call. */
  async prepare(): Promise<void> {
    for (const part of this.settings.parts ?? noParts) await part.prepare?.(this)
  }

  /** What parts have to say in the next request. */
  async hints(): Promise<readonly Msg[]> {
    const hints: Msg[] = []
    for (const part of this.settings.parts ?? noParts) {
      const hint = await part.hint?.(this)
      if (hint) hints.push(hint)
    }
    return hints
  }

  /** Parts put in what belongs into every request. */
  show(messages: Msg[]): void {
    for (const part of this.settings.parts ?? noParts) part.show?.(this, messages)
  }

  /** Whether a part has made the history shorter because the request was too long. */
  async fit(request: ChatRequest): Promise<boolean> {
    let changed = false
    for (const part of this.settings.parts ?? noParts) if (await part.fit?.(this, request)) changed = true
    return changed
  }

  /** Whether a part has made the history shorter. */
  async overflow(error: unknown): Promise<boolean> {
    for (const part of this.settings.parts ?? noParts) if (await part.overflow?.(this, error)) return true
    return false
  }

  /** The reply is settled, or the run was stopped or failed. */
  async end(reply: Msg | undefined): Promise<void> {
    for (const part of this.settings.parts ?? noParts) await part.end?.(this, reply)
  }

  // ---- memory

  async remember(msg: Msg): Promise<void> {
    const adding = this.agent.memory.add(msg)
    if (adding) await adding
    this.run.emit({ type: "message", msg })
    for (const part of this.settings.parts ?? noParts) await part.remembered?.(this, msg)
  }

  /** Puts what came while a round was open into memory. */
  async join(): Promise<void> {
    const { conversation, run } = this
    const observed = conversation.inbox
    if (observed === undefined && !run.hasSteered) return
    for (const msg of observed ?? []) {
      await this.remember(msg)
      // each is in one place or the other, whenever the state is saved
      const left = conversation.inbox?.slice(1)
      conversation.inbox = left && left.length > 0 ? left : undefined
    }
    for (const msg of run.takeSteered()) await this.remember(msg)
  }

  /** At the end of the work nothing that was said meanwhile is lost: it enters memory, or waits with the round that waits. */
  async leave(): Promise<void> {
    const { conversation, run } = this
    if (conversation.round === undefined) return this.join()
    if (run.hasSteered) conversation.inbox = [...(conversation.inbox ?? []), ...run.takeSteered()]
  }

  /** The results of a whole round enter memory, in call order. What waits when the run is stopped is closed. */
  async close(calls: readonly ToolUseBlock[], results: readonly ToolResultBlock[]): Promise<readonly ToolUseBlock[]> {
    const closed: ToolUseBlock[] = []
    const { subAgents } = this.conversation
    if (subAgents) await Promise.all(results.map((result) => subAgents.close(result.id, childOf(result))))
    const final = results.map((result, i) => {
      const call = calls[i] as ToolUseBlock
      if (result.state === "interrupted") closed.push(call)
      if (result.state !== "suspended") return result
      closed.push(call)
      const cut = interruptedResult(call)
      this.run.emit({ type: "tool_result", toolUse: call, result: cut })
      return cut
    })
    await this.remember(toolResultMsg(final))
    return closed
  }

  // ---- endings

  /** The next model call within what may be spent; `undefined` where nothing is limited. */
  modelCall(): ModelCall | undefined {
    const { purse, agent, conversation, run } = this
    return purse && new ModelCall(purse, agent.model, (conversation.input ??= new InputEstimate()), run)
  }

  /** The first limit that keeps the model from being called. */
  overBudget(): string | undefined {
    return this.purse?.reached("model")
  }

  /** Ends with a message; from here on the run can be neither steered nor interrupted. */
  async finish(msg: Msg): Promise<Msg> {
    this.run.closing = true
    await this.remember(msg)
    return msg
  }

  /** Ends with words of the agent's own. */
  say(text: string, finishReason: FinishReason): Promise<Msg> {
    return this.finish(createMsg({ name: this.agent.name, role: "assistant", content: text, finishReason }))
  }

  /** Ends a stopped run: in words when a budget stopped it, else by leaving it to whoever stopped it. */
  cut(partial?: Msg, closed: readonly ToolUseBlock[] = []): Promise<Msg> {
    const { stopped } = this.run
    if (stopped?.kind === "budget") return this.say(stopped.text, "budget_exceeded")
    throw new Stopped(partial, closed)
  }

  /** Keeps a round in which calls wait for somebody; `undefined` when none does. */
  suspend(message: Msg, results: readonly ToolResultBlock[]): WaitingRound | undefined {
    const round = waitingRound(this.agent.name, message, results)
    if (round === undefined) return undefined
    this.conversation.round = round
    const { told } = this.run
    for (const pending of round.pending) {
      if (!told?.has(pending.toolUse.id)) this.run.emit({ type: "pending", pending })
    }
    return round
  }

  /** The reply of a round that waits: the message with the calls. It is in memory already. */
  waiting({ message, pending }: WaitingRound): Msg {
    this.run.closing = true
    this.run.pending = pending
    const asks = pending.some(({ kind }) => kind === "approval")
    return { ...message, finishReason: asks ? "approval_required" : "tool_suspended" }
  }
}
