import type { CallSink, ChatRequest } from "@agentscope-ts/model"
import {
  AnswerReader,
  ChatWire,
  type HeadRequest,
  HttpChatModel,
  leadingSystem,
  type PlanGiven,
  Targets,
  toldCount,
  tracedUrl,
  wireJson,
} from "@agentscope-ts/model/wire"
import { ChunkReader } from "./chunk-reader.ts"
import { type Endpoint, endpointOf } from "./endpoint.ts"
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
export class GeminiChatModel extends HttpChatModel<GeminiParams> {
  readonly #endpoint: Endpoint
  readonly #targets: Targets
  readonly #wire: ChatWire

  constructor(options: GeminiOptions) {
    const own = { model: options?.model, promoteToolResultImages: true }
    const formatters = { chat: new GeminiChatFormatter(own), "multi-agent": new GeminiMultiAgentFormatter(own) }
    super(options, { provider: "gemini", formatters, dialect: geminiDialect, optionNames, paramNames })
    this.#endpoint = endpointOf(options)
    this.#targets = new Targets(this.#endpoint)
    this.#wire = new ChatWire({ fetch: options.fetch ?? this.#endpoint.fetch, timeoutMs: options.timeoutMs })
  }

  /** Asks Gemini; the usual estimate where it does not answer. */
  override countTokens(request: ChatRequest<GeminiParams>): Promise<number> {
    const ask = async (): Promise<unknown> => {
      const prepared = this.prepared(request)
      const [system, body] = this.#parts(prepared)
      const { head } = this.plan({ tools: prepared.tools }, { extra: system, warn: () => {} })
      const model = wireJson(`models/${this.model.replace(/^models\//, "")}`)
      const inGemini = { head: `{"generateContentRequest":{"model":${model},${head.slice(1)}`, tail: "]}}" }
      const target = await this.#targets.of("countTokens")
      return this.#wire.ask({ ...body, target, ...(this.#endpoint.vertex ? { head } : inGemini) })
    }
    return toldCount(ask, "totalTokens", () => super.countTokens(request))
  }

  protected override async send(request: ChatRequest<GeminiParams>, sink: CallSink): Promise<void> {
    const [system, body] = this.#parts(request)
    const { plan, sink: told } = this.planned(request, sink, system)
    const answer = new AnswerReader(new ChunkReader(told, { label: this.label }))
    const target = await this.#targets.of(sink.streaming ? "streamGenerateContent?alt=sse" : "generateContent")
    await this.#wire.post({ ...body, target, head: plan.head, answer })
  }

  protected override traced() {
    return tracedUrl(this.#endpoint.baseURL)
  }

  protected override plan(request: HeadRequest<GeminiParams>, given: Pick<PlanGiven, "extra" | "warn">) {
    return planRequest(request, { model: this.model, ...given })
  }

  /** The texts of the system instruction, and the rest. A history of nothing else stays as it is, for contents there must be. */
  #parts(request: ChatRequest<GeminiParams>) {
    const { formatter } = this
    const [system, messages] = leadingSystem(request.messages)
    if (messages.length === 0) return ["[]", { formatter, request }] as const
    return [system, { formatter, request: { ...request, messages } }] as const
  }
}
