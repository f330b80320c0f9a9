import { type CallSink, ChatModel, type ChatRequest, type Dialect, type Formatter } from "@agentscope-ts/model"
import {
  type AnswerParser,
  AnswerReader,
  ChatWire,
  checkOptions,
  checkParams,
  ClientTransport,
  type HeadRequest,
  type Refusals,
  type RequestPlan,
  RequestPlans,
  type SchemaMode,
  type Target,
} from "@agentscope-ts/model/wire"
import { endpointOf } from "./endpoint.ts"
import { type OpenAIClient, type OpenAICommonParams, type OpenAIOptions, optionNames } from "./openai-options.ts"
import { noRefusals } from "./refusals.ts"

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
  /** What of a request stands around its messages. */
  plan(request: HeadRequest<P>, streaming: boolean, refusals: Refusals): RequestPlan
  /** Reads an answer into the sink; `label` names provider and model. */
  parser(request: ChatRequest<P>, sink: CallSink, label: string): AnswerParser
  readonly create: (client: OpenAIClient, body: never, signal: AbortSignal) => Promise<Response>
  /** The params that the API has no field for. */
  readonly unknown?: readonly (keyof P)[] | undefined
}

/** What `OpenAIChatModel` and `OpenAIResponsesModel` share: one request over the wire that they speak. */
export abstract class OpenAIModel<P extends OpenAICommonParams> extends ChatModel<P> {
  readonly #wire: Wire<P>
  readonly #target: Target
  readonly #sender: ChatWire
  readonly #plans: RequestPlans<P, RequestPlan>
  readonly #refusals: Refusals

  constructor(options: OpenAIOptions<P>, server: Server, wire: Wire<P>, className: string) {
    checkOptions(options, optionNames, className)
    checkParams(options.params, wire.paramNames, className)
    const { provider, formatters, dialect, schemaMode } = server
    // the client retries by itself
    const maxRetries = options.maxRetries ?? (options.client ? 0 : undefined)
    super({ ...options, maxRetries, provider, formatters, dialect })
    const refusals = noRefusals(schemaMode)
    this.#wire = wire
    this.#refusals = refusals
    this.#plans = new RequestPlans((request, streaming) => wire.plan(request, streaming, refusals))
    this.#target = endpointOf(options, provider, wire.path)
    const transport = options.client && new ClientTransport(options.client, wire.create)
    this.#sender = new ChatWire({ ...options, transport })
  }

  protected override async send(request: ChatRequest<P>, sink: CallSink): Promise<void> {
    const { params } = request
    const { paramNames, unknown = [], parser } = this.#wire
    const label = `${this.provider}/${this.model}`
    if (params !== this.params) checkParams(params, paramNames, this.constructor.name)
    for (const name of unknown.filter((name) => params?.[name] !== undefined)) {
      sink.warn("unsupported_param", `${label} has no field for params.${String(name)}: it was left out.`)
    }
    await this.#refusals.retry({ request, sink, label }, (key) => {
      const { plan, sink: own } = this.#plans.of(request, sink, key)
      const answer = new AnswerReader(parser(request, own, label))
      return this.#sender.post({ target: this.#target, formatter: this.formatter, request, head: plan.head, answer })
    })
  }
}
