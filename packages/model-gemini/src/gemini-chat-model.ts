import type { Msg } from "@agentscope-ts/message"
import { type CallSink, ChatModel, type ChatRequest, guardHistory } from "@agentscope-ts/model"
import {
  AnswerReader,
  ChatWire,
  checkOptions,
  checkParams,
  figureIn,
  malformed,
  objectIn,
  parseJson,
  type RequestPlan,
  RequestPlans,
  TextCollector,
  wireJson,
} from "@agentscope-ts/model/wire"
import { ChunkReader } from "./chunk-reader.ts"
import { Endpoint } from "./endpoint.ts"
import { GeminiChatFormatter } from "./gemini-chat-formatter.ts"
import { geminiDialect } from "./gemini-dialect.ts"
import { GeminiMultiAgentFormatter } from "./gemini-multi-agent-formatter.ts"
import { type GeminiOptions, type GeminiParams, optionNames, paramNames } from "./gemini-options.ts"
import { planRequest } from "./request-plan.ts"

/**
 * A model behind the Gemini API, or on Vertex AI (`vertex`).
 * @throws AgentScopeError `missing_api_key` without a key in `apiKey`, `GOOGLE_API_KEY` or `GEMINI_API_KEY`,
 * `invalid_request` for options that cannot be.
 */
export class GeminiChatModel extends ChatModel<GeminiParams> {
  readonly #endpoint: Endpoint
  readonly #wire: ChatWire
  readonly #plans: RequestPlans<GeminiParams, RequestPlan>

  constructor(options: GeminiOptions) {
    checkOptions(options, optionNames, new.target.name)
    checkParams(options.params, paramNames, new.target.name)
    const forModel = { model: options.model, promoteToolResultImages: true }
    const formatters = {
      chat: new GeminiChatFormatter(forModel),
      "multi-agent": new GeminiMultiAgentFormatter(forModel),
    }
    super({ ...options, provider: "gemini", formatters, dialect: geminiDialect })
    this.#endpoint = new Endpoint(options)
    this.#wire = new ChatWire({ fetch: options.fetch ?? this.#endpoint.fetch, timeoutMs: options.timeoutMs })
    this.#plans = new RequestPlans((request, _, system) => planRequest(request, this.model, system))
  }

  /** Asks Gemini; the usual estimate where it does not answer. */
  override async countTokens(request: ChatRequest<GeminiParams>): Promise<number> {
    const { tools, signal } = request
    const answer = Object.assign(new TextCollector(), { salvage: () => {} })
    try {
      const [system, messages] = withoutSystem(guardHistory(request.messages, this.dialect))
      const body = planRequest({ tools }, this.model, system).head
      const model = wireJson(`models/${this.model.replace(/^models\//, "")}`)
      const plan = this.#endpoint.vertex
        ? { head: body }
        : { head: `{"generateContentRequest":{"model":${model},${body.slice(1)}`, tail: "]}}" }
      const target = await this.#endpoint.target("countTokens")
      await this.#wire.post({ target, formatter: this.formatter, request: { messages, signal }, ...plan, answer })
      const total = figureIn(objectIn<{ totalTokens?: unknown }>(parseJson(answer.text, "The count"))?.totalTokens)
      if (total === undefined) throw malformed("The count of tokens has no totalTokens.")
      return total
    } catch {
      signal?.throwIfAborted()
      return super.countTokens(request)
    }
  }

  protected override async send(request: ChatRequest<GeminiParams>, sink: CallSink): Promise<void> {
    const { params, conversation, signal } = request
    if (params !== this.params) checkParams(params, paramNames, this.constructor.name)
    const [system, messages] = withoutSystem(request.messages)
    const { plan, sink: told } = this.#plans.of(request, sink, system)
    const { head } = plan
    const answer = new AnswerReader(new ChunkReader(told, `gemini/${this.model}`))
    const found = this.#endpoint.target(sink.streaming ? "streamGenerateContent" : "generateContent")
    const target = found instanceof Promise ? await found : found
    const said = { messages, conversation, signal }
    await this.#wire.post({ target, formatter: this.formatter, request: said, head, answer })
  }
}

/** The system messages at the head as a system instruction's JSON, and the rest; a history of nothing else stays as it is. */
function withoutSystem(messages: readonly Msg[]): readonly [system: string, rest: readonly Msg[]] {
  const from = messages.findIndex(({ role }) => role !== "system")
  if (from < 1) return ["", messages]
  const blocks = messages.slice(0, from).flatMap(({ content }) => content)
  const parts = blocks.flatMap((block) => (block.type === "text" ? [{ text: block.text }] : []))
  return [parts.length > 0 ? wireJson({ parts }) : "", messages.slice(from)]
}
