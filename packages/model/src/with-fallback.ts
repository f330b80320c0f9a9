import { AgentScopeError, ambient, errorJson } from "@agentscope-ts/message"
import type { ChatModel } from "./chat-model.ts"
import type { ChatRequest } from "./chat-request.ts"
import type { ChatResponse } from "./chat-response.ts"
import { checkModel } from "./check-model.ts"
import { modelError, type ModelErrorCode } from "./errors/model-error.ts"
import { ModelWrapper } from "./model-wrapper.ts"
import { perform } from "./perform.ts"
import { retryAfterMs, type RetryPolicy } from "./retry-policy.ts"
import type { ResponseBuilder } from "./stream/response-builder.ts"

/** How long a model that failed is asked last, or longer where its provider asks for it. */
const coolDownMs = 60_000

/** Failures of this one request: the next one may well succeed, so the model need not rest. */
const ofRequest: ReadonlySet<string> = new Set<ModelErrorCode>([
  "invalid_request",
  "context_overflow",
  "content_filtered",
  "unsupported",
  "invalid_schema",
])

class FallbackModel extends ModelWrapper {
  readonly #models: readonly ChatModel[]
  readonly #restsUntil = new Map<ChatModel, number>()

  constructor(models: readonly [ChatModel, ...ChatModel[]]) {
    super(models[0])
    this.#models = models
  }

  override async [perform](request: ChatRequest, builder: ResponseBuilder, retry?: RetryPolicy): Promise<ChatResponse> {
    const failures: { readonly name: string; readonly error: unknown }[] = []
    const models = this.#order()
    for (const model of models) {
      const name = `${model.provider}/${model.model}`
      const before = failures.at(-1)
      if (before) {
        builder.reset()
        const message = `${before.name} failed (${errorJson(before.error).code}): ${name} is asked instead.`
        builder.warn("model_fallback", message)
      }
      try {
        const response = await model[perform](request, builder, retry)
        this.#restsUntil.delete(model)
        return response
      } catch (error) {
        // whoever asked wants no more requests: that is no failure of a model
        if (request.signal?.aborted || AgentScopeError.is(error, "budget_exceeded")) throw error
        // an answer that came whole, but does not fit the schema, says nothing of the model's health
        if (!builder.finished) this.#rest(model, error)
        if (builder.started || builder.finished) throw error
        failures.push({ name, error })
      }
    }
    throw allFailed(failures)
  }

  /** Those that work first, those that rest last: a model that is down does not use up its retries at every step. */
  #order(): readonly ChatModel[] {
    const now = ambient().now()
    const rests = (model: ChatModel) => (this.#restsUntil.get(model) ?? 0) > now
    return [...this.#models.filter((model) => !rests(model)), ...this.#models.filter(rests)]
  }

  #rest(model: ChatModel, error: unknown): void {
    if (AgentScopeError.is(error) && ofRequest.has(error.code)) return
    // a wait of seconds is one for retries, which were spent: the next step of an agent would spend them again
    this.#restsUntil.set(model, ambient().now() + Math.max(retryAfterMs(error) ?? 0, coolDownMs))
  }
}

function allFailed(failures: readonly { readonly name: string; readonly error: unknown }[]): unknown {
  const last = failures.at(-1)?.error
  if (failures.length === 1 || !AgentScopeError.is(last)) return last
  const { code, retryable, details } = last
  const each = failures.map(({ name, error }) => `${name}: ${errorJson(error).message}`)
  const message = `All ${failures.length} models failed. ${each.join(" ")}`
  return new AgentScopeError({ code, message, retryable, details, cause: last })
}

/**
 * A model that asks the next one when one fails before it has said anything. Which model answered is in the response's
 * `model`. A model that failed is asked last for a minute, or for as long as its provider asked to wait where
 * that is longer.
 * @throws AgentScopeError `invalid_request` for what is no list of models.
 */
export function withFallback(models: readonly [ChatModel, ...ChatModel[]]): ChatModel {
  if (!Array.isArray(models) || models.length === 0) {
    const message =
      "withFallback takes a list of at least one model, in the order to ask them: withFallback([main, spare])."
    throw modelError({ code: "invalid_request", message })
  }
  for (const model of models) checkModel(model, "withFallback([main, spare])")
  return new FallbackModel(models)
}
