import type { Msg } from "@agentscope-ts/message"
import { type CallSink, ChatModel, type ChatRequest, type Formatter } from "@agentscope-ts/model"
import {
  AnswerReader,
  checkOptions,
  checkParams,
  type HeadRequest,
  leadingSystem,
  MappedFormatter,
  type RequestPlan,
  RequestPlans,
  toldCount,
} from "@agentscope-ts/model/wire"
import { AnthropicChatFormatter } from "./anthropic-chat-formatter.ts"
import { anthropicDialect, toolForms } from "./anthropic-dialect.ts"
import { AnthropicMultiAgentFormatter } from "./anthropic-multi-agent-formatter.ts"
import { type AnthropicOptions, type AnthropicParams, optionNames, paramNames } from "./anthropic-options.ts"
import { generationOf } from "./claude-generation.ts"
import { endpointsOf } from "./endpoint.ts"
import { EventReader } from "./event-reader.ts"
import { planRequest } from "./request-plan.ts"
import { cited, ownData } from "./wire-message.ts"

/**
 * A model behind Anthropic's Messages API.
 * @throws AgentScopeError `missing_api_key` without a key in `apiKey` or the environment, `invalid_request` for options
 * that cannot be.
 */
export class AnthropicChatModel extends ChatModel<AnthropicParams> {
  readonly #citing: Formatter
  readonly #endpoint: ReturnType<typeof endpointsOf>
  readonly #plans: RequestPlans<AnthropicParams, RequestPlan>
  readonly #plan: (
    request: HeadRequest<AnthropicParams>,
    streaming: boolean,
    extra: string,
    counts?: boolean,
  ) => RequestPlan

  constructor(options: AnthropicOptions) {
    checkOptions(options, optionNames, new.target.name)
    checkParams(options.params, paramNames, new.target.name)
    const formatters = { chat: new AnthropicChatFormatter(), "multi-agent": new AnthropicMultiAgentFormatter() }
    // the client retries by itself
    const maxRetries = options.maxRetries ?? (options.client ? 0 : undefined)
    super({ ...options, maxRetries, provider: "anthropic", formatters, dialect: anthropicDialect })
    this.#endpoint = endpointsOf(options)
    this.#citing = new MappedFormatter(this.formatter, cited)
    const { model, facts } = this
    const generation = generationOf(model)
    const maxTokens = facts.maxOutputTokens ?? (generation.isClaude ? 64_000 : 8192)
    const marksLast = generation.isClaude && !/bedrock|vertex/i.test(options.client?.constructor.name ?? "")
    this.#plan = (request, streaming, extra, counts = false) => {
      const [midTurn, system] = JSON.parse(extra) as [boolean, string[]]
      return planRequest(request, { model, generation, maxTokens, streaming, counts, system, midTurn, marksLast })
    }
    this.#plans = new RequestPlans(this.#plan)
  }

  protected override async send(request: ChatRequest<AnthropicParams>, sink: CallSink): Promise<void> {
    const { params } = request
    if (params !== this.params) checkParams(params, paramNames, this.constructor.name)
    const { extra, body } = this.#parts(request)
    const { plan, sink: told } = this.#plans.of(request, sink, extra)
    const named = toolForms.sink(told, request.tools)
    const answer = new AnswerReader(new EventReader(named, { label: `${this.provider}/${this.model}` }))
    const { wire, target } = this.#endpoint("create", params?.betas)
    await wire.post({ ...body, target, head: plan.head, answer })
  }

  /** Counted by the provider; where it does not answer, the estimate. */
  override countTokens(request: ChatRequest<AnthropicParams>): Promise<number> {
    const ask = () => {
      const prepared = this.prepared(request)
      const { extra, body } = this.#parts(prepared)
      const { wire, target } = this.#endpoint("countTokens", prepared.params?.betas)
      return wire.ask({ ...body, target, head: this.#plan(prepared, false, extra, true).head })
    }
    return toldCount(ask, "input_tokens", () => super.countTokens(request))
  }

  /** What a plan depends on beside the request (whether the turn cannot begin to think, the system texts), and the rest. */
  #parts(request: ChatRequest<AnthropicParams>) {
    const { messages, params } = request
    const [system, rest] = leadingSystem(messages)
    const midTurn = params?.reasoning !== undefined && cannotThink(messages)
    return {
      extra: `[${midTurn},${system}]`,
      body: { request: { ...request, messages: rest }, formatter: params?.citations ? this.#citing : this.formatter },
    }
  }
}

/** Whether the turn that goes on with these results began without thinking of Claude's, as after another provider. */
function cannotThink(messages: readonly Msg[]): boolean {
  const last = messages.at(-1)
  if (!last?.content.some(({ type }) => type === "tool_result")) return false
  const [first] = messages.findLast(({ role }) => role === "assistant")?.content ?? []
  const data = first?.type === "thinking" ? ownData(first.opaque) : undefined
  return typeof data?.["signature"] !== "string" && data?.["type"] !== "redacted_thinking"
}
