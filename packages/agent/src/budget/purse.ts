import { ambient, onAbort } from "@agentscope-ts/message"
import type { Run } from "../base/agent-run.ts"
import { Budget, type BudgetLimits, ledgerOf, spentLimit } from "./budget.ts"
import { type AmountKind, amountKinds, type Amounts, type Ledger, spend, withAbove } from "./ledger.ts"

const units: Readonly<Record<keyof BudgetLimits, (amount: number) => string>> = {
  tokens: (amount) => `${amount} tokens`,
  costUsd: (amount) => `${amount} US dollars`,
  timeMs: (amount) => `${amount} ms`,
  modelCalls: (amount) => `${amount} model calls`,
  toolCalls: (amount) => `${amount} tool calls`,
}

/** `The budget of 3 model calls is used up.` */
function usedUp({ limits, isClosed }: Ledger, limit: keyof BudgetLimits): string {
  const amount = limits[limit]
  const budget = amount === undefined ? "The budget" : `The budget of ${units[limit](amount)}`
  return isClosed ? `${budget} was leased, and has been given back.` : `${budget} is used up.`
}

/** The pools that one reply spends from: its agent's, its own, and those of the reply that asked for it. Each counts once. */
export class Purse {
  readonly budgets: readonly Budget[]
  /** The models of which it was told that nobody knows their price. */
  readonly unpriced = new Set<string>()
  readonly #own: readonly Ledger[]
  readonly #all: readonly Ledger[]
  readonly #holders: Readonly<Record<AmountKind, readonly Ledger[]>>

  constructor(budgets: readonly Budget[]) {
    this.budgets = [...new Set(budgets)]
    this.#own = this.budgets.map(ledgerOf)
    this.#all = withAbove(this.#own)
    // what is held for a lease among them already is not held a second time
    const covered = (kind: AmountKind) =>
      this.#all.flatMap(({ parent, limits }) => (parent && limits[kind] !== undefined ? parent.holders(kind) : []))
    const holders = (kind: AmountKind) => {
      const without = new Set(covered(kind))
      return [...new Set(this.#own.flatMap((ledger) => ledger.holders(kind)))].filter((ledger) => !without.has(ledger))
    }
    this.#holders = {
      tokens: holders("tokens"),
      costUsd: holders("costUsd"),
      modelCalls: holders("modelCalls"),
      toolCalls: holders("toolCalls"),
    }
  }

  /** The purse of these budgets; `undefined` where there is none, so that nothing has to be counted. */
  static of(...budgets: readonly (Budget | BudgetLimits | readonly Budget[] | undefined)[]): Purse | undefined {
    if (budgets.every((budget) => budget === undefined)) return undefined
    const given = budgets.flatMap((budget): readonly Budget[] => {
      if (budget === undefined) return []
      if (Array.isArray(budget)) return budget as readonly Budget[]
      return [budget instanceof Budget ? budget : new Budget(budget as BudgetLimits)]
    })
    return given.length > 0 ? new Purse(given) : undefined
  }

  /** Whether some pool limits this. */
  limits(kind: AmountKind): boolean {
    return this.#all.some(({ limits }) => limits[kind] !== undefined)
  }

  /** In words, the first limit that is reached for calls of this kind. */
  reached(kind: "model" | "tool", counted = false): string | undefined {
    for (const ledger of this.#all) {
      const limit = spentLimit(ledger, kind)
      if (limit && !(counted && limit === "toolCalls")) return usedUp(ledger, limit)
    }
    return undefined
  }

  /** How much of a kind is neither spent nor held. */
  left(kind: AmountKind): number {
    return Math.min(...this.#holders[kind].map((ledger) => ledger.left(kind)))
  }

  /** Whether calls are under way that may leave something over of what is held for them. */
  get busy(): boolean {
    return this.#all.some(({ calls }) => calls > 0)
  }

  /** How many replies spend from the same pool, this one among them. */
  get sharers(): number {
    return Math.max(1, ...this.#all.map(({ replies }) => replies))
  }

  /** Counts a tool call, or says why it must not run. One that was counted when it came to wait counts no more. */
  takeToolCall(counted: boolean): string | undefined {
    const reached = this.reached("tool", counted)
    if (reached || counted) return reached
    const full = this.#holders.toolCalls.find((ledger) => !ledger.has("toolCalls", 1))
    if (full) return usedUp(full, "toolCalls")
    spend(this.#own, { toolCalls: 1 })
    return undefined
  }

  spend(amounts: Amounts): void {
    spend(this.#own, amounts)
  }

  /** Holds what a call may take, in all pools or in none: then it is false. */
  hold(amounts: Amounts): boolean {
    for (const kind of amountKinds) {
      const amount = amounts[kind]
      if (amount && this.#holders[kind].some((ledger) => !ledger.has(kind, amount))) return false
    }
    this.#change(amounts, 1)
    return true
  }

  /** Why a call that may take so much is not made. */
  shortOf(amounts: Amounts): string {
    for (const kind of amountKinds) {
      const amount = amounts[kind] ?? 0
      const full = this.#holders[kind].find((ledger) => !ledger.has(kind, amount))
      const limit = full?.limits[kind]
      if (full === undefined || limit === undefined) continue
      const [left, most] = [full.left(kind), amount].map((sum) =>
        units[kind](kind === "costUsd" ? Number(sum.toPrecision(3)) : sum),
      )
      return `The budget of ${units[kind](limit)} is not enough to go on: the next model call may take ${most}, and ${left} are left.`
    }
    return "The budget is not enough for the next model call."
  }

  /** Lets go what was held for a call, and writes down what was spent. */
  settle(held: Amounts, spent: Amounts): void {
    this.#change(held, -1)
    spend(this.#own, spent)
  }

  #change(amounts: Amounts, sign: 1 | -1): void {
    for (const kind of amountKinds) {
      const amount = amounts[kind]
      if (amount) for (const ledger of this.#holders[kind]) ledger.hold(kind, sign * amount)
    }
    for (const ledger of this.#all) ledger.calls += sign
  }

  /** Waits until something has changed in one of the pools, or the signal aborts. */
  async changed(signal: AbortSignal): Promise<void> {
    let off = () => {}
    let wake = () => {}
    await new Promise<void>((resolve) => {
      wake = resolve
      for (const ledger of this.#all) ledger.wait(wake)
      off = onAbort(signal, resolve)
    })
    off()
    for (const ledger of this.#all) ledger.unwait(wake)
  }

  /**
   * The pools for a reply that this one asks for: its own, or with limits a lease of each. Give the leases back when that
   * reply is over.
   */
  handDown(limits?: BudgetLimits): readonly Budget[] {
    return limits ? this.budgets.map((budget) => budget.lease(limits)) : this.budgets
  }

  /** The clocks of the pools run, and the run is stopped when the time is up, until the function that this returns is called. */
  startClocks(run: Run): () => void {
    const over = new AbortController()
    const stops = this.#all.map((ledger) => {
      if (ledger.leftMs !== undefined) {
        const isUp = () => run.stop({ kind: "budget", text: usedUp(ledger, "timeMs") })
        timeUp(ledger, over.signal).then(
          (up) => up && isUp(),
          () => {},
        )
      }
      return ledger.startClock()
    })
    return () => {
      over.abort()
      for (const stop of stops) stop()
    }
  }
}

/** Waits until the time of a budget is up; rejects when the signal aborts. */
async function timeUp(ledger: Ledger, signal: AbortSignal): Promise<boolean> {
  let before = Number.POSITIVE_INFINITY
  // a timer holds 31 bits, and may go off a little early; a clock that stands still is not waited for
  for (let left = ledger.leftMs ?? 0; left > 0 && left < before; left = ledger.leftMs ?? 0) {
    before = left
    await ambient().sleep(Math.min(left, 0x7fffffff), signal)
  }
  return ledger.leftMs === 0
}
