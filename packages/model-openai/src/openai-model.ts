import type { CallSink, ChatRequest, Dialect, Formatter } from "@agentscope-ts/model"
import {
  type AnswerParser,
  AnswerReader,
  ChatWire,
  ClientTransport,
  type HeadRequest,
  HttpChatModel,
  type PlanGiven,
  type Refusals,
  type RequestPlan,
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
export abstract class OpenAIModel<P extends OpenAICommonParams> extends HttpChatModel<P> {
  readonly #wire: Wire<P>
  readonly #target: Target
  readonly #sender: ChatWire
  readonly #refusals: Refusals

  constructor(options: OpenAIOptions<P>, server: Server, wire: Wire<P>) {
    const { provider, formatters, dialect, schemaMode } = server
    // the client retries by itself
    const maxRetries = options?.maxRetries ?? (options?.client ? 0 : undefined)
    super(options, { provider, formatters, dialect, maxRetries, optionNames, paramNames: wire.paramNames })
    this.#wire = wire
    this.#refusals = noRefusals(schemaMode)
    this.#target = endpointOf(options, provider, wire.path)
    const transport = options.client && new ClientTransport(options.client, wire.create)
    this.#sender = new ChatWire({ ...options, transport })
  }

  protected override async send(request: ChatRequest<P>, sink: CallSink): Promise<void> {
    const { label } = this
    for (const name of this.#wire.unknown ?? []) {
      if (request.params?.[name] === undefined) continue
      sink.warn("unsupported_param", `${label} has no field for params.${String(name)}: it was left out.`)
    }
    await this.#refusals.retry({ request, sink, label }, (key) => {
      const { plan, sink: own } = this.planned(request, sink, key)
      const answer = new AnswerReader(this.#wire.parser(request, own, label))
      return this.#sender.post({ target: this.#target, formatter: this.formatter, request, head: plan.head, answer })
    })
  }

  protected override plan(request: HeadRequest<P>, { streaming }: PlanGiven): RequestPlan {
    return this.#wire.plan(request, streaming, this.#refusals)
  }
}
