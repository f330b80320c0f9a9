import {
  type AgentEvent,
  copyOf,
  describeValue,
  type InferOutput,
  type Msg,
  newId,
  type PendingCall,
  type Reply,
  type Resume,
  type Schema,
  type ToolUseBlock,
} from "@agentscope-ts/message"
import { StateModule } from "@agentscope-ts/state"
import { agentError } from "../agent-error.ts"
import { hookMessages, messagesOf } from "./agent-input.ts"
import {
  type AgentInput,
  type AgentRun,
  type ReplyOptions,
  type ReplyOptionsWithSchema,
  Run,
  type RunContext,
} from "./agent-run.ts"
import {
  checkHook,
  checkHookType,
  type Hook,
  type Hooks,
  type HookPoints,
  type HookTable,
  type HookType,
  hookTable,
  listHooks,
  type NamedHooks,
} from "../hooks/hooks.ts"
import { checkOption } from "../options.ts"
import { type AgentInside, performReply, type ReplyListener, startPrinting } from "./reply-lifecycle.ts"
import { runPost, runPre } from "../hooks/run-hooks.ts"
import { Turns } from "./turns.ts"

/** Options of every agent. */
export interface AgentOptions {
  /** Stands on the agent's messages, events and spans. */
  name: string
  /** Hooks of this instance; more can be registered later. */
  hooks?: Hooks | undefined
  /** Writes what the agent does to the terminal as it happens, or gives each event to a function. Off by default. */
  print?: boolean | ((event: AgentEvent) => void) | undefined
  /** A second `reply` while one is running: refused with `agent_busy` (`throw`, the default), or answered afterwards. */
  whenBusy?: "throw" | "queue" | undefined
}

/**
 * What `handleInterrupt` is told: the messages that the reply was asked with, the message that interrupted, what the model
 * had said of its current message, and the calls that were cut off.
 */
export interface InterruptContext {
  readonly messages: readonly Msg[]
  readonly by?: Msg
  readonly partial?: Msg
  readonly closed: readonly ToolUseBlock[]
}

type Observed = HookPoints["Observe"]["input"]
const observedCopies = {
  input: ({ messages }: Observed): Observed => ({ messages: copyOf(messages) }),
  take: ({ messages }: Observed): Observed => ({ messages: hookMessages(messages) }),
}
const heardCopies = {
  input: observedCopies.input,
  output: (): undefined => undefined,
  take: (output: unknown): never => {
    throw agentError("invalid_argument", `${describeValue(output)}, where there is no output.`)
  },
}

const noListeners: readonly ReplyListener[] = []

// doors into AgentBase for this package alone
let insideOf: (agent: AgentBase) => AgentInside
let hooksIn: (agent: AgentBase) => HookTable | undefined
let runIn: (agent: AgentBase) => Run | undefined
let closeIn: (agent: AgentBase) => Promise<void>

/** Runs a reply of an agent that is told as it happens elsewhere. */
export const performRun = (agent: AgentBase, run: Run): Promise<Reply<unknown>> => performReply(insideOf(agent), run)
/** Closes what an idle agent waits for as interrupted: whoever asked it does not go on with it. */
export const closeWaiting = (agent: AgentBase): Promise<void> => closeIn(agent)
/** The hooks of an agent and its class, as they are now. */
export const hooksOf = (agent: AgentBase): HookTable | undefined => hooksIn(agent)
/** The reply that an agent is giving. */
export const currentRun = (agent: AgentBase): Run | undefined => runIn(agent)

/**
 * What all agents share: replies as promises or streams, one at a time; hooks, events, printing; interrupting and steering.
 * A custom agent writes `run`. An instance is one conversation.
 */
export abstract class AgentBase extends StateModule {
  /** Hooks of a class: for it and the classes below it; those of an instance run first. */
  static readonly hooks?: Hooks
  readonly id: string = newId()
  readonly name: string
  readonly #print: AgentOptions["print"]
  readonly #turns: Turns
  #named: NamedHooks | undefined
  #hooks: HookTable | undefined
  #listeners: readonly ReplyListener[] = noListeners

  static {
    // a class, and in here for what is private and protected: a literal of closures and getters took 2 KB a reply
    class Inside implements AgentInside {
      readonly agent: AgentBase
      readonly print: AgentOptions["print"]

      constructor(agent: AgentBase, print: AgentOptions["print"]) {
        this.agent = agent
        this.print = print
      }

      get where() {
        return this.agent.#where
      }

      get turns() {
        return this.agent.#turns
      }

      get hooks() {
        return this.agent.#hooks
      }

      get listeners() {
        return this.agent.#listeners
      }

      beforeUse() {
        return this.agent.beforeUse()
      }

      run(messages: readonly Msg[], context: RunContext) {
        return this.agent.run(messages, context)
      }

      handleInterrupt(context: InterruptContext) {
        return this.agent.handleInterrupt(context)
      }

      remember(messages: readonly Msg[]) {
        return this.agent.remember(messages)
      }
    }
    insideOf = (agent) => new Inside(agent, agent.#print)
    hooksIn = (agent) => agent.#hooks
    runIn = (agent) => agent.#turns.current
    closeIn = (agent) => agent.#closeWaiting()
  }

  constructor(options: AgentOptions) {
    super()
    const { name, hooks, print, whenBusy } = options
    const where = this.constructor.name
    if (typeof name !== "string" || name === "") {
      throw agentError("invalid_argument", `${where}: name must be a text that is not empty.`)
    }
    checkOption(
      where,
      "print",
      print,
      typeof print === "boolean" || typeof print === "function",
      "a boolean or a function",
    )
    checkOption(where, "whenBusy", whenBusy, whenBusy === "throw" || whenBusy === "queue", '"throw" or "queue"')
    this.name = name
    this.#print = print
    this.#turns = new Turns(whenBusy === "queue")
    if (hooks !== undefined) {
      let count = 0
      for (const [type, hook] of listHooks(`${where} "${name}"`, hooks)) this.#addHook(type, `options ${count++}`, hook)
    }
    this.#hooks = hookTable(where, this.#named, this.constructor)
  }

  /**
   * Answers. Without input the agent goes on from its memory; answers to pending calls resume it.
   * @throws AgentScopeError `invalid_argument` for an input that is none, `agent_busy` while it is answering already,
   * `unknown_pending` for answers that fit no waiting call, the model's codes; the signal's reason when the signal aborts.
   */
  reply<const S extends Schema>(
    input: AgentInput | Resume | undefined,
    options: ReplyOptions & { schema: S },
  ): Promise<Reply<InferOutput<S>>>
  reply(input?: AgentInput | Resume, options?: ReplyOptions): Promise<Reply>
  reply(input?: AgentInput | Resume, options?: ReplyOptionsWithSchema): Promise<Reply<unknown>> {
    return performReply(insideOf(this), new Run(this.name, input, options))
  }

  /** The same as {@link AgentBase.reply}, told as it happens. The run begins at once. */
  stream<const S extends Schema>(
    input: AgentInput | Resume | undefined,
    options: ReplyOptions & { schema: S },
  ): AgentRun<InferOutput<S>>
  stream(input?: AgentInput | Resume, options?: ReplyOptions): AgentRun
  stream(input?: AgentInput | Resume, options?: ReplyOptionsWithSchema): AgentRun<unknown> {
    const run = new Run(this.name, input, options)
    run.open()
    return run.promise(performReply(insideOf(this), run))
  }

  /** Goes on with answers to pending calls; the same as `reply(answers)`. */
  resume<const S extends Schema>(answers: Resume, options: ReplyOptions & { schema: S }): Promise<Reply<InferOutput<S>>>
  resume(answers: Resume, options?: ReplyOptions): Promise<Reply>
  resume(answers: Resume, options?: ReplyOptionsWithSchema): Promise<Reply<unknown>> {
    return performReply(insideOf(this), new Run(this.name, answers, options))
  }

  /** Hears messages without answering them. */
  async observe(input: AgentInput): Promise<void> {
    const hooks = this.#hooks
    if (input === undefined) {
      throw agentError("invalid_argument", `${this.#where}: observe needs a text, a message or a list of messages.`)
    }
    let messages = messagesOf(this.#where, input)
    const loading = this.beforeUse()
    if (loading) await loading
    if (hooks?.preObserve) {
      ;({ messages } = await runPre("preObserve", hooks.preObserve, this, { messages }, observedCopies))
    }
    await this.remember(messages)
    if (hooks?.postObserve) {
      await runPost("postObserve", hooks.postObserve, this, { messages }, undefined, heardCopies)
    }
  }

  /** Ends the current reply well; `msg` says why. False when the agent is idle. */
  interrupt(msg?: string | Msg): boolean {
    return this.#turns.current?.interrupt(msg) ?? false
  }

  /** Adds a message to the current reply, before its next model call. False when the agent is idle. */
  steer(msg: string | Msg): boolean {
    return this.#turns.current?.steer(msg) ?? false
  }

  /** The calls that wait for an approval or a result from outside. */
  get pending(): readonly PendingCall[] {
    return []
  }

  /** Adds a hook of this instance; one of the same type and name is replaced. */
  registerHook<H extends HookType>(type: H, name: string, hook: Hook<H, this>): void {
    checkHookType(this.#where, type)
    checkHook(this.#where, type, hook)
    this.#addHook(type, name, hook)
    this.#hooks = hookTable(this.#where, this.#named, this.constructor)
    const run = this.#turns.current
    if (run && !run.closing && (type === "prePrint" || type === "postPrint")) startPrinting(insideOf(this), run)
  }

  /** Takes a hook of this instance away; false when there was none of that type and name. */
  removeHook(type: HookType, name: string): boolean {
    checkHookType(this.#where, type)
    const removed = this.#named?.[type]?.delete(name) ?? false
    this.#hooks = hookTable(this.#where, this.#named, this.constructor)
    return removed
  }

  /** Takes all hooks of this instance away, or all of one type; those of the class stay. */
  clearHooks(type?: HookType): void {
    if (type !== undefined) {
      checkHookType(this.#where, type)
      delete this.#named?.[type]
    } else this.#named = undefined
    this.#hooks = hookTable(this.#where, this.#named, this.constructor)
  }

  /**
   * Hears each reply as all hooks have made it, before its caller does: the reply waits for the listener. What a listener
   * throws is a warning (`listener_failed`). `clearHooks` leaves it. Returns the function that takes it away.
   */
  onReply(listener: (reply: Reply<unknown>) => void | Promise<void>): () => void {
    checkOption(this.#where, "listener", listener, typeof listener === "function", "a function")
    // one that is given twice counts twice
    const own: ReplyListener = (reply) => listener(reply)
    this.#listeners = [...this.#listeners, own]
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== own)
    }
  }

  /** What the agent does to answer. It should look at `run.signal`; what it throws rejects the reply. */
  protected abstract run(messages: readonly Msg[], run: RunContext): Promise<Msg>

  /** The answer to an interrupt: by default a sentence that asks what to do next. */
  protected handleInterrupt(context: InterruptContext): string | Msg | Promise<string | Msg>
  protected handleInterrupt(): string | Msg | Promise<string | Msg> {
    return "I noticed that you have interrupted me. What can I do for you?"
  }

  /** Asked before a reply, and before something is observed: what is still to be loaded; `undefined`: nothing. */
  protected beforeUse(): Promise<unknown> | undefined {
    return undefined
  }

  /** Where observed messages go, and what was said around an interrupt; nowhere unless a subclass has a place for them. */
  protected remember(messages: readonly Msg[]): void | Promise<void>
  protected remember(): void | Promise<void> {}

  /** As a sub-agent: the one that asked does not go on with the calls that wait. They are closed as interrupted. */
  protected closePending(): void | Promise<void> {}

  /** An agent that is asked something else meanwhile closes them by itself. */
  async #closeWaiting(): Promise<void> {
    if (this.#turns.current !== undefined || this.pending.length === 0) return
    void this.#turns.take(new Run(this.name, undefined, undefined), this.#where)
    try {
      await this.closePending()
    } finally {
      this.#turns.pass()
    }
  }

  get #where(): string {
    return `${this.constructor.name} "${this.name}"`
  }

  #addHook(type: HookType, name: string, hook: unknown): void {
    const named = (this.#named ??= {})
    const hooks = (named[type] ??= new Map())
    hooks.set(name, hook as Parameters<typeof hooks.set>[1])
  }
}
