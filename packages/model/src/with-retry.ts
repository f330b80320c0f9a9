import { AgentScopeError } from "@agentscope-ts/message"
import type { ChatModel } from "./chat-model.ts"
import type { ChatRequest } from "./chat-request.ts"
import type { ChatResponse } from "./chat-response.ts"
import { checkModel } from "./check-model.ts"
import { checkSettings, rules } from "./check-settings.ts"
import { abortedError } from "./errors/model-error.ts"
import { ModelWrapper } from "./model-wrapper.ts"
import { perform } from "./perform.ts"
import type { RetryPolicy } from "./retry-policy.ts"
import { retrying } from "./retrying.ts"
import type { ResponseBuilder } from "./stream/response-builder.ts"

const policyRules = {
  maxRetries: rules.countOrNone,
  initialDelayMs: rules.millisecondsOrNone,
  maxDelayMs: rules.millisecondsOrNone,
  retryOn: rules.call,
} as const

class RetryingModel extends ModelWrapper {
  readonly #policy: RetryPolicy

  constructor(inner: ChatModel, policy: RetryPolicy) {
    super(inner)
    this.#policy = policy
  }

  /** The model retries by the policy itself; only a circuit breaker on the way to it has to be waited for here. */
  override async [perform](
    request: ChatRequest,
    builder: ResponseBuilder,
    retry: RetryPolicy = this.#policy,
  ): Promise<ChatResponse> {
    const { signal } = request
    try {
      return await retrying(() => this.inner[perform](request, builder, retry), retry, signal, {
        mayRetry: (error) => !builder.started && AgentScopeError.is(error, "circuit_open"),
        onRetry: (attempt, delayMs, error) => builder.onRetry(attempt, delayMs, error),
      })
    } catch (error) {
      if (!signal?.aborted || AgentScopeError.is(error, "aborted")) throw error
      builder.fail(true)
      throw abortedError(signal, `The call of ${this.provider}/${this.model}`)
    }
  }
}

/**
 * The same model with another retry policy, which takes the place of its own `maxRetries`. Calls are made again only while
 * nothing of the answer has come.
 * @throws AgentScopeError `invalid_request` for a policy that cannot be.
 */
export function withRetry(model: ChatModel, policy: RetryPolicy = {}): ChatModel {
  checkModel(model, "withRetry(model, policy)")
  checkSettings("withRetry", policy, policyRules)
  return new RetryingModel(model, policy)
}
