import { AgentScopeError, errorJson, type InferOutput, type Schema, untilAbort } from "@agentscope-ts/message"
import { loadTracing, type Span, startSpan } from "@agentscope-ts/tracing"
import type { ChatParams, ChatRequest } from "./chat-request.ts"
import type { ChatResponse } from "./chat-response.ts"
import { describeRequest, describeResponse } from "./chat-span.ts"
import { abortedError, modelError } from "./errors/model-error.ts"
import type { Formatter, FormatterOption } from "./formatter.ts"
import type { Dialect } from "./history/dialect.ts"
import { HistoryGuard } from "./history/history-guard.ts"
import { perform } from "./perform.ts"
import { costOf, type ModelPrice, priceOf } from "./prices.ts"
import type { RetryPolicy } from "./retry-policy.ts"
import { retrying } from "./retrying.ts"
import type { CallSink } from "./stream/call-sink.ts"
import type { ChatStream, ChatStreamSink } from "./stream/chat-stream.ts"
import { LiveStream } from "./stream/live-stream.ts"
import { ResponseBuilder } from "./stream/response-builder.ts"
import { structuredOf } from "./structured-output.ts"
import { CharTokenCounter } from "./token-counter.ts"

/** Options that every model takes. */
export interface ModelOptions<P extends ChatParams = ChatParams> {
  /** The provider's name of the model. */
  model: string
  /** Default `chat`. */
  formatter?: FormatterOption | undefined
  /** Settings of every call; a request's own come over them, one by one. */
  params?: P | undefined
  /** How often a call that has said nothing yet is made again. Default 2. */
  maxRetries?: number | undefined
  /** How many tokens fit the model's context, for those who compact in time. */
  contextWindow?: number | undefined
  /** What the model costs, where `priceTable` does not know it or knows it wrong. */
  price?: ModelPrice | undefined
}

/** What a provider's class passes to {@link ChatModel}. */
export interface ChatModelInit<P extends ChatParams = ChatParams> extends ModelOptions<P> {
  provider: string
  formatters: { chat: Formatter; "multi-agent"?: Formatter | undefined }
  /** The provider's rules for histories. Default: only its name, for opaque data. */
  dialect?: Dialect | undefined
}

/** Options that every provider's model takes; `Client` is the vendor's SDK client. */
export interface ProviderOptions<P extends ChatParams = ChatParams, Client = never> extends ModelOptions<P> {
  apiKey?: string | undefined
  baseURL?: string | undefined
  headers?: Record<string, string> | undefined
  /** Takes the place of the transport. */
  fetch?: typeof globalThis.fetch | undefined
  /** An instance of the vendor's SDK, whose authentication and endpoints are then used. */
  client?: Client | undefined
  /** How long the server may send nothing before the call fails with `timeout`, in milliseconds. Default 10 minutes. */
  timeoutMs?: number | undefined
}

/**
 * A chat model of any provider. A provider writes {@link ChatModel.send}; this class merges params, puts the history
 * right for the provider, retries what failed before it said anything, collects the answer, validates structured output,
 * and measures time and cost.
 */
export abstract class ChatModel<P extends ChatParams = ChatParams> {
  readonly provider: string
  readonly model: string
  readonly formatter: Formatter
  readonly params: P
  readonly contextWindow: number | undefined
  protected readonly dialect: Dialect
  protected readonly retry: RetryPolicy
  protected readonly price: ModelPrice | undefined
  readonly #guards = new WeakMap<object, HistoryGuard>()

  constructor(options: ChatModelInit<P>) {
    this.provider = options.provider
    this.model = options.model
    this.formatter = formatterOf(options)
    this.params = { ...options.params } as P
    this.contextWindow = options.contextWindow
    this.dialect = options.dialect ?? { provider: options.provider }
    this.retry = { maxRetries: options.maxRetries }
    this.price = options.price ?? priceOf(options.model)
  }

  /** One answer by a request that does not stream. The sink hears of retries and warnings, and of the blocks as they come. */
  generate<const S extends Schema>(
    request: ChatRequest<P> & { readonly schema: S },
    sink?: ChatStreamSink,
  ): Promise<ChatResponse<InferOutput<S>>>
  generate(request: ChatRequest<P>, sink?: ChatStreamSink): Promise<ChatResponse>
  generate(request: ChatRequest<P>, sink?: ChatStreamSink): Promise<ChatResponse> {
    const builder = new ResponseBuilder(this.model, false)
    if (sink) builder.attach(sink)
    return this[perform](request, builder)
  }

  /** One answer as it comes. Nothing is sent until the stream is used. */
  stream<const S extends Schema>(request: ChatRequest<P> & { readonly schema: S }): ChatStream<InferOutput<S>>
  stream(request: ChatRequest<P>): ChatStream
  stream(request: ChatRequest<P>): ChatStream {
    return new LiveStream(
      new ResponseBuilder(this.model, true),
      (builder, signal) => this[perform](signal === request.signal ? request : { ...request, signal }, builder),
      request.signal,
    )
  }

  /** How many tokens the request takes; an estimate (four bytes a token) unless the provider can say it. */
  countTokens(request: ChatRequest<P>): Promise<number> {
    return new CharTokenCounter().count(request.messages, request.tools)
  }

  /** The one thing a provider writes: one request, streamed or not, its answer put into the sink. */
  protected abstract send(request: ChatRequest<P>, sink: CallSink): Promise<void>

  /** Runs one call into the builder, from history guard to validation. */
  async [perform](
    request: ChatRequest<P>,
    builder: ResponseBuilder,
    retry: RetryPolicy = this.retry,
  ): Promise<ChatResponse> {
    const { signal } = request
    builder.start(this.model)
    const loading = loadTracing()
    if (loading) await loading
    const span = startSpan("chat", this.model)
    try {
      const prepared = this.#prepare(request, builder)
      if (span) describeRequest(span, this.provider, prepared, builder.streaming)
      await retrying(() => this.#attempt(prepared, builder, span), retry, signal, {
        // what has been said cannot be taken back
        mayRetry: () => !builder.started && !builder.finished,
        onRetry: (attempt, delayMs, error) => {
          builder.reset()
          builder.sink?.onRetry?.({ attempt, delayMs, error: errorJson(error) })
        },
      })
      const response = this.#complete(request, builder)
      if (span) describeResponse(span, response)
      return response
    } catch (error) {
      const failure = signal?.aborted ? abortedError(signal, `The call of ${this.#name}`) : error
      builder.fail(signal?.aborted === true)
      span?.fail(failure)
      throw failure
    } finally {
      span?.end()
    }
  }

  async #attempt(prepared: ChatRequest<P>, builder: ResponseBuilder, span: Span | undefined): Promise<void> {
    const sent = span ? span.run(() => this.send(prepared, builder)) : this.send(prepared, builder)
    try {
      await untilAbort(sent, prepared.signal)
    } catch (error) {
      // the answer is complete: a connection that breaks after it loses nothing
      if (builder.finished && AgentScopeError.is(error, "network")) return
      throw error
    }
    if (builder.finished) return
    const message = `The answer of ${this.#name} ended before it was complete.`
    throw modelError({ code: "malformed_response", message })
  }

  get #name(): string {
    return `${this.provider}/${this.model}`
  }

  #prepare(request: ChatRequest<P>, builder: ResponseBuilder): ChatRequest<P> {
    const { conversation, messages, params } = request
    let guard = conversation && this.#guards.get(conversation)
    if (guard === undefined) {
      guard = new HistoryGuard(this.dialect)
      if (conversation) this.#guards.set(conversation, guard)
    }
    const warn = (code: string, message: string) => builder.sink?.onWarning?.({ code, message })
    return {
      ...request,
      messages: guard.guard(messages, warn),
      params: params ? merged(this.params, params) : this.params,
    }
  }

  #complete(request: ChatRequest<P>, builder: ResponseBuilder): ChatResponse {
    const { usage } = builder
    if (usage && this.price && usage.costUsd === undefined) {
      builder.usage = { ...usage, costUsd: costOf(usage, this.price) }
    }
    const response = builder.response()
    if (request.schema === undefined) return response
    const structured = structuredOf(response, request.schema, builder.structured, this.#name)
    return structured === undefined ? response : { ...response, structured }
  }
}

/** Request over constructor; `undefined` means "not given". */
function merged<P extends ChatParams>(base: P, over: P): P {
  const out = { ...base } as Record<string, unknown>
  for (const [key, value] of Object.entries(over)) if (value !== undefined) out[key] = value
  return out as unknown as P
}

function formatterOf({ formatter = "chat", formatters, provider }: ChatModelInit): Formatter {
  const chosen = typeof formatter === "string" ? formatters[formatter] : formatter
  if (chosen) return chosen
  const known = Object.keys(formatters).map((name) => `"${name}"`)
  const message = `${provider} has no "${formatter as string}" formatter: choose ${known.join(" or ")}, or pass an own Formatter.`
  throw modelError({ code: "unsupported", message })
}
