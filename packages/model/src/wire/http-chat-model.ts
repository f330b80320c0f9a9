import { ChatModel, type ChatModelInit, type ProviderOptions } from "../chat-model.ts"
import type { ChatParams, ChatRequest } from "../chat-request.ts"
import type { CallSink } from "../stream/call-sink.ts"
import { checkOptions, checkParams } from "./check-options.ts"
import { type HeadRequest, type RequestPlan, RequestPlans } from "./request-plans.ts"

/** What a provider's class passes to {@link HttpChatModel} beside its options. */
export interface HttpModelInit<P extends ChatParams>
  extends Pick<ChatModelInit<P>, "provider" | "formatters" | "dialect" | "local"> {
  /** The names of the options and of the params beside the common ones. */
  readonly optionNames: readonly string[]
  readonly paramNames: readonly string[]
  /** Whether the option `client`, where there is one, sends the requests: it retries by itself. */
  readonly clientSends?: boolean | undefined
}

/** What a plan is made with, beside the request. */
export interface PlanGiven {
  readonly streaming: boolean
  /** What else it depends on, such as a system text. */
  readonly extra: string
  /** Tells of what cannot be sent as it was asked for: the caller hears it with each call. */
  readonly warn: (code: string, message: string) => void
}

/** A model behind an HTTP API of a provider's own: options and params are checked, and requests planned before they are sent. */
export abstract class HttpChatModel<
  P extends ChatParams,
  Plan extends Omit<RequestPlan, "warnings"> = Omit<RequestPlan, "warnings">,
> extends ChatModel<P> {
  readonly #paramNames: readonly string[]
  readonly #plans: RequestPlans<P, Plan & Pick<RequestPlan, "warnings">>

  constructor(
    options: ProviderOptions<P, object>,
    { optionNames, paramNames, clientSends, ...init }: HttpModelInit<P>,
  ) {
    checkOptions(options, optionNames, new.target.name)
    checkParams(options.params, paramNames, new.target.name)
    const maxRetries = options.maxRetries ?? (clientSends && options.client ? 0 : undefined)
    super({ ...options, ...init, maxRetries })
    this.#paramNames = paramNames
    this.#plans = new RequestPlans((request, streaming, extra) => {
      const warnings: [string, string][] = []
      const warn = (code: string, message: string): void => void warnings.push([code, message])
      return { ...this.plan(request, { streaming, extra, warn }), warnings }
    })
  }

  /** Provider and model, for messages. */
  protected get label(): string {
    return `${this.provider}/${this.model}`
  }

  /** The plan of a request and the sink for its answer; `extra` is what else the plan depends on. Unknown params are an error. */
  protected planned(request: ChatRequest<P>, sink: CallSink, extra = "") {
    if (request.params !== this.params) checkParams(request.params, this.#paramNames, this.constructor.name)
    return this.#plans.of(request, sink, extra)
  }

  /** What a provider writes: all of a request but its messages. The last plan is kept as long as it fits. */
  protected abstract plan(request: HeadRequest<P>, given: PlanGiven): Plan
}
