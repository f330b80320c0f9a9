import {
  describeValue,
  importMessages,
  type JsonValue,
  type Msg,
  type PendingCall,
  systemMsg,
} from "@agentscope-ts/message"
import { type CompactionOptions, InMemoryMemory, type LongTermMemory, type Memory } from "@agentscope-ts/memory"
import type { ChatModel } from "@agentscope-ts/model"
import type { StateCodec } from "@agentscope-ts/state"
import {
  type AnyTool,
  type ApprovalPolicy,
  checkApprovalPolicy,
  type ContextValues,
  type RememberedRule,
  Toolkit,
  type ToolState,
} from "@agentscope-ts/tool"
import { AgentBase, type AgentOptions, currentRun } from "../base/agent-base.ts"
import { agentError } from "../agent-error.ts"
import { Run, type RunContext } from "../base/agent-run.ts"
import { Budget, type BudgetLimits, spentCodec } from "../budget/budget.ts"
import type { LongTermMemoryMode } from "../memory/long-term-part.ts"
import { checkContext, checkNames, checkOption } from "../options.ts"
import { ReActLoop } from "./react-loop.ts"
import type { PlanNotebook } from "../plan/plan-notebook.ts"
import { Conversation } from "./conversation.ts"
import type { ReActSettings } from "./react-settings.ts"
import { ReplyWork } from "./reply-work.ts"
import { replyParts } from "./reply-parts.ts"
import { closeRound, takeUp } from "../waiting/resuming.ts"
import { asWaitingRound } from "../waiting/round.ts"
import { checkSession, type RestoredSession, type SessionOptions } from "../session/session.ts"
import { sourcesOf } from "../acting/sources-of.ts"
import { subAgentsEnd } from "../sub-agents/sub-agent-run.ts"
import { SubAgents } from "../sub-agents/sub-agents.ts"

/** Options of a {@link ReActAgent}. */
export interface ReActOptions extends AgentOptions {
  systemPrompt: string
  model: ChatModel
  /** The short way to a toolkit of one's own; not together with `toolkit`. */
  tools?: readonly AnyTool[] | undefined
  toolkit?: Toolkit | undefined
  /** An `InMemoryMemory` unless given. */
  memory?: Memory | undefined
  /** What outlives the conversation. That it fails is a warning `long_term_memory_failed`, and never fails a reply. */
  longTermMemory?: LongTermMemory | undefined
  /**
   * `static`: what belongs to the input is put before the model, and what was said is recorded at the end of the reply; `agent`:
   * the model has the tools `record_to_memory` and `retrieve_from_memory`; `both`, the default.
   */
  longTermMemoryMode?: LongTermMemoryMode | undefined
  /** Replaces the older part of a history that has become too long by a summary. Off unless given; `{}` are the defaults. */
  compaction?: CompactionOptions | undefined
  /** How often the model is called for one reply before it is asked to sum up. Default 10. */
  maxIterations?: number | undefined
  /**
   * How many rounds of the same calls, with the same results, end a reply with `repetition`; half-way the model is told. 6
   * unless given, at least 2; `Infinity`: never. Arguments that only describe a call (`description`, `reason`, …) may differ:
   * then it takes half as many more, and so it does where results differ only in times. Results that do differ are news; five
   * times as many rounds in a row end a reply all the same.
   */
  maxRepeats?: number | undefined
  /** Whether the calls of a round run side by side; as the toolkit says unless given. */
  parallelToolCalls?: boolean | undefined
  /** Whether the model is asked to stream. Default true. */
  streaming?: boolean | undefined
  /** What may run, must be asked for, or must not run. */
  approval?: ApprovalPolicy | undefined
  /** What all replies of this agent may take; a `Budget` can be shared with others. */
  budget?: BudgetLimits | Budget | undefined
  /** Values for tools; those of a call come before them. */
  context?: ContextValues | undefined
  /** The plan of this conversation: the model gets its tools, and in each request a hint of what is next. */
  plan?: PlanNotebook | undefined
  /** Saves the conversation as it goes on, so that a program that was killed can go on with it. */
  session?: SessionOptions | undefined
}

const optionNames: readonly (keyof ReActOptions)[] = [
  "name",
  "systemPrompt",
  "model",
  "tools",
  "toolkit",
  "memory",
  "longTermMemory",
  "longTermMemoryMode",
  "compaction",
  "maxIterations",
  "maxRepeats",
  "parallelToolCalls",
  "streaming",
  "approval",
  "budget",
  "context",
  "plan",
  "session",
  "hooks",
  "print",
  "whenBusy",
]

/**
 * Reasons, acts by calling tools, and answers. Its memory, pending calls, remembered approvals and active tool groups are
 * its state: what `stateDict` gives, another instance made the same way goes on from.
 */
export class ReActAgent extends AgentBase {
  readonly model: ChatModel
  readonly memory: Memory
  /** The plan, where the agent was made with one; it is saved with the agent. */
  readonly plan: PlanNotebook | undefined
  readonly #settings: ReActSettings
  readonly #conversation = new Conversation()
  #toolkit: Toolkit | undefined
  #toolState: ToolState | undefined
  /** A reply is being worked on: what is observed meanwhile waits. */
  #working = false

  constructor(options: ReActOptions) {
    checkOptions(options)
    super(options)
    const { model, memory, tools, toolkit, budget } = options
    this.model = model
    this.memory = memory ?? new InMemoryMemory()
    this.plan = options.plan
    this.#toolkit = tools && tools.length > 0 ? new Toolkit({ tools }) : toolkit
    this.#settings = {
      system: systemMsg(options.systemPrompt),
      maxIterations: options.maxIterations ?? 10,
      maxRepeats: options.maxRepeats ?? 6,
      parallelToolCalls: options.parallelToolCalls,
      streaming: options.streaming ?? true,
      approval: options.approval,
      budget: budget === undefined || budget instanceof Budget ? budget : new Budget(budget),
      ownsBudget: !(budget instanceof Budget),
      context: options.context,
      ...replyParts(options),
    }
    this.#settings.session?.bind(this, this.#conversation)
    if (this.#toolkit) this.#settings.own?.checkBeside(this.#toolkit)
  }

  /** The agent's tools; empty until some are registered. */
  get toolkit(): Toolkit {
    this.#toolkit ??= new Toolkit()
    return this.#toolkit
  }

  /** The id of the session that the conversation is kept in, if it is. */
  get sessionId(): string | undefined {
    return this.#settings.session?.id
  }

  /** Which tool groups are on in this conversation. */
  get toolState(): ToolState {
    this.#toolState ??= this.toolkit.newState()
    return this.#toolState
  }

  override get pending(): readonly PendingCall[] {
    return this.#conversation.round?.pending ?? []
  }

  /**
   * Loads the session now, and not with the first use: afterwards `memory` and `pending` are what they were. Where the session
   * was lost to somebody else (`session_conflict`), it is loaded anew, in the place of what this agent holds.
   * @throws AgentScopeError `invalid_argument` without a session, `agent_busy` during a reply, and what the store throws.
   */
  async restore(): Promise<RestoredSession> {
    const { session } = this.#settings
    if (session === undefined) {
      const message = `${this.constructor.name} "${this.name}" has no session to restore: give it session: { store, id }.`
      throw agentError("invalid_argument", message)
    }
    this.#checkIdle()
    return session.restore()
  }

  protected override beforeUse(): Promise<unknown> | undefined {
    return this.#settings.session?.ready()
  }

  protected override async run(messages: readonly Msg[], context: RunContext): Promise<Msg> {
    if (!(context instanceof Run)) {
      throw agentError(
        "invalid_argument",
        `${this.constructor.name}.run: pass on the context that run was called with.`,
      )
    }
    const work = this.#workOn(context)
    context.selfClosing = true
    context.home = this.#conversation
    this.#working = true
    const stopClocks = work.purse?.startClocks(context)
    let reply: Msg | undefined
    try {
      if (this.#toolkit) await sourcesOf(context, this.#toolkit.ready())
      reply = await takeUp(work, messages)
      if (reply) return reply
      if (this.#settings.parts && !context.stopped) await work.begin(messages)
      reply = await new ReActLoop(work).run()
      return reply
    } finally {
      stopClocks?.()
      if (context.asked) await subAgentsEnd(context.asked)
      this.#working = false
      await work.leave()
      if (this.#settings.parts) await work.end(reply)
    }
  }

  #workOn(run: Run): ReplyWork {
    return new ReplyWork(this, run, {
      settings: this.#settings,
      conversation: this.#conversation,
      toolkit: this.#toolkit,
      toolState: this.#toolState,
    })
  }

  protected override async closePending(): Promise<void> {
    const { round } = this.#conversation
    if (round === undefined) return
    const work = this.#workOn(new Run(this.name, undefined, undefined))
    this.#working = true
    try {
      await closeRound(work, round)
    } finally {
      this.#working = false
      await work.leave()
      if (this.#settings.parts) await work.end(undefined)
    }
  }

  protected override async remember(messages: readonly Msg[]): Promise<void> {
    const conversation = this.#conversation
    if (this.#working || conversation.round) conversation.inbox = [...(conversation.inbox ?? []), ...messages]
    else {
      for (const msg of messages) {
        await this.memory.add(msg)
        currentRun(this)?.emit({ type: "message", msg })
      }
    }
    await this.#settings.session?.save()
  }

  protected override stateCodecs(): Readonly<Record<string, StateCodec>> {
    const conversation = this.#conversation
    const { budget, ownsBudget } = this.#settings
    return {
      ...super.stateCodecs(),
      // of a pool that others may spend from, too, the program takes care
      ...(budget && ownsBudget && { spent: spentCodec(budget) }),
      round: {
        save: () => (conversation.round ?? null) as JsonValue,
        load: (value) => {
          this.#checkIdle()
          conversation.round = asWaitingRound(value)
          // the memory was loaded, too
          conversation.callIds = undefined
        },
      },
      subAgents: {
        save: () => conversation.subAgents?.save() ?? {},
        load: (value) => {
          conversation.subAgents = SubAgents.load(value)
        },
      },
      inbox: {
        save: () => [...(conversation.inbox ?? [])] as unknown as JsonValue,
        load: (value) => {
          const inbox = importMessages(listOf("inbox", value))
          conversation.inbox = inbox.length > 0 ? inbox : undefined
        },
      },
      rules: {
        save: () => [...conversation.rules] as unknown as JsonValue,
        load: (value) => {
          const rules = listOf<RememberedRule>("rules", value)
          if (rules.some((rule) => typeof rule?.rule !== "string")) {
            throw agentError("invalid_argument", "Each of the saved rules must say its tools: { rule, tools }.")
          }
          checkApprovalPolicy({ allow: rules })
          conversation.rules = rules
        },
      },
      toolState: {
        save: () => this.#toolState?.stateDict() ?? null,
        load: (value) => {
          if (value === null) this.#toolState = undefined
          else this.toolState.loadStateDict(value as { readonly [key: string]: JsonValue })
        },
      },
    }
  }

  #checkIdle(): void {
    if (!this.#working) return
    throw agentError(
      "agent_busy",
      `${this.constructor.name} "${this.name}" is answering: load its state before or after.`,
    )
  }
}

function listOf<T>(key: string, value: JsonValue): readonly T[] {
  if (Array.isArray(value)) return value as readonly T[]
  throw agentError("invalid_argument", `The saved ${key} must be a list, not ${describeValue(value)}.`)
}

const modes: readonly (LongTermMemoryMode | undefined)[] = ["both", "agent", "static"]
const isLongTermMemory = (value: Partial<LongTermMemory> | undefined): boolean =>
  typeof value?.record === "function" && typeof value.retrieve === "function" && typeof value.tools === "function"

function checkOptions(options: ReActOptions): void {
  checkNames("ReActAgent", options, optionNames)
  const where = typeof options.name === "string" ? `ReActAgent "${options.name}"` : "ReActAgent"
  const { systemPrompt, model, tools, toolkit, memory, maxIterations, maxRepeats, approval } = options
  if (typeof systemPrompt !== "string") {
    throw agentError("invalid_argument", `${where}: systemPrompt must be a text, not ${describeValue(systemPrompt)}.`)
  }
  const isModel = typeof (model as Partial<ChatModel> | undefined)?.stream === "function"
  if (!isModel)
    throw agentError("invalid_argument", `${where}: model must be a chat model, not ${describeValue(model)}.`)
  if (tools !== undefined && toolkit !== undefined) {
    throw agentError(
      "invalid_argument",
      `${where}: give either tools or toolkit, not both: tools is short for toolkit: new Toolkit({ tools }).`,
    )
  }
  const rules: [keyof ReActOptions, boolean, string][] = [
    ["tools", Array.isArray(tools), "a list of tools"],
    ["toolkit", typeof toolkit?.execute === "function", "a Toolkit"],
    ["memory", typeof memory?.add === "function", "a Memory"],
    ["longTermMemory", isLongTermMemory(options.longTermMemory), "a LongTermMemory"],
    ["longTermMemoryMode", modes.includes(options.longTermMemoryMode), '"both", "agent" or "static"'],
    ["maxIterations", Number.isInteger(maxIterations) && Number(maxIterations) >= 1, "a whole number of at least 1"],
    ["maxRepeats", typeof maxRepeats === "number" && maxRepeats >= 2, "a number of at least 2, or Infinity"],
    ["parallelToolCalls", typeof options.parallelToolCalls === "boolean", "true or false"],
    ["streaming", typeof options.streaming === "boolean", "true or false"],
    ["plan", typeof options.plan?.hint === "function", "a PlanNotebook"],
    ["approval", typeof approval === "object" && approval !== null, "an approval policy"],
  ]
  checkSession(where, options.session)
  for (const [name, holds, expected] of rules) checkOption(where, name, options[name], holds, expected)
  checkContext(where, options.context)
  if (approval) {
    checkNames(`${where}: approval`, approval, ["deny", "ask", "allow", "mode"])
    checkApprovalPolicy(approval)
  }
}
