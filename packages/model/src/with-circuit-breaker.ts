import { AgentScopeError, ambient } from "@agentscope-ts/message"
import type { ChatModel } from "./chat-model.ts"
import type { ChatRequest } from "./chat-request.ts"
import type { ChatResponse } from "./chat-response.ts"
import { checkModel } from "./check-model.ts"
import { checkSettings, rules } from "./check-settings.ts"
import { modelError, type ModelErrorCode } from "./errors/model-error.ts"
import { ModelWrapper } from "./model-wrapper.ts"
import { perform } from "./perform.ts"
import type { RetryPolicy } from "./retry-policy.ts"
import type { ResponseBuilder } from "./stream/response-builder.ts"

/** When a circuit opens and for how long. */
export interface CircuitBreakerOptions {
  /** How many calls in a row have to fail. Default 5. */
  readonly failures?: number | undefined
  /** How long nothing is sent then, in milliseconds. Default 30 000. */
  readonly coolDownMs?: number | undefined
}

/** Failures that say that the model is down; others say something of the request, the key or the account. */
const ofHealth: ReadonlySet<string> = new Set<ModelErrorCode>([
  "overloaded",
  "server_error",
  "network",
  "timeout",
  "malformed_response",
])

class BreakableModel extends ModelWrapper {
  readonly #failures: number
  readonly #coolDownMs: number
  /** Calls that failed in a row. */
  #failed = 0
  /** Until when nothing is sent; undefined while all is well. */
  #openUntil: number | undefined
  #probing = false

  constructor(inner: ChatModel, { failures = 5, coolDownMs = 30_000 }: CircuitBreakerOptions) {
    super(inner)
    this.#failures = failures
    this.#coolDownMs = coolDownMs
  }

  override async [perform](request: ChatRequest, builder: ResponseBuilder, retry?: RetryPolicy): Promise<ChatResponse> {
    const probe = this.#enter(builder)
    try {
      const response = await this.inner[perform](request, builder, retry)
      if (probe || this.#openUntil === undefined) this.#close()
      return response
    } catch (error) {
      this.#judge(error, probe, builder, request.signal?.aborted === true)
      throw error
    } finally {
      if (probe) this.#probing = false
    }
  }

  /** Whether this call is the one that finds out if the model works again. */
  #enter(builder: ResponseBuilder): boolean {
    if (this.#openUntil === undefined) return false
    const left = this.#openUntil - ambient().now()
    if (left <= 0 && !this.#probing) {
      this.#probing = true
      return true
    }
    builder.fail(false)
    const name = `${this.provider}/${this.model}`
    const why = left > 0 ? "nothing is sent to it for now" : "one call is finding out whether it works again"
    throw modelError({
      code: "circuit_open",
      message: `${name} has failed ${this.#failed} times in a row, and ${why}: try again later, or use withFallback.`,
      details: { retryAfterMs: left > 0 ? left : Math.min(1000, this.#coolDownMs) },
    })
  }

  #judge(error: unknown, probe: boolean, builder: ResponseBuilder, aborted: boolean): void {
    if (aborted) return
    // an answer that came whole, but does not fit the schema, is a sign of life
    const ill = AgentScopeError.is(error) && ofHealth.has(error.code) && !builder.finished
    if (!ill) {
      if (probe) this.#close()
      return
    }
    this.#failed++
    const opens = probe || (this.#openUntil === undefined && this.#failed >= this.#failures)
    if (opens) this.#openUntil = ambient().now() + this.#coolDownMs
  }

  #close(): void {
    this.#failed = 0
    this.#openUntil = undefined
  }
}

/**
 * The same model behind a circuit breaker: after some failures in a row that speak of the model's health, calls fail at once
 * with `circuit_open` (`details.retryAfterMs`) for a while; then one call tries whether it works again.
 * @throws AgentScopeError `invalid_request` for options that cannot be.
 */
export function withCircuitBreaker(model: ChatModel, options: CircuitBreakerOptions = {}): ChatModel {
  checkModel(model, "withCircuitBreaker(model, options)")
  checkSettings("withCircuitBreaker", options, { failures: rules.count, coolDownMs: rules.millisecondsOrNone })
  return new BreakableModel(model, options)
}
