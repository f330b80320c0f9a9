import { AgentScopeError, ambient, onAbort } from "@agentscope-ts/message"
import { checkSettings, rules } from "./check-settings.ts"
import { modelError } from "./errors/model-error.ts"
import { retryAfterMs } from "./retry-policy.ts"

/** What a provider allows; what is absent is not limited. */
export interface RateLimits {
  readonly requestsPerMinute?: number | undefined
  /** Input and output together. */
  readonly tokensPerMinute?: number | undefined
  /** How many requests may be under way at a time. */
  readonly maxConcurrent?: number | undefined
}

/** Leave to make one request, until it is given back. */
export interface Permit {
  /** The request has ended: what it really took, where that is known, or why it failed. Only the first call counts. */
  release(end?: { readonly tokens?: number | undefined; readonly error?: unknown }): void
}

interface Waiter {
  readonly tokens: number
  grant(permit: Permit): void
  refuse(error: unknown): void
}

/** Infinity is no limit. */
const limitRules = {
  requestsPerMinute: rules.aboveZero,
  tokensPerMinute: rules.aboveZero,
  maxConcurrent: rules.aboveZero,
} as const
const minuteMs = 60_000
/** A provider that asks for a longer pause makes calls fail at once: nobody waits for hours. */
const longestPauseMs = 60_000
const slowest = 1 / 64
/** How much of the full rate comes back with each request that succeeds. */
const recovery = 0.05

/**
 * Keeps requests within a provider's limits; one for all agents of a process that share a key. Who comes first goes first.
 * A minute's worth may go at once, then as much as flows back. A 429 slows everybody down: for as long as the provider
 * asked, else for a second (twice as long each time) and to half the rate, which recovers with what succeeds.
 */
export class RateLimiter {
  readonly #requests: Bucket | undefined
  readonly #tokens: Bucket | undefined
  readonly #maxConcurrent: number
  readonly #queue: Waiter[] = []
  #active = 0
  /** The part of the limits that is used: less than 1 after a 429. */
  #pace = 1
  #pausedUntil = 0
  /** Requests that began before were judged by the last 429. */
  #judged = 0
  #begun = 0
  #timer: AbortController | undefined

  /** @throws AgentScopeError `invalid_request` for a limit that does not exist or is no positive number. */
  constructor(limits: RateLimits = {}) {
    checkSettings("RateLimiter", limits, limitRules)
    const { requestsPerMinute, tokensPerMinute, maxConcurrent } = limits
    this.#requests = requestsPerMinute === undefined ? undefined : new Bucket(requestsPerMinute)
    this.#tokens = tokensPerMinute === undefined ? undefined : new Bucket(tokensPerMinute)
    this.#maxConcurrent = maxConcurrent ?? Number.POSITIVE_INFINITY
  }

  /** Whether tokens are limited, so that an estimate is worth its time. */
  get countsTokens(): boolean {
    return this.#tokens !== undefined
  }

  /** How many wait. */
  get waiting(): number {
    return this.#queue.length
  }

  /**
   * Waits for leave to make a request that will take about so many tokens. Rejects with `signal.reason` when the signal
   * aborts, and with `rate_limited` when the provider asked for a pause of more than a minute.
   */
  acquire(tokens = 0, signal?: AbortSignal): Promise<Permit> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error)
      const waiter: Waiter = {
        tokens,
        grant: (permit) => {
          off()
          resolve(permit)
        },
        refuse: (error) => {
          off()
          reject(error)
        },
      }
      const off = onAbort(signal, () => {
        const at = this.#queue.indexOf(waiter)
        if (at < 0) return
        this.#queue.splice(at, 1)
        waiter.refuse(signal?.reason)
        this.#pump()
      })
      this.#queue.push(waiter)
      if (this.#queue.length === 1) this.#pump()
    })
  }

  /** Lets go whoever may go, and looks again when the next one may. */
  #pump(): void {
    this.#timer?.abort()
    this.#timer = undefined
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const now = ambient().now()
      if (this.#pausedUntil - now > longestPauseMs) return this.#refuseAll(this.#pausedUntil - now)
      // a place comes free with a release
      if (this.#active > 0 && this.#active >= Math.floor(this.#maxConcurrent * this.#pace)) return
      const wait = Math.max(
        this.#pausedUntil - now,
        this.#requests?.wait(1, now, this.#pace) ?? 0,
        this.#tokens?.wait(next.tokens, now, this.#pace) ?? 0,
      )
      if (wait > 0) return this.#wakeAfter(wait)
      this.#queue.shift()
      this.#requests?.take(1)
      this.#tokens?.take(next.tokens)
      this.#active++
      next.grant(this.#permit(next.tokens))
    }
  }

  #wakeAfter(ms: number): void {
    const timer = new AbortController()
    this.#timer = timer
    ambient()
      .sleep(Math.ceil(ms), timer.signal)
      .then(
        () => {
          if (this.#timer === timer) this.#pump()
        },
        () => {},
      )
  }

  #refuseAll(waitMs: number): void {
    const message = `The provider asked all callers to wait ${Math.ceil(waitMs / 1000)} s, which is longer than a call may wait: try again then, or use withFallback.`
    for (const waiter of this.#queue.splice(0)) {
      waiter.refuse(modelError({ code: "rate_limited", message, details: { retryAfterMs: waitMs } }))
    }
  }

  #permit(estimate: number): Permit {
    const begun = this.#begun++
    let released = false
    return {
      release: ({ tokens, error } = {}) => {
        if (released) return
        released = true
        this.#active--
        this.#settle(estimate, tokens, error)
        if (AgentScopeError.is(error, "rate_limited")) this.#slowDown(error, begun)
        else if (error === undefined) this.#recover()
        if (this.#queue.length > 0) this.#pump()
      },
    }
  }

  /** Corrects the estimate. What was refused took nothing; of what broke off nobody knows. */
  #settle(estimate: number, tokens: number | undefined, error: unknown): void {
    const unknown = ["network", "timeout", "aborted"].some((code) => AgentScopeError.is(error, code))
    const real = tokens ?? (error === undefined || unknown ? estimate : 0)
    this.#tokens?.take(real - estimate)
  }

  #slowDown(error: unknown, begun: number): void {
    const now = ambient().now()
    const asked = retryAfterMs(error)
    if (asked !== undefined) this.#pausedUntil = Math.max(this.#pausedUntil, now + asked)
    // many that were under way at a time fail for the same reason
    if (asked !== undefined || begun < this.#judged) return
    this.#judged = this.#begun
    this.#refill(now)
    this.#pace = Math.max(this.#pace / 2, slowest)
    this.#requests?.empty()
    this.#pausedUntil = Math.max(this.#pausedUntil, now + 500 / this.#pace)
  }

  #recover(): void {
    if (this.#pace === 1) return
    this.#refill(ambient().now())
    this.#pace = Math.min(1, this.#pace + recovery)
  }

  #refill(now: number): void {
    this.#requests?.refill(now, this.#pace)
    this.#tokens?.refill(now, this.#pace)
  }
}

/** Fills at a steady rate up to a minute's worth; may be in debt. */
class Bucket {
  readonly #perMinute: number
  #level: number
  #at: number | undefined

  constructor(perMinute: number) {
    this.#perMinute = perMinute
    this.#level = perMinute
  }

  refill(now: number, pace: number): void {
    const passed = Math.max(0, now - (this.#at ?? now))
    this.#level = Math.min(this.#perMinute, this.#level + (passed * this.#perMinute * pace) / minuteMs)
    this.#at = now
  }

  /** In how many milliseconds so much will be there; what is more than a minute's worth needs a full bucket. */
  wait(amount: number, now: number, pace: number): number {
    this.refill(now, pace)
    // a billionth is the clock's rounding
    const missing = Math.min(amount, this.#perMinute) - this.#level - 1e-9
    return missing <= 0 ? 0 : (missing * minuteMs) / (this.#perMinute * pace)
  }

  take(amount: number): void {
    this.#level -= amount
  }

  empty(): void {
    this.#level = Math.min(this.#level, 0)
  }
}
