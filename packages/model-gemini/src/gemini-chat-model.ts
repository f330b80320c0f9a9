import { AgentScopeError, type Msg } from "@agentscope-ts/message"
import { type CallSink, ChatModel, type ChatRequest, guardHistory } from "@agentscope-ts/model"
import {
  AnswerReader,
  checkOptions,
  checkParams,
  ConversationBodies,
  figureIn,
  malformed,
  objectIn,
  parseJson,
  postBody,
  renderBody,
  RequestHeads,
  structuredSink,
  TextCollector,
  type TextReader,
  transportOf,
  wireJson,
} from "@agentscope-ts/model/wire"
import { ChunkReader } from "./chunk-reader.ts"
import { Endpoint } from "./endpoint.ts"
import { GeminiChatFormatter } from "./gemini-chat-formatter.ts"
import { geminiDialect } from "./gemini-dialect.ts"
import { GeminiMultiAgentFormatter } from "./gemini-multi-agent-formatter.ts"
import { type GeminiOptions, type GeminiParams, optionNames, paramNames } from "./gemini-options.ts"
import { answerTool, requestHead } from "./request-head.ts"
import { thinkingOf } from "./thinking-config.ts"

/**
 * A model behind the Gemini API, or on Vertex AI (`vertex`).
 * @throws AgentScopeError `missing_api_key` without a key in `apiKey`, `GOOGLE_API_KEY` or `GEMINI_API_KEY`,
 * `invalid_request` for options that cannot be.
 */
export class GeminiChatModel extends ChatModel<GeminiParams> {
  readonly #endpoint: Endpoint
  readonly #fetch: typeof globalThis.fetch | undefined
  readonly #timeoutMs: number | undefined
  readonly #bodies = new ConversationBodies()
  readonly #heads: RequestHeads<GeminiParams>

  constructor(options: GeminiOptions) {
    checkOptions(options, optionNames, new.target.name)
    checkParams(options.params, paramNames, new.target.name)
    const forModel = { model: options.model, promoteToolResultImages: true }
    const formatters = {
      chat: new GeminiChatFormatter(forModel),
      "multi-agent": new GeminiMultiAgentFormatter(forModel),
    }
    super({ ...options, provider: "gemini", formatters, dialect: geminiDialect })
    this.#heads = new RequestHeads((request, _, system) => requestHead(request, this.model, system))
    this.#endpoint = new Endpoint(options)
    this.#fetch = options.fetch ?? this.#endpoint.fetch
    this.#timeoutMs = options.timeoutMs
  }

  /** Asks Gemini; the usual estimate where it does not answer. */
  override async countTokens(request: ChatRequest<GeminiParams>): Promise<number> {
    try {
      const [system, messages] = withoutSystem(guardHistory(request.messages, this.dialect))
      const head = requestHead({ tools: request.tools }, this.model, system)
      const contents = (await this.formatter.format(messages)).map(wireJson).join(",")
      const body = this.#endpoint.vertex
        ? `${head}${contents}]}`
        : `{"generateContentRequest":{"model":${wireJson(`models/${this.model.replace(/^models\//, "")}`)},${head.slice(1)}${contents}]}}`
      const answer = new TextCollector()
      await this.#post("countTokens", new TextEncoder().encode(body), answer, request.signal)
      const total = figureIn(objectIn<{ totalTokens?: unknown }>(parseJson(answer.text, "The count"))?.totalTokens)
      if (total === undefined) throw malformed("The count of tokens has no totalTokens.")
      return total
    } catch {
      request.signal?.throwIfAborted()
      return super.countTokens(request)
    }
  }

  protected override async send(request: ChatRequest<GeminiParams>, sink: CallSink): Promise<void> {
    const { params, signal } = request
    if (params !== this.params) checkParams(params, paramNames, this.constructor.name)
    const { warning } = thinkingOf(params?.reasoning, this.model)
    if (warning !== undefined) sink.warn("unsupported_param", warning)
    const tool = answerTool(request, this.model)
    const chunks = new ChunkReader(tool ? structuredSink(sink, tool.name) : sink, `gemini/${this.model}`)
    const answer = new AnswerReader(chunks)
    const [system, messages] = withoutSystem(request.messages)
    const head = this.#heads.of(request, sink.streaming, system)
    const body = this.#bodies.take(request.conversation)
    try {
      const rendered = renderBody(body, head, this.formatter, messages)
      const bytes = rendered instanceof Promise ? await rendered : rendered
      await this.#post(sink.streaming ? "streamGenerateContent" : "generateContent", bytes, answer, signal)
    } catch (error) {
      if (AgentScopeError.is(error, "network") || AgentScopeError.is(error, "timeout")) answer.salvage()
      throw error
    } finally {
      this.#bodies.release(body)
    }
  }

  async #post(method: string, body: Uint8Array, reader: TextReader, signal: AbortSignal | undefined): Promise<void> {
    const target = this.#endpoint.target(method)
    const options = { signal, timeoutMs: this.#timeoutMs }
    await postBody(transportOf(this.#fetch), target instanceof Promise ? await target : target, body, reader, options)
  }
}

/** The system messages at the head as a system instruction's JSON, and the rest; a history of nothing else stays as it is. */
function withoutSystem(messages: readonly Msg[]): readonly [system: string, rest: readonly Msg[]] {
  const from = messages.findIndex(({ role }) => role !== "system")
  if (from < 1) return ["", messages]
  const parts = messages
    .slice(0, from)
    .flatMap(({ content }) => content.flatMap((block) => (block.type === "text" ? [{ text: block.text }] : [])))
  return [parts.length > 0 ? wireJson({ parts }) : "", messages.slice(from)]
}
