import type { Msg } from "@agentscope-ts/message"
import { CharTokenCounter, type ChatRequest, type ToolSchema } from "@agentscope-ts/model"

const counter = new CharTokenCounter()
// an agent's list of tools stays the same until they change
const ofTools = new WeakMap<readonly ToolSchema[], number>()

/** An estimate is four bytes a token, and no token is less than one. */
const worst = 4
/** What the ratio of one call to the next may be off by. */
const slack = 1.1

/**
 * How many tokens the requests of one conversation take, by estimate: only what is new is counted, and what providers
 * reported of earlier requests puts the estimate right.
 */
export class InputEstimate {
  #seen: Msg[] = []
  /** The sum of all up to each message. */
  #sums: number[] = []
  #ratio: number | undefined
  /** The last estimate, as it was before it was put right. */
  #raw = 0

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
    return Math.ceil(this.#raw * (this.#ratio ?? 1))
  }

  /** What it is at most, as far as that can be said. */
  get most(): number {
    return Math.ceil(this.#raw * (this.#ratio === undefined ? worst : this.#ratio * slack))
  }

  /** Whether a provider has said what a request really took. */
  get isLearned(): boolean {
    return this.#ratio !== undefined
  }

  /** A provider said what the request that was taken last really took. */
  learn(inputTokens: number): void {
    if (inputTokens > 0 && this.#raw > 0) this.#ratio = inputTokens / this.#raw
  }
}

async function toolTokens(tools: readonly ToolSchema[]): Promise<number> {
  const known = ofTools.get(tools)
  if (known !== undefined) return known
  const tokens = await counter.count([], tools)
  ofTools.set(tools, tokens)
  return tokens
}
