import type { CallSink, ChatRequest, Dialect, Formatter, TracedAttributes } from "@agentscope-ts/model"
import {
  type AnswerParser,
  AnswerReader,
  ChatWire,
  ClientTransport,
  type HeadRequest,
  HttpChatModel,
  isOpenAI,
  type PlanGiven,
  Refusals,
  type RequestPlan,
  type SchemaMode,
  type Target,
  tracedOpenAI,
  tracedServer,
} from "@agentscope-ts/model/wire"
import { endpointOf } from "./endpoint.ts"
import { type OpenAIClient, type OpenAICommonParams, type OpenAIOptions, optionNames } from "./openai-options.ts"
import type { PlanTarget } from "./request-fields.ts"

/** Who answers, as far as both APIs need to know. */
export interface Server {
  readonly provider: string
  readonly formatters: { readonly chat: Formatter; readonly "multi-agent": Formatter }
  readonly dialect: Dialect
  /** How it is asked for structured answers. Default: by the schema, and by less where that is refused. */
  readonly schemaMode?: SchemaMode | undefined
}

/** One of OpenAI's two APIs: where it is, and what it is asked. */
export interface Api {
  readonly path: string
  readonly paramNames: readonly string[]
  readonly create: (client: OpenAIClient, body: never, signal: AbortSignal) => Promise<Response>
}

/** What `OpenAIChatModel` and `OpenAIResponsesModel` share: one request over the API that they speak. */
export abstract class OpenAIModel<P extends OpenAICommonParams> extends HttpChatModel<P> {
  /** What the endpoint has refused so far. */
  protected readonly refusals: Refusals
  readonly #apiType: "chat_completions" | "responses"
  readonly #target: Target
  /** What traces say of a request of this tier; mostly all requests are of one. */
  #traced: TracedAttributes | undefined
  #tracedTier: string | undefined
  readonly #sender: ChatWire

  constructor(options: OpenAIOptions<P>, server: Server, { path, paramNames, create }: Api) {
    const { provider, formatters, dialect, schemaMode } = server
    super(options, { provider, formatters, dialect, clientSends: true, optionNames, paramNames })
    this.refusals = new Refusals(schemaMode)
    this.#apiType = path === "responses" ? "responses" : "chat_completions"
    this.#target = endpointOf(options, provider, path)
    this.#sender = new ChatWire({
      ...options,
      transport: options.client && new ClientTransport(options.client, create),
    })
  }

  protected override plan(request: HeadRequest<P>, given: PlanGiven) {
    const { provider, model, refusals, facts } = this
    return this.body(request, { provider, model, refusals, facts, ...given })
  }

  protected override send(request: ChatRequest<P>, sink: CallSink): Promise<void> {
    return this.refusals.retry({ request, sink, label: this.label }, (key) => {
      const { plan, sink: own } = this.planned(request, sink, key)
      const answer = new AnswerReader(this.parser(request, own, plan.answerTool))
      return this.#sender.post({ target: this.#target, formatter: this.formatter, request, head: plan.head, answer })
    })
  }

  protected override traced({ params }: ChatRequest<P>): TracedAttributes {
    const tier = params?.serviceTier
    if (this.#traced === undefined || this.#tracedTier !== tier) {
      this.#tracedTier = tier
      const own = isOpenAI(this.provider) && tracedOpenAI(this.#apiType, tier)
      this.#traced = { ...tracedServer(this.#target), ...own }
    }
    return this.#traced
  }

  /** All of a request but its messages. */
  protected abstract body(request: HeadRequest<P>, target: PlanTarget): Omit<RequestPlan, "warnings">

  /** Reads an answer into the sink; `answerTool` is a tool that takes it. */
  protected abstract parser(request: ChatRequest<P>, sink: CallSink, answerTool?: string): AnswerParser
}
