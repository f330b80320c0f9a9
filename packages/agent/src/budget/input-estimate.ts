import type { Msg } from "@agentscope-ts/message"
import { CharTokenCounter, type ChatRequest, type ToolSchema } from "@agentscope-ts/model"

const counter = new CharTokenCounter()
// an agent's list of tools stays the same until they change
const ofTools = new WeakMap<readonly ToolSchema[], number>()

/** An estimate is four bytes a token, and no token is less than one. */
const worst = 4
/** Of a short request what providers add to each is a large part: that is no measure for what is new. */
const mostRatio = 1.5

/**
 * How many tokens the requests of one conversation take, by estimate: only what is new is counted, and what providers
 * reported of earlier requests puts the estimate right.
 */
export class InputEstimate {
  #seen: Msg[] = []
  /** The sum of all up to each message. */
  #sums: number[] = []
  #raw = 0
  /** An estimate, and what the provider said that it was. */
  #known: { readonly raw: number; readonly real: number } | undefined

  /** Takes a request: `likely` and `most` are about it from then on. */
  async take({ messages, tools }: ChatRequest): Promise<void> {
    let same = Math.min(messages.length, this.#seen.length)
    // histories grow at their end, where hints come and go
    while (same > 0 && messages[same - 1] !== this.#seen[same - 1]) same--
    this.#seen.length = same
    this.#sums.length = same
    let sum = this.#sums[same - 1] ?? 0
    for (let i = same; i < messages.length; i++) {
      const msg = messages[i] as Msg
      sum += await counter.count([msg])
      this.#seen.push(msg)
      this.#sums.push(sum)
    }
    this.#raw = sum + (tools ? await toolTokens(tools) : 0)
  }

  /** What the request that was taken probably is. */
  get likely(): number {
    return this.#estimate((known) => Math.min(known.real / known.raw, mostRatio), 1)
  }

  /** What it is at most. */
  get most(): number {
    return this.#estimate(() => worst, worst)
  }

  /** What is new since a request that is known, at a price of its own for each token of the estimate. */
  #estimate(ratio: (known: { raw: number; real: number }) => number, unknown: number): number {
    const known = this.#known
    if (known === undefined) return Math.ceil(this.#raw * unknown)
    const more = this.#raw - known.raw
    return Math.ceil(more >= 0 ? known.real + more * ratio(known) : (this.#raw * known.real) / known.raw)
  }

  /** Whether a provider has said what a request really took. */
  get isLearned(): boolean {
    return this.#known !== undefined
  }

  /** A provider said what the request that was taken last really took. */
  learn(inputTokens: number): void {
    if (inputTokens > 0 && this.#raw > 0) this.#known = { raw: this.#raw, real: inputTokens }
  }
}

async function toolTokens(tools: readonly ToolSchema[]): Promise<number> {
  const known = ofTools.get(tools)
  if (known !== undefined) return known
  const tokens = await counter.count([], tools)
  ofTools.set(tools, tokens)
  return tokens
}
