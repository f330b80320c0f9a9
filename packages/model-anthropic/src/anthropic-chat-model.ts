import type { ContentBlock } from "@agentscope-ts/message"
import type { CallSink, ChatRequest, Formatter } from "@agentscope-ts/model"
import {
  AnswerReader,
  ChatWire,
  claudeGeneration,
  type HeadRequest,
  HttpChatModel,
  leadingSystem,
  MappedFormatter,
  openedHistory,
  PausedTurns,
  type PlanGiven,
  toldCount,
  turnBeginsWithout,
  tracedServer,
} from "@agentscope-ts/model/wire"
import { AnthropicChatFormatter } from "./anthropic-chat-formatter.ts"
import { anthropicDialect, toolForms } from "./anthropic-dialect.ts"
import { AnthropicMultiAgentFormatter } from "./anthropic-multi-agent-formatter.ts"
import { type AnthropicOptions, type AnthropicParams, paramNames } from "./anthropic-options.ts"
import { targetsOf, transportOf } from "./endpoint.ts"
import { EventReader } from "./event-reader.ts"
import { planRequest } from "./request-plan.ts"
import type { RequestContext } from "./request-settings.ts"
import { type AnthropicWireMessage, cited, ownData } from "./wire-message.ts"

/**
 * A model behind Anthropic's Messages API.
 * @throws AgentScopeError `missing_api_key` without a key in `apiKey` or the environment, `invalid_request` for options
 * that cannot be.
 */
export class AnthropicChatModel extends HttpChatModel<AnthropicParams> {
  readonly #citing: Formatter
  readonly #target: ReturnType<typeof targetsOf>
  readonly #wire: ChatWire
  readonly #facts: Pick<RequestContext, "model" | "generation" | "maxTokens" | "marksLast">

  constructor(options: AnthropicOptions) {
    const { client, fetch, timeoutMs, model } = options ?? ({} as AnthropicOptions)
    const formatters = { chat: new AnthropicChatFormatter(), "multi-agent": new AnthropicMultiAgentFormatter() }
    const init = { provider: "anthropic", formatters, dialect: anthropicDialect, clientSends: true }
    super(options, { ...init, optionNames: ["authToken"], paramNames })
    this.#target = targetsOf(options)
    this.#wire = new ChatWire({ fetch, timeoutMs, transport: transportOf(options), maxBytes: 32 * 1024 * 1024 })
    this.#citing = new MappedFormatter<AnthropicWireMessage>(this.formatter, cited)
    const generation = claudeGeneration(model)
    const maxTokens = this.facts.maxOutputTokens ?? (generation.isClaude ? 64_000 : 8192)
    const marksLast = generation.isClaude && !/bedrock|vertex/i.test(client?.constructor.name ?? "")
    this.#facts = { model, generation, maxTokens, marksLast }
  }

  protected override async send(request: ChatRequest<AnthropicParams>, sink: CallSink): Promise<void> {
    const { extra, ...body } = this.#parts(request)
    const { serverTools, extraBody, betas } = request.params ?? {}
    // only tools that the provider runs make it pause
    const isTalk = this.formatter instanceof AnthropicMultiAgentFormatter
    const turns = (serverTools || extraBody) && !isTalk ? new PausedTurns(sink) : undefined
    const { plan, sink: told } = this.planned(request, turns ?? sink, extra)
    const forms = toolForms.sink(told, request.tools)
    const post = (request: ChatRequest) => {
      const answer = new AnswerReader(new EventReader(forms, { label: this.label }))
      return this.#wire.post({ ...body, request, target: this.#target("create", betas), head: plan.head, answer })
    }
    await (turns ? turns.run(body.request, this.dialect, post) : post(body.request))
  }

  protected override traced() {
    return tracedServer(this.#target("create", undefined))
  }

  /** Counted by the provider; where it does not answer, the estimate. */
  override countTokens(request: ChatRequest<AnthropicParams>): Promise<number> {
    const ask = () => {
      const prepared = this.prepared(request)
      const { extra, ...body } = this.#parts(prepared)
      const { head } = this.plan(prepared, { streaming: false, extra, warn: () => {} }, true)
      return this.#wire.ask({ ...body, target: this.#target("countTokens", prepared.params?.betas), head })
    }
    return toldCount(ask, "input_tokens", () => super.countTokens(request))
  }

  protected override plan(request: HeadRequest<AnthropicParams>, given: PlanGiven, counts = false) {
    const [midTurn, system] = JSON.parse(given.extra) as [boolean, string[]]
    return planRequest(request, { ...this.#facts, ...given, counts, system, midTurn })
  }

  /** What a plan depends on beside the request (whether the turn cannot begin to think, the system texts), and the rest. */
  #parts(request: ChatRequest<AnthropicParams>) {
    const { messages, params } = request
    const [system, rest] = leadingSystem(messages)
    const midTurn = params?.reasoning !== undefined && turnBeginsWithout(messages, isThought)
    const formatter = params?.citations ? this.#citing : this.formatter
    const opened = openedHistory(rest, formatter)
    return { extra: `[${midTurn},${system}]`, request: { ...request, messages: opened }, formatter }
  }
}

/** Whether it is thinking of Claude's, with which a turn of its own begins. */
function isThought(first: ContentBlock): boolean {
  const data = first.type === "thinking" ? ownData(first.opaque) : undefined
  return typeof data?.["signature"] === "string" || data?.["type"] === "redacted_thinking"
}
