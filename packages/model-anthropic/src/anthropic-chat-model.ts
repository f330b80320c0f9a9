import { AgentScopeError, type Msg } from "@agentscope-ts/message"
import { type CallSink, ChatModel, type ChatRequest, guardHistory } from "@agentscope-ts/model"
import {
  checkOptions,
  checkParams,
  ConversationBodies,
  ConversationBody,
  figureIn,
  objectIn,
  parseJson,
  postBody,
  renderBody,
  RequestHeads,
  sendConversation,
  structuredSink,
  TextCollector,
} from "@agentscope-ts/model/wire"
import { AnthropicChatFormatter } from "./anthropic-chat-formatter.ts"
import { anthropicDialect, schemaForm } from "./anthropic-dialect.ts"
import { AnthropicMultiAgentFormatter } from "./anthropic-multi-agent-formatter.ts"
import { type AnthropicOptions, type AnthropicParams, optionNames, paramNames } from "./anthropic-options.ts"
import { generationOf } from "./claude-generation.ts"
import { endpointsOf } from "./endpoint.ts"
import { EventReader } from "./event-reader.ts"
import { planRequest, type RequestPlan } from "./request-plan.ts"
import { ownBlock, ownData } from "./wire-message.ts"

const maxBytes = 32 * 1024 * 1024

/**
 * A model behind Anthropic's Messages API.
 * @throws AgentScopeError `missing_api_key` without a key in `apiKey` or the environment, `invalid_request` for options
 * that cannot be.
 */
export class AnthropicChatModel extends ChatModel<AnthropicParams> {
  readonly #endpoint: ReturnType<typeof endpointsOf>
  readonly #timeoutMs: number | undefined
  readonly #counts: boolean
  readonly #bodies = new ConversationBodies()
  readonly #heads: RequestHeads<AnthropicParams>
  /** The plan of the head that was made last. */
  #plan: RequestPlan | undefined
  #system: { readonly messages: readonly Msg[]; readonly json: string } | undefined

  constructor(options: AnthropicOptions) {
    checkOptions(options, optionNames, new.target.name)
    checkParams(options.params, paramNames, new.target.name)
    const { client, timeoutMs } = options
    super({
      ...options,
      // the client retries by itself
      maxRetries: options.maxRetries ?? (client ? 0 : undefined),
      provider: "anthropic",
      formatters: { chat: new AnthropicChatFormatter(), "multi-agent": new AnthropicMultiAgentFormatter() },
      dialect: anthropicDialect,
    })
    this.#endpoint = endpointsOf(options)
    this.#timeoutMs = timeoutMs
    this.#counts = client === undefined || client.messages.countTokens !== undefined
    const { model } = this
    const generation = generationOf(model)
    const marksLast = !/bedrock|vertex/i.test(client?.constructor.name ?? "")
    this.#heads = new RequestHeads((request, streaming, extra) => {
      const midTurn = extra.startsWith("!")
      const system = JSON.parse(midTurn ? extra.slice(1) : extra) as string[]
      this.#plan = planRequest(request, { model, generation, streaming, system, midTurn, marksLast })
      return this.#plan.head
    })
  }

  protected override async send(request: ChatRequest<AnthropicParams>, sink: CallSink): Promise<void> {
    const { params, tools, signal, conversation } = request
    if (params !== this.params) checkParams(params, paramNames, this.constructor.name)
    const { plan, messages } = this.#planned(request, sink.streaming)
    for (const [code, message] of plan.warnings) sink.warn(code, message)
    const reader = new EventReader(plan.answerTool === undefined ? sink : structuredSink(sink, plan.answerTool), {
      label: `${this.provider}/${this.model}`,
      renamedIn: (name) => {
        const tool = tools?.find((tool) => tool.name === name)
        return tool && schemaForm(tool.parameters).names
      },
    })
    const formatter = this.#formatterFor(params)
    const sent = { bodies: this.#bodies, conversation, head: plan.head, formatter, messages, maxBytes }
    const endpoint = this.#endpoint("create", params?.betas)
    await sendConversation({ ...sent, ...endpoint, signal, timeoutMs: this.#timeoutMs }, reader)
  }

  /** Counted by the provider; where it does not answer, the estimate. */
  override async countTokens(request: ChatRequest<AnthropicParams>): Promise<number> {
    if (!this.#counts) return super.countTokens(request)
    const params = { ...this.params, ...request.params }
    try {
      const guarded = { ...request, params, messages: guardHistory(request.messages, anthropicDialect) }
      const { plan, messages } = this.#planned(guarded, false)
      const body = await renderBody(new ConversationBody(), plan.countHead, this.#formatterFor(params), messages)
      const { target, transport } = this.#endpoint("countTokens", params.betas)
      const reader = new TextCollector()
      await postBody(transport, target, body, reader, { signal: request.signal, timeoutMs: this.#timeoutMs })
      const answer = objectIn<Record<string, unknown>>(parseJson(reader.text, "The count of tokens"))
      return figureIn(answer?.["input_tokens"]) ?? super.countTokens(request)
    } catch (error) {
      if (AgentScopeError.is(error, "aborted")) throw error
      return super.countTokens(request)
    }
  }

  /** The plan of a request and the messages that go into its body: all but the system messages at the head. */
  #planned(request: ChatRequest<AnthropicParams>, streaming: boolean): { plan: RequestPlan; messages: readonly Msg[] } {
    const { messages, params } = request
    const first = messages.findIndex(({ role }) => role !== "system")
    const leading = first < 0 ? messages.length : first
    const last = this.#system
    const isSame = last?.messages.length === leading && last.messages.every((msg, i) => msg === messages[i])
    const system = last && isSame ? last : systemOf(messages.slice(0, leading))
    this.#system = system
    const midTurn = params?.reasoning !== undefined && cannotThink(messages)
    this.#heads.of(request, streaming, midTurn ? `!${system.json}` : system.json)
    return { plan: this.#plan as RequestPlan, messages: leading === 0 ? messages : messages.slice(leading) }
  }

  #formatterFor(params: AnthropicParams | undefined) {
    const { formatter } = this
    const knows = formatter instanceof AnthropicChatFormatter || formatter instanceof AnthropicMultiAgentFormatter
    return params?.citations && knows ? formatter.citing() : formatter
  }
}

function systemOf(messages: readonly Msg[]) {
  const texts = messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === "text" ? [block.text] : [])),
  )
  return { messages, json: JSON.stringify(texts.filter((text) => text.trim() !== "")) }
}

/** Whether the turn that goes on with these results began without thinking of Claude's, as after another provider. */
function cannotThink(messages: readonly Msg[]): boolean {
  const last = messages.at(-1)
  if (!last?.content.some(({ type }) => type === "tool_result")) return false
  const [first] = messages.findLast(({ role }) => role === "assistant")?.content ?? []
  if (first?.type !== "thinking") return true
  return (
    typeof ownData(first.opaque)?.["signature"] !== "string" && ownBlock(first.opaque)?.type !== "redacted_thinking"
  )
}
