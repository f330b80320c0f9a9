import { ambient } from "@agentscope-ts/message"
import type { BudgetLimits } from "./budget.ts"

/** What is spent piece by piece. Time is not: it passes for all at once. */
export const amountKinds = ["tokens", "costUsd", "modelCalls", "toolCalls"] as const
export type AmountKind = (typeof amountKinds)[number]
/** So much of each kind; what is absent is 0. */
export type Amounts = { readonly [K in AmountKind]?: number }

const nothing = () => ({ tokens: 0, costUsd: 0, modelCalls: 0, toolCalls: 0 })
/** Sums of dollars are off by a little. */
const hair = 1e-9

/**
 * The books of one budget: what was spent, and what is held for calls under way and for leases. A lease is held in the
 * books that it was taken from, and less and less as it is spent.
 */
export class Ledger {
  readonly limits: Readonly<BudgetLimits>
  readonly parent: Ledger | undefined
  readonly spent = nothing()
  readonly held = nothing()
  /** How many holds of calls there are: what they leave over comes back soon. */
  calls = 0
  /** How much of each limit is held for this lease in the books above. */
  readonly #leased = nothing()
  /** It was given back: nothing more can be spent. */
  isClosed = false
  #earlierMs = 0
  #running = 0
  #since = 0
  #waiting: Set<() => void> | undefined

  constructor(limits: BudgetLimits, parent?: Ledger) {
    this.limits = { ...limits }
    this.parent = parent
    this.settleLease()
  }

  /** What of a kind is neither spent nor held; Infinity without a limit. */
  left(kind: AmountKind): number {
    if (this.isClosed) return 0
    return (this.limits[kind] ?? Number.POSITIVE_INFINITY) - this.spent[kind] - this.held[kind]
  }

  has(kind: AmountKind, amount: number): boolean {
    return amount <= this.left(kind) + hair
  }

  /** Whether nothing more may be spent, however the calls under way end. */
  isSpent(kind: keyof BudgetLimits): boolean {
    if (this.isClosed) return true
    const limit = this.limits[kind]
    return limit !== undefined && (kind === "timeMs" ? this.timeMs : this.spent[kind]) >= limit - hair
  }

  /** These books, and all those above. */
  get chain(): readonly Ledger[] {
    return this.parent ? [this, ...this.parent.chain] : [this]
  }

  /** The books in which an amount is held: these, and those above as far as it is not held for a lease there already. */
  holders(kind: AmountKind): readonly Ledger[] {
    if (this.parent === undefined || this.limits[kind] !== undefined) return [this]
    return [this, ...this.parent.holders(kind)]
  }

  hold(kind: AmountKind, amount: number): void {
    const held = this.held[kind] + amount
    this.held[kind] = Math.abs(held) < hair ? 0 : held
  }

  /** Puts what the books above hold for this lease right. Call it for a lease before those above it. */
  settleLease(): void {
    if (this.parent === undefined) return
    for (const kind of amountKinds) {
      const limit = this.limits[kind]
      if (limit === undefined) continue
      const unspent = Math.max(0, limit - this.spent[kind])
      // of what was given back calls may still be under way
      const now = this.isClosed ? Math.min(unspent, this.held[kind]) : unspent
      const change = now - this.#leased[kind]
      this.#leased[kind] = now
      if (change !== 0) for (const holder of this.parent.holders(kind)) holder.hold(kind, change)
    }
  }

  /** Gives back what is left of a lease. */
  close(): void {
    if (this.parent === undefined || this.isClosed) return
    this.isClosed = true
    settle(this.chain)
  }

  // ---- those that wait for room

  wait(wake: () => void): void {
    ;(this.#waiting ??= new Set()).add(wake)
  }

  unwait(wake: () => void): void {
    this.#waiting?.delete(wake)
  }

  wake(): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    for (const wake of waiting ?? []) wake()
  }

  // ---- time

  get timeMs(): number {
    return this.#earlierMs + (this.#running > 0 ? ambient().now() - this.#since : 0)
  }

  set timeMs(timeMs: number) {
    this.#earlierMs = timeMs
    this.#since = ambient().now()
  }

  /** Milliseconds until the time is up; `undefined` without a limit of time. */
  get leftMs(): number | undefined {
    const { timeMs } = this.limits
    return timeMs === undefined ? undefined : Math.max(0, timeMs - this.timeMs)
  }

  /** How many replies run that spend from here. */
  get replies(): number {
    return this.#running
  }

  /** The clock runs from here until the function that this returns is called; once for several at a time. */
  startClock(): () => void {
    if (this.#running++ === 0) this.#since = ambient().now()
    return () => {
      if (--this.#running === 0) this.#earlierMs += ambient().now() - this.#since
    }
  }
}

/** Books and all those above them, each once. */
export const withAbove = (ledgers: readonly Ledger[]): readonly Ledger[] => [
  ...new Set(ledgers.flatMap((ledger) => ledger.chain)),
]

/** Writes into books, and into all above them, what was spent; whoever waits for room there looks again. */
export function spend(ledgers: readonly Ledger[], amounts: Amounts): void {
  const all = withAbove(ledgers)
  for (const kind of amountKinds) {
    const amount = amounts[kind]
    if (amount) for (const ledger of all) ledger.spent[kind] += amount
  }
  for (const ledger of ledgers) settle(ledger.chain)
}

function settle(chain: readonly Ledger[]): void {
  for (const ledger of chain) {
    ledger.settleLease()
    ledger.wake()
  }
}
