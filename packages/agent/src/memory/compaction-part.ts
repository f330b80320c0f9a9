import { AgentScopeError, type Msg } from "@agentscope-ts/message"
import {
  type Compacted,
  type CompactionOptions,
  checkCompaction,
  compactMemory,
  defaultTrigger,
} from "@agentscope-ts/memory"
import {
  CharTokenCounter,
  type ChatModel,
  type ChatRequest,
  type TokenCounter,
  type ToolSchema,
} from "@agentscope-ts/model"
import { fileSpill, type Spill } from "@agentscope-ts/tool"
import { agentError } from "../agent-error.ts"
import type { ReplyPart } from "../react/reply-part.ts"
import type { ReplyWork } from "../react/reply-work.ts"
import { summaryCall } from "./summary-call.ts"

// of a short request the provider's own words around it are too large a part
const leastMeasured = 1000
const mostCorrection = 3

// one for the process: nobody disposes of it, and its limit holds for all agents together
let files: Spill | undefined

/** Keeps the history of an agent below a number of tokens: before a model call its older part becomes a summary. */
export class CompactionPart implements ReplyPart {
  readonly #options: CompactionOptions
  readonly #models: readonly ChatModel[]
  readonly #counter: TokenCounter
  #trigger: number
  /** Above this it is compacted: more than the trigger where what is left after a compaction is near to it. */
  #threshold: number
  /** How many tokens the provider counts for one of the estimate. */
  #correction = 1
  /** The last request, by the counter. */
  #asked: { readonly work: ReplyWork; readonly total: number; readonly overhead: number } | undefined
  #fixed:
    | { readonly system: Msg | undefined; readonly tools: readonly ToolSchema[] | undefined; readonly tokens: number }
    | undefined
  /** The reply that was told of a history that cannot be made shorter. */
  #told: ReplyWork | undefined

  /** @throws AgentScopeError `invalid_argument` for options that cannot be, or without a trigger where none is known. */
  constructor(where: string, options: CompactionOptions, model: ChatModel) {
    checkCompaction(where, options)
    const trigger = options.triggerTokens ?? defaultTrigger(model)
    if (trigger === undefined) {
      throw agentError(
        "invalid_argument",
        `${where}: compaction needs triggerTokens: how many tokens fit ${model.provider}/${model.model} is not known. Give it, or the model its contextWindow.`,
      )
    }
    this.#options = options
    this.#models = [...new Set([options.model ?? model, model])]
    this.#counter = options.tokenCounter ?? this.#corrected(new CharTokenCounter())
    this.#trigger = trigger
    this.#threshold = trigger
  }

  async fit(work: ReplyWork, request: ChatRequest): Promise<boolean> {
    this.#learn()
    const asked = await this.#measure(work, request)
    this.#asked = asked
    if (asked.total <= this.#threshold) return false
    return this.#compact(work, asked, this.#threshold, false)
  }

  /** The provider knows better: what was sent is too long, whatever the counter says. */
  async overflow(work: ReplyWork): Promise<boolean> {
    const asked = this.#asked
    if (asked?.work !== work) return false
    const shorter = await this.#compact(work, asked, Math.min(this.#trigger, Math.floor(asked.total * 0.7)), true)
    // the next time it comes in time
    if (shorter) this.#trigger = Math.min(this.#trigger, Math.floor(asked.total * 0.8))
    return shorter
  }

  end(): void {
    this.#learn()
    this.#asked = undefined
    this.#told = undefined
  }

  async #compact(
    work: ReplyWork,
    { total, overhead }: { readonly total: number; readonly overhead: number },
    triggerTokens: number,
    forced: boolean,
  ): Promise<boolean> {
    const { agent, run } = work
    if (run.stopped || work.overBudget() !== undefined) return false
    const { keepRecent, prompt, spill } = this.#options
    try {
      const done = await compactMemory(agent.memory, {
        triggerTokens,
        keepRecent,
        overheadTokens: overhead,
        tokenCounter: this.#counter,
        models: this.#models,
        prompt,
        spill: spill === false ? undefined : (spill ?? (files ??= fileSpill())),
        agent: { id: agent.id, name: agent.name },
        signal: run.signal,
        ask: (model, request) => summaryCall(work, model, request),
      })
      if (done === undefined) return false
      tell(work, done)
      const left = done.tokens + overhead
      this.#threshold = Math.max(this.#trigger, Math.ceil(left + this.#trigger / 4))
      return left < total
    } catch (error) {
      if (run.stopped) return false
      const tooBig = AgentScopeError.is(error, "overhead_too_big")
      if (!tooBig && !AgentScopeError.is(error, "compaction_failed")) throw error
      // no reply can ever come below a trigger like that: whoever set it has to know
      if (tooBig && !forced && error.details["fixed"] === true) throw error
      if (this.#told !== work || !tooBig) run.warn(error.code, error.message)
      this.#told = work
      // not again with each step, but when there is more to gain
      this.#threshold = Math.max(this.#threshold, Math.ceil(total + this.#trigger / 10))
      return false
    }
  }

  /** What a request takes by the counter, and what of that is not in memory. */
  async #measure(work: ReplyWork, { messages, tools }: ChatRequest) {
    const past = await work.agent.memory.get()
    const [system] = messages
    if (this.#fixed?.system !== system || this.#fixed?.tools !== tools) {
      const tokens = await this.#counter.count(system ? [system] : [], tools)
      this.#fixed = { system, tools, tokens }
    }
    let overhead = this.#fixed?.tokens ?? 0
    if (messages.length > past.length + 1) {
      const known = new Set(past)
      overhead += await this.#counter.count(messages.slice(1).filter((msg) => !known.has(msg)))
    }
    return { work, overhead, total: overhead + (await this.#counter.count(past)) }
  }

  /** The estimate is corrected by what the provider counted: only upwards, since a summary too early is the lesser evil. */
  #learn(): void {
    const asked = this.#asked
    const lastUsage = asked?.work.lastUsage
    if (this.#options.tokenCounter || asked === undefined || lastUsage === undefined) return
    asked.work.lastUsage = undefined
    if (lastUsage.inputTokens < leastMeasured) return
    const ratio = (lastUsage.inputTokens / asked.total) * this.#correction
    this.#correction = Math.min(mostCorrection, Math.max(1, ratio))
    this.#fixed = undefined
  }

  #corrected(counter: TokenCounter): TokenCounter {
    return { count: async (messages, tools) => Math.ceil((await counter.count(messages, tools)) * this.#correction) }
  }
}

function tell({ run }: ReplyWork, { summary, removed, cutResults }: Compacted): void {
  if (summary) run.emit({ type: "compaction", removed, summary })
  if (cutResults === 0) return
  run.warn(
    "results_cut",
    `${cutResults} results of tools were too long for the history, and were cut to their beginning and end.`,
  )
}
