import type { ChatModel } from "./chat-model.ts"
import type { ChatRequest } from "./chat-request.ts"
import type { ChatResponse } from "./chat-response.ts"
import { ModelWrapper } from "./model-wrapper.ts"
import { perform } from "./perform.ts"
import type { RetryPolicy } from "./retry-policy.ts"
import type { ResponseBuilder } from "./stream/response-builder.ts"

class RetryingModel extends ModelWrapper {
  readonly #policy: RetryPolicy

  constructor(inner: ChatModel, policy: RetryPolicy) {
    super(inner)
    this.#policy = policy
  }

  override [perform](
    request: ChatRequest,
    builder: ResponseBuilder,
    retry: RetryPolicy = this.#policy,
  ): Promise<ChatResponse> {
    return this.inner[perform](request, builder, retry)
  }
}

/**
 * The same model with another retry policy, which takes the place of its own `maxRetries`. Calls are made again only while
 * nothing of the answer has come.
 */
export function withRetry(model: ChatModel, policy: RetryPolicy): ChatModel {
  return new RetryingModel(model, policy)
}
