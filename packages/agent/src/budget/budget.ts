import { type ChatUsage, describeValue, type JsonValue } from "@agentscope-ts/message"
import { type StateCodec, StateModule } from "@agentscope-ts/state"
import { agentError } from "../agent-error.ts"
import { Ledger, spend, withAbove } from "./ledger.ts"
import { checkNames, checkOption } from "../options.ts"

/**
 * What may be spent. `tokens` is input plus output; `costUsd` counts where the model's price is known; `timeMs` is wall time
 * during replies; `modelCalls` and `toolCalls` are counts. What is left out has no limit.
 */
export interface BudgetLimits {
  tokens?: number | undefined
  costUsd?: number | undefined
  timeMs?: number | undefined
  modelCalls?: number | undefined
  toolCalls?: number | undefined
}

/** What was spent, of every kind. */
export type BudgetSpent = Readonly<Required<{ [K in keyof BudgetLimits]: number }>>

const names = ["tokens", "costUsd", "timeMs", "modelCalls", "toolCalls"] as const

// a door into Budget for this package alone
let ledgerIn: (budget: Budget) => Ledger

/** The books of a budget. */
export const ledgerOf = (budget: Budget): Ledger => ledgerIn(budget)

/**
 * One pool that any number of agents spend from. What a model call may take at most is held before it is made, where that is
 * known. When a limit is reached, or the next call does not fit into what is left, the reply that meets it ends with
 * `budget_exceeded`. Time counts while at least one reply is running, once for several at a time. What was spent is the
 * pool's state: it can be saved beside its agents.
 * @throws AgentScopeError `invalid_argument` for an unknown limit, or one that is no number of at least 0.
 */
export class Budget extends StateModule implements Disposable {
  #ledger: Ledger

  static {
    ledgerIn = (budget) => budget.#ledger
  }

  constructor(limits: BudgetLimits) {
    super()
    checkLimits("Budget", limits)
    this.#ledger = new Ledger(limits)
  }

  get limits(): Readonly<BudgetLimits> {
    return this.#ledger.limits
  }

  /** What has been spent so far, by everybody. */
  get spent(): BudgetSpent {
    const { spent, timeMs } = this.#ledger
    return { ...spent, timeMs }
  }

  /** The first limit that is reached: nothing more of its kind may be spent. `toolCalls` stops tool calls only. */
  reached(kind: "model" | "tool"): keyof BudgetLimits | undefined {
    return withAbove([this.#ledger])
      .map((ledger) => spentLimit(ledger, kind))
      .find((limit) => limit !== undefined)
  }

  /** Milliseconds until the time is up; `undefined` without a limit of time. */
  get leftMs(): number | undefined {
    return this.#ledger.leftMs
  }

  /** Counts what a model call took that no agent of this package made. */
  countUsage(usage: ChatUsage): void {
    spend([this.#ledger], amountsOf(usage))
  }

  /**
   * A pool that is part of this one. Each limit is taken out of what is left here, and is less than asked for where less is
   * left; what is not spent comes back with `release`, or at the end of the block with `using`. What has no limit is spent
   * from this pool directly. All that is spent counts here, too. Time is not taken out: it passes for both.
   */
  lease(limits: BudgetLimits = {}): Budget {
    checkLimits("Budget.lease", limits)
    const granted: BudgetLimits = {}
    for (const name of names) {
      const asked = limits[name]
      if (asked === undefined) continue
      const left = name === "timeMs" ? [this.#ledger.leftMs] : this.#ledger.holders(name).map((at) => at.left(name))
      granted[name] = Math.max(0, Math.min(asked, ...left.filter((amount) => amount !== undefined)))
    }
    const lease = new Budget(granted)
    lease.#ledger = new Ledger(granted, this.#ledger)
    return lease
  }

  /** Gives what is left of a lease back; nothing more can be spent from it. For any other pool nothing happens. */
  release(): void {
    this.#ledger.close()
  }

  /** The same as {@link Budget.release}. */
  [Symbol.dispose](): void {
    this.release()
  }

  protected override stateCodecs(): Readonly<Record<string, StateCodec>> {
    return { ...super.stateCodecs(), spent: spentCodec(this) }
  }
}

/** Saves what was spent from a pool, and loads it: for the pools above a lease nothing changes. */
export function spentCodec(budget: Budget): StateCodec {
  return {
    save: () => ({ ...budget.spent }),
    load: (value) => {
      const ledger = ledgerOf(budget)
      const { timeMs, ...amounts } = asSpent(value)
      Object.assign(ledger.spent, amounts)
      ledger.timeMs = timeMs
      ledger.settleLease()
      ledger.wake()
    },
  }
}

function asSpent(value: JsonValue): BudgetSpent {
  const spent = value as Partial<Record<keyof BudgetLimits, unknown>> | null
  const isAmount = (amount: unknown) => typeof amount === "number" && amount >= 0 && amount < Number.POSITIVE_INFINITY
  for (const name of names) {
    const amount = typeof spent === "object" && spent !== null ? spent[name] : undefined
    if (isAmount(amount)) continue
    const message = `The saved spending of a budget must have ${name} as a number of at least 0, not ${describeValue(amount)}.`
    throw agentError("invalid_argument", message)
  }
  return Object.fromEntries(names.map((name) => [name, spent?.[name]])) as BudgetSpent
}

/** Refuses limits that do not exist, or are no number of at least 0. */
export function checkLimits(where: string, limits: BudgetLimits): void {
  checkNames(where, limits, names)
  for (const name of names) {
    const limit = limits[name]
    checkOption(where, name, limit, typeof limit === "number" && limit >= 0, "a number of at least 0")
  }
}

/** What a model call's usage takes from a pool. */
export const amountsOf = ({ inputTokens, outputTokens, costUsd = 0 }: ChatUsage) => ({
  tokens: inputTokens + outputTokens,
  costUsd,
})

/** The first limit of books that is reached, for a call of this kind. */
export function spentLimit(ledger: Ledger, kind: "model" | "tool"): keyof BudgetLimits | undefined {
  return names.find((name) => {
    if (name === "modelCalls" && kind !== "model") return false
    if (name === "toolCalls" && kind !== "tool") return false
    return ledger.isSpent(name)
  })
}
