import {
  AgentScopeError,
  type AgentEvent,
  addUsage,
  type ChatUsage,
  type EventBase,
  EventQueue,
  errorJson,
  type Msg,
  newId,
  type PendingCall,
  type Reply,
  type Resume,
  type Schema,
  type ToolUseBlock,
  untilAbort,
} from "@agentscope-ts/message"
import type { Span } from "@agentscope-ts/tracing"
import type { ContextValues } from "@agentscope-ts/tool"
import { agentError } from "../agent-error.ts"
import { messageOf } from "./agent-input.ts"
import { amountsOf, type Budget, type BudgetLimits } from "../budget/budget.ts"
import type { Printing } from "../printing/printing.ts"
import { Purse } from "../budget/purse.ts"
import type { SubAgents } from "../sub-agents/sub-agents.ts"

/** What an agent can be asked: text, a message, or several. */
export type AgentInput = string | Msg | readonly Msg[]

/**
 * Options of one reply. `signal` gives up: the promise rejects with its reason. `context` holds values for tools, over those
 * of the agent. `budget` limits this reply, beside the agent's own.
 */
export interface ReplyOptions {
  signal?: AbortSignal | undefined
  context?: ContextValues | undefined
  budget?: BudgetLimits | Budget | undefined
}
/** {@link ReplyOptions} with the schema that the reply's `structured` must fit. */
export type ReplyOptionsWithSchema = ReplyOptions & { schema?: Schema | undefined }

/** A reply in the making: iterate its events, or await `reply`. It runs whether or not somebody looks. One consumer. */
export interface AgentRun<T = undefined> extends AsyncIterable<AgentEvent> {
  /** The finished reply. */
  readonly reply: Promise<Reply<T>>
  /** Ends the turn well: what was said is kept, open calls are closed. False when it is over already. */
  interrupt(msg?: string | Msg): boolean
  /** Adds a message before the next model call. False when it is over already. */
  steer(msg: string | Msg): boolean
}

type WithoutBase<E> = E extends AgentEvent ? Omit<E, keyof EventBase> : never
/** An event without what every event has: the run adds that. */
export type AgentEventInit = WithoutBase<AgentEvent>

/** What an agent's `run` gets beside the messages. */
export interface RunContext {
  readonly replyId: string
  /** Aborts when the reply is interrupted or given up. Once it has, what `run` still returns is ignored. */
  readonly signal: AbortSignal
  readonly options: ReplyOptionsWithSchema
  /** Answers to pending calls, when that is what the reply was asked with. */
  readonly resume: Resume | undefined
  emit(event: AgentEventInit): void
  /** Counts a model call's usage into the reply's, and into its budgets. */
  addUsage(usage: ChatUsage): void
  /** The messages that were steered in since the last call; ask before each model call. */
  takeSteered(): readonly Msg[]
}

/** Why a run stops before its end. */
export type Stop =
  | { readonly kind: "interrupt"; readonly by: Msg | undefined }
  | { readonly kind: "signal" | "failure"; readonly reason: unknown }
  | { readonly kind: "budget"; readonly text: string }

/** Thrown inside a run to leave it once it is stopped; carries what `handleInterrupt` is told. */
export class Stopped extends AgentScopeError<"aborted"> {
  readonly partial: Msg | undefined
  readonly closed: readonly ToolUseBlock[]

  constructor(partial?: Msg, closed: readonly ToolUseBlock[] = []) {
    super({ code: "aborted", message: "The reply was stopped." })
    this.partial = partial
    this.closed = closed
  }
}

type Listener = (event: AgentEvent) => void

/** Stands by while an agent answers the tool of another: told when its turn comes, and of its reply before the turn passes. */
export interface Visit {
  onTurn(): void
  onReply(): void
}

/** What a conversation keeps of the agents that it asked. */
export interface Home {
  subAgents: SubAgents | undefined
}

const noop = (): void => {}
const atTop: readonly string[] = []
const nonePending: readonly PendingCall[] = []

/** One reply from its start to its end: what the agent works with, and what the caller of `stream` holds. */
export class Run implements RunContext, AgentRun<unknown> {
  readonly replyId = newId()
  readonly agentName: string
  readonly path: readonly string[]
  /** The span that this run's spans go under. */
  span: Span | undefined
  options: ReplyOptionsWithSchema
  readonly input: AgentInput | Resume | undefined
  resume: Resume | undefined
  /** Whoever hears the events; `undefined`: no event is made. */
  listener: Listener | undefined
  stopped: Stop | undefined
  /** The answer is settled: too late to interrupt or steer. */
  closing = false
  /** The agent cleans up by itself when stopped, and is waited for. */
  selfClosing = false
  pending: readonly PendingCall[] = nonePending
  printing: Printing | undefined
  /** The pools of the reply that asked for this one: what is spent here counts there, too. Set it before the run begins. */
  inherited: readonly Budget[] | undefined
  /** All the pools that this reply spends from; `undefined` where there is none. */
  purse: Purse | undefined
  #usage: ChatUsage | undefined
  #steered: Msg[] | undefined
  /** The run whose tool asked for this one. */
  readonly parent: Run | undefined
  /** Who stands by while an agent works for another's tool. */
  visit: Visit | undefined
  /** The conversation that this run belongs to, where it can ask sub-agents: they are kept with it. */
  home: Home | undefined
  /** The values that tools of this run get, for those of the agents that it asks. */
  context: ContextValues | undefined
  /** The replies of sub-agents that are under way: they end before this one does. */
  asked: Set<Promise<unknown>> | undefined
  /** At the top of all: whose calls wait until which agent is free. */
  waits: Set<{ readonly asker: Run; readonly agent: object }> | undefined
  /** The waiting calls of sub-agents that were told as events. */
  told: Set<string> | undefined
  readonly #root: Run
  #seq = 0
  readonly #controller = new AbortController()
  #queue: EventQueue<AgentEvent> | undefined
  #promise: Promise<Reply<unknown>> | undefined
  #left = false
  #replyRead = false
  /** Gives up waiting for what comes after the answer; there while somebody waits. */
  #leaveOff: ((reason: unknown) => void) | undefined

  /** `parent` is the run whose tool asked for this one; `forward` hands the events on to it. */
  constructor(
    agentName: string,
    input: AgentInput | Resume | undefined,
    options: ReplyOptionsWithSchema | undefined,
    parent?: Run,
    forward?: Listener,
  ) {
    this.agentName = agentName
    this.input = input
    this.options = options ?? {}
    this.path = parent ? [...parent.path, parent.agentName] : atTop
    this.parent = parent
    this.#root = parent && forward ? parent.#root : this
    if (parent?.listener && forward) this.listen(forward)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  // ---- events

  /** Adds somebody who hears every event. */
  listen(listener: Listener): void {
    const before = this.listener
    this.listener = before
      ? (event) => {
          before(event)
          listener(event)
        }
      : listener
  }

  nextSeq(): number {
    return this.#root.#seq++
  }

  emit(event: AgentEventInit): void {
    this.listener?.({
      ...event,
      replyId: this.replyId,
      agent: this.agentName,
      path: this.path,
      seq: this.nextSeq(),
    })
  }

  /** After it there is no event: what a tool, a custom agent or a listener still says is too late. */
  #emitLast(event: AgentEventInit): void {
    const { listener, replyId, agentName: agent, path } = this
    this.listener = undefined
    listener?.({ ...event, replyId, agent, path, seq: this.nextSeq() })
  }

  warn(code: string, message: string): void {
    this.emit({ type: "warning", code, message })
  }

  /** Somebody who listens has failed, and nobody else is harmed. Where nobody reads the stream the runtime is told. */
  listenerFailed(what: string, error: unknown): void {
    const message = `${what} failed, and the reply goes on: ${errorJson(error).message}`
    this.warn("listener_failed", message)
    if (this.listener === undefined || !this.#root.#queue) warnRuntime(message)
  }

  // ---- steering and stopping

  steer(msg: string | Msg): boolean {
    const said = messageOf(`Agent "${this.agentName}"`, msg)
    if (this.closing || this.stopped) return false
    const steered = (this.#steered ??= [])
    steered.push(said)
    return true
  }

  takeSteered(): readonly Msg[] {
    const taken = this.#steered
    this.#steered = undefined
    return taken ?? []
  }

  get hasSteered(): boolean {
    return this.#steered !== undefined
  }

  interrupt(msg?: string | Msg): boolean {
    return this.stop({ kind: "interrupt", by: msg === undefined ? msg : messageOf(`Agent "${this.agentName}"`, msg) })
  }

  /** Stops what is going on. False when it is over or stopped already; a signal or a failure comes before an interrupt. */
  stop(stop: Stop): boolean {
    if (this.closing) return this.#stopLate(stop)
    const final = stop.kind === "signal" || stop.kind === "failure"
    const before = this.stopped
    if (before && (!final || before.kind === "signal" || before.kind === "failure")) return false
    this.stopped = stop
    if (!before) this.#controller.abort("reason" in stop ? stop.reason : agentError("aborted", stopText(stop)))
    return true
  }

  /** The answer is there, and stays: what follows it is no longer waited for. False when nothing is. */
  #stopLate(stop: Stop): boolean {
    const leaveOff = this.#leaveOff
    if (leaveOff === undefined || (stop.kind !== "interrupt" && stop.kind !== "signal")) return false
    this.#leaveOff = undefined
    this.stopped = stop
    leaveOff(stop.kind === "signal" ? stop.reason : new Stopped())
    return true
  }

  /**
   * Waits for what comes after the answer: hooks, listeners, printing. Rejects with {@link Stopped} when the run is
   * interrupted meanwhile, with the signal's reason when it is given up.
   */
  async whileClosing<T>(work: PromiseLike<T>): Promise<T> {
    const { signal } = this.options
    if (signal?.aborted) throw signal.reason
    const over = Promise.withResolvers<never>()
    this.#leaveOff = over.reject
    try {
      return await Promise.race([work, over.promise])
    } finally {
      this.#leaveOff = undefined
    }
  }

  /** Waits for somebody else's promise, but no longer than until the run is stopped. */
  whileRunning<T>(work: PromiseLike<T>): Promise<T> {
    return untilAbort(work, this.signal, () => new Stopped())
  }

  // ---- usage

  /** The sum over all model calls; absent as long as none reported any. */
  get usage(): ChatUsage | undefined {
    return this.#usage
  }

  addUsage(usage: ChatUsage): void {
    this.sumUsage(usage)
    this.purse ??= Purse.of(this.options.budget, this.inherited)
    this.purse?.spend(amountsOf(usage))
  }

  /** The same, for a call that was counted into the budgets before it was made. */
  sumUsage(usage: ChatUsage): void {
    this.#usage = this.#usage ? addUsage(this.#usage, usage) : usage
  }

  // ---- the caller's side

  /** Lets the run be iterated: called before it begins. */
  open(): void {
    const queue = new EventQueue<AgentEvent>(() => {
      this.#left = true
      this.interrupt()
      // who leaves may ask for the next reply at once: this one is over by then, however it ended
      return this.#promise?.then(noop, noop)
    })
    this.#queue = queue
    this.listen((event) => queue.push(event))
  }

  /** Takes the promise of the reply, which settles by itself. */
  promise(reply: Promise<Reply<unknown>>): this {
    this.#promise = reply
    return this
  }

  get reply(): Promise<Reply<unknown>> {
    this.#replyRead = true
    return this.#promise as Promise<Reply<unknown>>
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    // who iterates is told of a failure by the iterator
    this.#promise?.catch(noop)
    return this.#queue as EventQueue<AgentEvent>
  }

  end(reply: Reply<unknown>): void {
    this.closing = true
    this.#emitLast({ type: "reply_end", reply })
    this.#queue?.end()
  }

  fail(error: unknown): void {
    this.closing = true
    this.#emitLast({ type: "error", error: errorJson(error) })
    this.#queue?.fail(error)
    // the consumer has gone, and does not ask for the promise after that either: the failure must still be seen
    if (this.#left) setTimeout(() => void (this.#replyRead || raise(error)))
  }
}

function warnRuntime(message: string): void {
  const { process, console } = globalThis
  if (process?.emitWarning) process.emitWarning(message, { type: "AgentScopeWarning", code: "listener_failed" })
  else console.warn(message)
}

/** Lets a failure surface as an unhandled rejection. */
async function raise(error: unknown): Promise<never> {
  throw error
}

const stopText = (stop: Stop) => (stop.kind === "budget" ? stop.text : "The reply was interrupted.")
