import {
  type CallSink,
  ChatModel,
  type ChatRequest,
  type Dialect,
  type Formatter,
  jsonSchemaOf,
} from "@agentscope-ts/model"
import {
  type AnswerParser,
  AnswerReader,
  ChatWire,
  checkOptions,
  checkParams,
  ClientTransport,
  type HeadRequest,
  RequestHeads,
  structuredSink,
  structuredTool,
  type Target,
} from "@agentscope-ts/model/wire"
import { endpointOf } from "./endpoint.ts"
import { type OpenAIClient, type OpenAICommonParams, type OpenAIOptions, optionNames } from "./openai-options.ts"
import { Refusals } from "./refusals.ts"
import type { SchemaMode } from "./structured-format.ts"

/** Who answers, as far as both APIs need to know. */
export interface Server {
  readonly provider: string
  readonly formatters: { readonly chat: Formatter; readonly "multi-agent": Formatter }
  readonly dialect: Dialect
  /** How it is asked for structured answers. Default: by the schema, and by less where that is refused. */
  readonly schemaMode?: SchemaMode | undefined
}

/** One of OpenAI's two APIs: how a request is written, and how an answer is read. */
export interface Wire<P extends OpenAICommonParams> {
  readonly path: string
  readonly paramNames: readonly string[]
  /** The beginning of a body, up to the opening bracket of its messages. */
  head(request: HeadRequest<P>, streaming: boolean, refusals: Refusals): string
  /** Reads an answer into the sink; `label` names provider and model. */
  parser(request: ChatRequest<P>, sink: CallSink, label: string): AnswerParser
  readonly create: (client: OpenAIClient, body: never, signal: AbortSignal) => Promise<Response>
  /** The params of a request that the API has no field for. */
  unknownParams?(params: P): readonly string[]
}

/** What `OpenAIChatModel` and `OpenAIResponsesModel` share: one request over the wire that they speak. */
export abstract class OpenAIModel<P extends OpenAICommonParams> extends ChatModel<P> {
  readonly #wire: Wire<P>
  readonly #target: Target
  readonly #sender: ChatWire
  readonly #heads: RequestHeads<P>
  readonly #refusals: Refusals

  constructor(options: OpenAIOptions<P>, server: Server, wire: Wire<P>, className: string) {
    checkOptions(options, optionNames, className)
    checkParams(options.params, wire.paramNames, className)
    const { provider, formatters, dialect, schemaMode } = server
    // the client retries by itself
    const maxRetries = options.maxRetries ?? (options.client ? 0 : undefined)
    super({ ...options, maxRetries, provider, formatters, dialect })
    this.#wire = wire
    this.#refusals = new Refusals(schemaMode)
    this.#heads = new RequestHeads((request, streaming) => wire.head(request, streaming, this.#refusals))
    this.#target = endpointOf(options, provider, wire.path)
    const transport = options.client && new ClientTransport(options.client, wire.create)
    this.#sender = new ChatWire({ ...options, transport })
  }

  protected override async send(request: ChatRequest<P>, sink: CallSink): Promise<void> {
    const { params } = request
    const refusals = this.#refusals
    if (params !== this.params) checkParams(params, this.#wire.paramNames, this.constructor.name)
    for (const name of (params && this.#wire.unknownParams?.(params)) ?? []) {
      sink.warn("unsupported_param", `${this.#label} has no field for params.${name}: it was left out.`)
    }
    for (const { code, message } of refusals.told(params)) sink.warn(code, message)
    for (;;) {
      const { key } = refusals
      try {
        return await this.#post(request, this.#sinkFor(request, sink), key)
      } catch (error) {
        // a refused request has said nothing
        const refused = refusals.learn(error, key, request, this.#label)
        if (refused === undefined) throw error
        sink.warn(refused.code, refused.message)
      }
    }
  }

  #post(request: ChatRequest<P>, sink: CallSink, key: string): Promise<void> {
    const answer = new AnswerReader(this.#wire.parser(request, sink, this.#label))
    const head = this.#heads.of(request, sink.streaming, key)
    return this.#sender.post({ target: this.#target, formatter: this.formatter, request, head, answer })
  }

  /** An answer that comes as a tool's arguments is told as text. */
  #sinkFor({ schema, tools }: ChatRequest<P>, sink: CallSink): CallSink {
    if (schema === undefined || !this.#refusals.mode.startsWith("tool")) return sink
    return structuredSink(sink, structuredTool(jsonSchemaOf(schema), tools).name)
  }

  get #label(): string {
    return `${this.provider}/${this.model}`
  }
}
