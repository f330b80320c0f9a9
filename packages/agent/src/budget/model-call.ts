import { AgentScopeError, type ChatUsage, type Msg } from "@agentscope-ts/message"
import {
  CharTokenCounter,
  type ChatModel,
  type ChatParams,
  type ChatRequest,
  type ChatResponse,
  costOf,
  type Gate,
  type RequestEnd,
} from "@agentscope-ts/model"
import { agentError } from "../agent-error.ts"
import type { Run } from "../base/agent-run.ts"
import { amountsOf } from "./budget.ts"
import type { InputEstimate } from "./input-estimate.ts"
import type { Amounts } from "./ledger.ts"
import type { Purse } from "./purse.ts"

/** An answer that may have less is not worth its input: such a call is not made. */
const leastAnswer = 256
/** Every model takes a limit of so many tokens, also one of which nothing is known. */
const anyModelCan = 4096
/** What thinking may come to where it is no part of the limit of an answer. */
const thinkingAtMost = { off: 0, low: 2048, medium: 8192, high: 24_576 } as const

/** What a model is told, in tokens, when its answer did not do. */
const explanation = 200

type Taken = Required<Pick<Amounts, "tokens" | "costUsd">>

/** How long an answer can be. */
interface Answer {
  /** What it has at most; `undefined` where nobody knows. */
  readonly most: number | undefined
  /** The least that it may be limited to; `undefined`: to nothing less than `most`. */
  readonly least: number | undefined
  readonly thinking: number
}

/**
 * One model call within budgets. What it may take at most is held before each of its requests, and let go for what it really
 * took when it ends, however it ends.
 */
export class ModelCall implements Gate {
  readonly #purse: Purse
  readonly #model: ChatModel
  readonly #input: InputEstimate
  readonly #run: Run
  readonly #signal: AbortSignal
  /** What is held; `undefined` between two requests. */
  #held: Amounts | undefined
  /** What was held for the last request. */
  #last: Amounts = {}
  /** What has been written down so far. */
  #counted: Taken = { tokens: 0, costUsd: 0 }
  /** Whether the input was estimated, as tokens or money are limited. */
  #isCounted = false
  /** Whether anybody knows how long the answer can be. */
  #isKnown = true
  #answers = 0
  /** The tokens of the last answer. */
  #output = 0
  /** The most that the answer was given, where that is less than it might have had. */
  limitedTo: number | undefined

  constructor(purse: Purse, model: ChatModel, input: InputEstimate, run: Run) {
    this.#purse = purse
    this.#model = model
    this.#input = input
    this.#run = run
    this.#signal = run.signal
  }

  /** The request as it may be made, or in words why it may not. Waits while what other calls hold may come free. */
  async admit(request: ChatRequest): Promise<ChatRequest | string> {
    const purse = this.#purse
    const counts = purse.limits("tokens") || (this.#model.price !== undefined && purse.limits("costUsd"))
    if (!counts) return this.#take({}) ? request : this.#refusal({})
    this.#isCounted = true
    await this.#input.take(request)
    let input = this.#input.most
    for (let exact = false; ; ) {
      const answer = this.#answerTo(request, input)
      const limit = this.#fit(input, answer, exact, purse.busy)
      if (limit === "as it is") return request
      if (typeof limit === "number") {
        this.limitedTo = limit
        return { ...request, params: { ...request.params, maxTokens: limit } }
      }
      if (!exact) {
        input = await this.#exactly(request)
        exact = true
        continue
      }
      const least = this.#amounts(input, answer.least ?? answer.most ?? 0)
      const isOver = this.#signal.aborted || purse.reached("model") !== undefined || purse.left("modelCalls") < 1
      if (isOver || !purse.busy) return this.#refusal(least)
      await purse.changed(this.#signal)
    }
  }

  /** Holds what the call may take: "as it is", or, when all else was tried, with an answer of at most so many tokens. */
  #fit(
    input: number,
    { most, least, thinking }: Answer,
    exact: boolean,
    busy: boolean,
  ): "as it is" | number | undefined {
    if (most !== undefined) {
      if (this.#take(this.#amounts(input, most))) return "as it is"
      if (least === undefined || !exact) return undefined
      const room = this.#room(input)
      // a share that few answers need more than lets others go on meanwhile
      const share = Math.floor(room / this.#purse.sharers)
      const isLong = share >= anyModelCan + thinking
      const given = isLong ? share : room
      if (!isLong && (busy || room < least)) return undefined
      return this.#take(this.#amounts(input, given)) ? given - thinking : undefined
    }
    this.#isKnown = false
    const likely = this.#input.likely
    const room = this.#room(likely)
    if (room > anyModelCan) return this.#take(this.#amounts(likely, 0)) ? "as it is" : undefined
    if (!exact || busy) return undefined
    const given = Math.max(room, leastAnswer + thinking)
    return this.#take(this.#within(this.#amounts(likely, given))) ? given - thinking : undefined
  }

  /** Of a call that nobody can say the maximum of, no more is held than there is. */
  #within({ tokens = 0, costUsd = 0 }: Amounts): Amounts {
    const left = (kind: "tokens" | "costUsd", amount: number) => Math.max(0, Math.min(amount, this.#purse.left(kind)))
    return { tokens: left("tokens", tokens), costUsd: left("costUsd", costUsd) }
  }

  #take(amounts: Amounts): boolean {
    const purse = this.#purse
    if (purse.reached("model") !== undefined || purse.left("modelCalls") < 1 || !purse.hold(amounts)) return false
    this.#held = this.#last = amounts
    purse.spend({ modelCalls: 1 })
    return true
  }

  #refusal(amounts: Amounts): string {
    return this.#purse.reached("model") ?? this.#purse.shortOf({ modelCalls: 1, ...amounts })
  }

  #answerTo({ params }: ChatRequest, input: number): Answer {
    const { params: usual, facts, contextWindow } = this.#model
    const maxTokens = params?.maxTokens ?? usual?.maxTokens
    const thinking = thinkingOf(params?.reasoning ?? usual?.reasoning)
    if (maxTokens !== undefined) return { most: maxTokens + thinking, least: undefined, thinking }
    const window = contextWindow === undefined ? undefined : Math.max(leastAnswer, contextWindow - input)
    return { most: facts?.maxOutputTokens ?? window, least: leastAnswer + thinking, thinking }
  }

  #amounts(input: number, output: number): Amounts {
    const { price } = this.#model
    const tokens = input + output
    if (price === undefined) return { tokens }
    const inputPrice = Math.max(price.inputPerMTok, price.cacheWritePerMTok ?? 0)
    return { tokens, costUsd: (input * inputPrice + output * price.outputPerMTok) / 1e6 }
  }

  /** How many tokens an answer can have after an input. */
  #room(input: number): number {
    const { price } = this.#model
    const ofTokens = this.#purse.left("tokens") - input
    if (price === undefined || price.outputPerMTok <= 0) return Math.floor(ofTokens)
    const { costUsd = 0 } = this.#amounts(input, 0)
    const ofCost = ((this.#purse.left("costUsd") - costUsd) * 1e6) / price.outputPerMTok
    return Math.floor(Math.min(ofTokens, ofCost))
  }

  /** What the model itself says that the request takes: asked only where an estimate on the safe side does not fit. */
  async #exactly(request: ChatRequest): Promise<number> {
    const likely = this.#input.isLearned ? this.#input.likely : 0
    try {
      return Math.max(likely, await this.#model.countTokens({ ...request, signal: this.#signal }))
    } catch {
      return this.#input.likely
    }
  }

  // ---- each request of the call

  async enter(): Promise<(end: RequestEnd) => void> {
    if (this.#held === undefined) await this.#again()
    return ({ usage, error }) => {
      // one that failed is made again, or it is the end of the call
      if (error !== undefined || usage === undefined) return
      this.#answers++
      this.#output = usage.outputTokens
      const { tokens, costUsd } = this.#priced(usage)
      this.#settle({ tokens: this.#counted.tokens + tokens, costUsd: this.#counted.costUsd + costUsd })
    }
  }

  /** The model is asked once more, as its answer did not do: it reads that, too. */
  async #again(): Promise<void> {
    const purse = this.#purse
    const more = this.#amounts(this.#output + explanation, 0)
    const { tokens = 0, costUsd = 0 } = this.#last
    const needed = { tokens: tokens + (more.tokens ?? 0), costUsd: costUsd + (more.costUsd ?? 0) }
    for (;;) {
      const reached = purse.reached("model")
      const held = this.#isKnown ? needed : this.#within(needed)
      if (reached === undefined && purse.hold(held)) {
        this.#held = this.#last = held
        return
      }
      if (reached ?? (!purse.busy || this.#signal.aborted)) throw agentError("budget_exceeded", this.#refusal(needed))
      await purse.changed(this.#signal)
    }
  }

  // ---- the end

  /** Writes down what the call took, whole or not. Where no usage is told, an estimate counts. */
  async end(response: ChatResponse | undefined, failure?: { readonly error: unknown }): Promise<void> {
    const usage = response?.usage
    if (failure === undefined && usage?.costUsd === undefined) this.#warnOfPrice()
    if (usage && failure === undefined) {
      if (this.#isCounted && this.#answers <= 1) this.#input.learn(usage.inputTokens)
      return this.#settle(this.#priced(usage))
    }
    if (!this.#isCounted) return this.#settle(usage ? this.#priced(usage) : this.#counted)
    const content = response?.content ?? []
    const said = content.length > 0 ? await new CharTokenCounter().count([{ ...nobody, content }]) : 0
    // of what broke off before it said anything the provider may have read the input; what was refused took nothing
    const began =
      failure === undefined || said > 0 || this.#signal.aborted || AgentScopeError.is(failure.error, "timeout")
    if (!usage && !began) return this.#settle(this.#counted)
    const inputTokens = usage?.inputTokens ?? this.#input.likely
    const outputTokens = Math.max(said, usage?.outputTokens ?? 0)
    const spent = this.#priced({ timeMs: 0, ...usage, inputTokens, outputTokens })
    this.#settle({
      tokens: Math.max(spent.tokens, this.#counted.tokens),
      costUsd: Math.max(spent.costUsd, this.#counted.costUsd),
    })
  }

  /** Nobody says what the call has cost: a limit of money does not limit it. Told once in a reply. */
  #warnOfPrice(): void {
    const { model, price } = this.#model
    const purse = this.#purse
    if (price !== undefined || purse.unpriced.has(model) || !purse.limits("costUsd")) return
    purse.unpriced.add(model)
    this.#run.warn(
      "price_unknown",
      `The price of the model "${model}" is not known, so the budget's costUsd does not limit its calls: give the model its price in US dollars per million tokens, price: { inputPerMTok, outputPerMTok } (0 where it costs nothing), or limit tokens instead.`,
    )
  }

  /** The call was not made after all. */
  cancel(): void {
    this.#settle(this.#counted)
  }

  #priced(usage: ChatUsage): Taken {
    const { price } = this.#model
    return amountsOf(usage.costUsd === undefined && price ? { ...usage, costUsd: costOf(usage, price) } : usage)
  }

  /** Lets go what is held, and counts what was spent so far. */
  #settle(total: Taken): void {
    const { tokens, costUsd } = this.#counted
    const more = { tokens: total.tokens - tokens, costUsd: total.costUsd - costUsd }
    this.#counted = total
    if (this.#held) this.#purse.settle(this.#held, more)
    else this.#purse.spend(more)
    this.#held = undefined
  }
}

const nobody: Msg = { id: "", name: "", role: "assistant", content: [], timestamp: "" }

function thinkingOf(reasoning: ChatParams["reasoning"]): number {
  if (reasoning === undefined) return 0
  return typeof reasoning === "string" ? thinkingAtMost[reasoning] : reasoning.budgetTokens
}
