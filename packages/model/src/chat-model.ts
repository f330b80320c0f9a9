import {
  AgentScopeError,
  errorJson,
  hasBlocks,
  type InferOutput,
  type Schema,
  untilAbort,
} from "@agentscope-ts/message"
import { loadTracing, type Span, startSpan } from "@agentscope-ts/tracing"
import type { ChatParams, ChatRequest } from "./chat-request.ts"
import type { ChatResponse } from "./chat-response.ts"
import { checkAnswer, reaskMessages } from "./check-answer.ts"
import { checkRequest, requestFault } from "./check-request.ts"
import { Conversation, type ConversationChecks } from "./conversation.ts"
import { describeFigures, describeRequest, describeResponse, timeFirstChunk } from "./chat-span.ts"
import { abortedError, modelError } from "./errors/model-error.ts"
import type { Formatter, FormatterOption } from "./formatter.ts"
import type { Dialect } from "./history/dialect.ts"
import { guardHistory } from "./history/history-guard.ts"
import { ToolNames } from "./history/tool-names.ts"
import { perform } from "./perform.ts"
import { factsOf, type ModelFacts, ownFacts } from "./model-facts.ts"
import { costOf, type ModelPrice } from "./prices.ts"
import type { RetryPolicy } from "./retry-policy.ts"
import { retrying } from "./retrying.ts"
import type { CallSink, TracedAttributes } from "./stream/call-sink.ts"
import type { Gate, RequestEnd } from "./stream/gate.ts"
import type { ChatStream, ChatStreamSink } from "./stream/chat-stream.ts"
import { LiveStream } from "./stream/live-stream.ts"
import { ResponseBuilder } from "./stream/response-builder.ts"
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
  /**
   * How often the model is asked again, with an explanation, when its answer does not fit the request's schema or its tool
   * call could not be read. What was streamed until then is void, and the `retry` event says so; who cannot hear it (a
   * plain `for await`) gets the error at once. Default 1; with 0 a response may end in `malformed_tool_call`.
   */
  maxReasks?: number | undefined
  /** How many tokens fit the model's context, for those who compact in time. Default: as in its facts. */
  contextWindow?: number | undefined
  /** What the model costs. Default: as in its facts. */
  price?: ModelPrice | undefined
  /**
   * What is known of the model, over `factsOf(model)`, where `modelFacts` does not know it or knows it wrong; or a table of
   * such rows by the models' names, which may be shared by all models of a program.
   */
  facts?: ModelFacts | Readonly<Record<string, ModelFacts>> | undefined
}

/** What a provider's class passes to {@link ChatModel}. */
export interface ChatModelInit<P extends ChatParams = ChatParams> extends ModelOptions<P> {
  provider: string
  formatters: { chat: Formatter; "multi-agent"?: Formatter | undefined }
  /** The provider's rules for histories. Default: only its name, for opaque data. */
  dialect?: Dialect | undefined
  /** Runs on the user's own machine: neither the price that it has elsewhere nor its whole context is taken for granted. */
  local?: boolean | undefined
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
  /** What is known of the model: nothing more than the options say where it is not in `modelFacts`. */
  readonly facts: ModelFacts
  /** How many tokens fit, where that is known. */
  readonly contextWindow: number | undefined
  protected readonly dialect: Dialect
  protected readonly retry: RetryPolicy
  /** What the model costs, where that is known. */
  readonly price: ModelPrice | undefined
  readonly #conversations = new WeakMap<object, Conversation>()
  readonly #toolNames: ToolNames
  readonly #maxReasks: number
  readonly #checks: ConversationChecks
  /** The dialect, without a limit on media where the formatter is the user's own. */
  readonly #shownBy: Dialect

  constructor(options: ChatModelInit<P>) {
    this.provider = options.provider
    this.model = options.model
    this.formatter = formatterOf(options)
    this.params = { ...options.params } as P
    const known = factsOf(options.model)
    const own = ownFacts(options.model, options.facts)
    this.facts = own ? { ...known, ...own } : known
    const granted = options.local ? (own ?? {}) : this.facts
    this.contextWindow = options.contextWindow ?? granted.contextWindow
    this.dialect = options.dialect ?? { provider: options.provider }
    this.retry = { maxRetries: options.maxRetries }
    this.price = options.price ?? granted.price
    this.#toolNames = new ToolNames(this.dialect.toolName)
    this.#maxReasks = options.maxReasks ?? 1
    const { formatter = "chat", formatters } = options
    const speakers = formatter === "chat" && formatters["multi-agent"] !== undefined
    this.#shownBy = isOwn(this.formatter, formatters) ? this.dialect : withAnyMedia(this.dialect)
    this.#checks = { speakers, inputs: this.facts.inputs, media: this.#shownBy.media, name: this.#name }
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
    return this.#call(request, builder)
  }

  /** One answer as it comes. Nothing is sent until the stream is used. */
  stream<const S extends Schema>(request: ChatRequest<P> & { readonly schema: S }): ChatStream<InferOutput<S>>
  stream(request: ChatRequest<P>): ChatStream
  stream(request: ChatRequest<P>): ChatStream {
    return new LiveStream(
      new ResponseBuilder(this.model, true),
      (builder, signal) => this.#call(signal === request?.signal ? request : { ...request, signal }, builder),
      request?.signal,
    )
  }

  #call(request: ChatRequest<P>, builder: ResponseBuilder): Promise<ChatResponse> {
    const fault = requestFault(request)
    return fault ? Promise.reject(fault) : this[perform](request, builder)
  }

  /** How many tokens the request takes; an estimate ({@link CharTokenCounter}) unless the provider can say it. */
  countTokens(request: ChatRequest<P>): Promise<number> {
    return new CharTokenCounter().count(request.messages, request.tools)
  }

  /** The request as {@link ChatModel.send} gets it, for what a provider asks beside chat, such as a count of tokens. */
  protected prepared(request: ChatRequest<P>): ChatRequest<P> {
    return this.#prepare({ ...request, conversation: undefined }, undefined)
  }

  /** The one thing a provider writes: one request, streamed or not, its answer put into the sink. */
  protected abstract send(request: ChatRequest<P>, sink: CallSink): Promise<void>

  /** What a trace says of a request beyond what all providers have, such as the server that it goes to. */
  protected traced?(request: ChatRequest<P>): TracedAttributes

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
    const span = startSpan("chat", this.model, undefined, this.provider)
    if (span && builder.streaming) timeFirstChunk(span, builder)
    try {
      const prepared = this.#prepare(request, builder)
      if (span) {
        describeRequest(span, prepared, builder.streaming)
        if (this.traced) span.set(this.traced(prepared))
      }
      const response = await this.#answer(prepared, builder, retry, span)
      if (span) describeResponse(span, response, builder.traced)
      return response
    } catch (error) {
      const failure = signal?.aborted ? abortedError(signal, `The call of ${this.#name}`) : error
      builder.fail(signal?.aborted === true)
      if (span) {
        describeFigures(span, builder.total)
        span.fail(failure)
      }
      throw failure
    } finally {
      span?.end()
    }
  }

  /** One request, through the gates of the call. */
  async #passing(
    gates: readonly Gate[],
    request: ChatRequest<P>,
    builder: ResponseBuilder,
    span: Span | undefined,
  ): Promise<void> {
    const leave: ((end: RequestEnd) => void)[] = []
    let error: unknown
    try {
      for (const gate of gates) leave.push(await gate.enter(request))
      await this.#request(request, builder, span)
    } catch (failure) {
      error = failure
      throw failure
    } finally {
      for (const left of leave) left({ usage: builder.usage, error })
    }
  }

  async #request(prepared: ChatRequest<P>, builder: ResponseBuilder, span: Span | undefined): Promise<void> {
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

  #prepare(request: ChatRequest<P>, builder: ResponseBuilder | undefined): ChatRequest<P> {
    const { conversation, messages, params, tools } = request
    let known = conversation && this.#conversations.get(conversation)
    if (known === undefined) {
      known = new Conversation(this.#shownBy, conversation)
      if (conversation) this.#conversations.set(conversation, known)
    }
    const warn = (code: string, message: string) => builder?.warn(code, message)
    const prepared = {
      ...request,
      messages: known.prepare(messages, this.#checks, warn),
      params: params ? merged(this.params, params) : this.params,
    }
    checkRequest(prepared, this.#name)
    const mapped = tools && this.#toolNames.of(tools)
    if (builder) builder.toolNames = mapped?.back
    if (mapped === undefined) return prepared
    return { ...prepared, tools: mapped.tools, toolChoice: this.#toolNames.choice(request.toolChoice, mapped) }
  }

  /** Asks until there is an answer that will do, or the model has been asked again often enough. */
  async #answer(
    prepared: ChatRequest<P>,
    builder: ResponseBuilder,
    retry: RetryPolicy,
    span: Span | undefined,
  ): Promise<ChatResponse> {
    let asked = prepared
    for (let reasks = 0; ; reasks++) {
      const request = asked
      const attempt = (): Promise<void> => {
        const { gates } = builder
        return gates ? this.#passing(gates, request, builder, span) : this.#request(request, builder, span)
      }
      await retrying(attempt, retry, prepared.signal, builder)
      const response = this.#priced(builder)
      const check = checkAnswer(response, prepared.schema, builder.structured, this.#name)
      if (!("error" in check)) {
        return check.structured === undefined ? response : { ...response, structured: check.structured }
      }
      const { error, explanation } = check
      if (explanation === undefined || reasks >= this.#maxReasks || !builder.voidable) {
        // who wants to ask again himself gets what there is, and so does who has read it and cannot be told otherwise
        const standing = !builder.voidable && hasBlocks(response, "text")
        if (response.stopReason === "malformed_tool_call" && (this.#maxReasks === 0 || standing)) return response
        throw error
      }
      builder.again()
      builder.sink?.onRetry?.({ attempt: reasks + 1, delayMs: 0, error: errorJson(error) })
      const speaker = prepared.messages.findLast(({ role }) => role === "assistant")?.name ?? "assistant"
      const messages = [...asked.messages, ...reaskMessages(response, explanation, speaker)]
      // it is no part of the conversation, whose body goes on without it
      asked = { ...prepared, conversation: undefined, messages: guardHistory(messages, this.#shownBy) }
    }
  }

  #priced(builder: ResponseBuilder): ChatResponse {
    const { usage, cacheWriteLongTokens } = builder
    if (usage && this.price && usage.costUsd === undefined) {
      builder.usage = { ...usage, costUsd: costOf({ ...usage, cacheWriteLongTokens }, this.price) }
    }
    return builder.response()
  }
}

/** Request over constructor; `undefined` means "not given". */
function merged<P extends ChatParams>(base: P, over: P): P {
  const out = { ...base } as Record<string, unknown>
  for (const [key, value] of Object.entries(over)) if (value !== undefined) out[key] = value
  return out as unknown as P
}

/** Whether the formatter is one of the provider's, whatever its options: another may have forms for other media. */
function isOwn(formatter: Formatter, formatters: ChatModelInit["formatters"]): boolean {
  return [formatters.chat, formatters["multi-agent"]].some((own) => own?.constructor === formatter.constructor)
}

function withAnyMedia(dialect: Dialect): Dialect {
  const { media, ...rest } = dialect
  return media === undefined ? dialect : rest
}

function formatterOf({ formatter = "chat", formatters, provider }: ChatModelInit): Formatter {
  const chosen = typeof formatter === "string" ? formatters[formatter] : formatter
  if (chosen) return chosen
  const known = Object.keys(formatters).map((name) => `"${name}"`)
  const message = `${provider} has no "${formatter as string}" formatter: choose ${known.join(" or ")}, or pass an own Formatter.`
  throw modelError({ code: "unsupported", message })
}
