import type { ChatModel } from "./chat-model.ts"
import type { ChatRequest } from "./chat-request.ts"
import type { ChatResponse } from "./chat-response.ts"
import { checkModel } from "./check-model.ts"
import { modelError } from "./errors/model-error.ts"
import { ModelWrapper } from "./model-wrapper.ts"
import { perform } from "./perform.ts"
import type { RateLimiter } from "./rate-limiter.ts"
import type { RetryPolicy } from "./retry-policy.ts"
import type { Gate } from "./stream/gate.ts"
import type { ResponseBuilder } from "./stream/response-builder.ts"
import { CharTokenCounter } from "./token-counter.ts"

/** What an answer is taken to be long until some have come. */
const firstGuess = 500

class RateLimitedModel extends ModelWrapper {
  readonly #gate: Gate
  /** A running mean of what answers were long. */
  #outputTokens = firstGuess

  constructor(inner: ChatModel, limiter: RateLimiter) {
    super(inner)
    this.#gate = {
      enter: async (request) => {
        const permit = await limiter.acquire(limiter.countsTokens ? await this.#estimate(request) : 0, request.signal)
        return ({ usage, error }) => {
          if (usage) this.#outputTokens += (usage.outputTokens - this.#outputTokens) / 8
          permit.release({ tokens: usage && usage.inputTokens + usage.outputTokens, error })
        }
      },
    }
  }

  override async [perform](request: ChatRequest, builder: ResponseBuilder, retry?: RetryPolicy): Promise<ChatResponse> {
    const off = builder.addGate(this.#gate)
    try {
      return await this.inner[perform](request, builder, retry)
    } finally {
      off()
    }
  }

  /** By estimate: the provider's own count may itself be a request. */
  async #estimate({ messages, tools, params }: ChatRequest): Promise<number> {
    const input = await new CharTokenCounter().count(messages, tools)
    return input + Math.min(params?.maxTokens ?? Number.POSITIVE_INFINITY, Math.ceil(this.#outputTokens))
  }
}

/**
 * The same model within the limits of `limiter`, which all models share that share an account. Every request waits for its
 * turn, those of retries and of repeated questions too; a call that waits can be aborted.
 */
export function withRateLimit(model: ChatModel, limiter: RateLimiter): ChatModel {
  checkModel(model, "withRateLimit(model, limiter)")
  if (typeof (limiter as Partial<RateLimiter> | undefined)?.acquire !== "function") {
    const message =
      "withRateLimit takes a RateLimiter, which all models share that share an account: withRateLimit(model, new RateLimiter({ requestsPerMinute: 500 }))."
    throw modelError({ code: "invalid_request", message })
  }
  return new RateLimitedModel(model, limiter)
}
