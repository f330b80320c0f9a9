import { ChatModel } from "./chat-model.ts"
import type { ChatRequest } from "./chat-request.ts"
import { modelError } from "./errors/model-error.ts"

/** A model that looks like another and hands its calls on; a subclass says how. */
export abstract class ModelWrapper extends ChatModel {
  protected readonly inner: ChatModel

  constructor(inner: ChatModel) {
    const { provider, model, formatter, params, contextWindow, facts, price } = inner
    super({ provider, model, formatters: { chat: formatter }, params, contextWindow, facts, price })
    this.inner = inner
  }

  override countTokens(request: ChatRequest): Promise<number> {
    return this.inner.countTokens(request)
  }

  protected override send(): Promise<void> {
    const message = `${this.constructor.name} sends nothing itself: it hands whole calls on.`
    return Promise.reject(modelError({ code: "unsupported", message }))
  }
}
