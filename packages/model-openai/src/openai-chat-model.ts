import { AgentScopeError } from "@agentscope-ts/message"
import { type CallSink, ChatModel, type ChatRequest, modelError } from "@agentscope-ts/model"
import {
  AnswerReader,
  apiKeyFrom,
  checkOptions,
  checkParams,
  ClientTransport,
  ConversationBodies,
  environment,
  joinUrl,
  postBody,
  renderBody,
  RequestHeads,
  type Target,
  targetOf,
  type Transport,
  transportOf,
} from "@agentscope-ts/model/wire"
import { ChunkReader } from "./chunk-reader.ts"
import { type OpenAIClient, type OpenAIOptions, type OpenAIParams, optionNames, paramNames } from "./openai-options.ts"
import { requestHead } from "./request-head.ts"
import { type Vendor, vendorOf } from "./vendor.ts"

/**
 * A model behind Chat Completions: OpenAI's own, or any compatible endpoint (`provider`, `apiKeyEnv`, `baseURL`).
 * @throws AgentScopeError `missing_api_key` without a key in `apiKey` or the environment, `invalid_request` for options
 * that cannot be.
 */
export class OpenAIChatModel extends ChatModel<OpenAIParams> {
  readonly #target: Target
  readonly #client: Transport | undefined
  readonly #fetch: typeof globalThis.fetch | undefined
  readonly #timeoutMs: number | undefined
  readonly #bodies = new ConversationBodies()
  readonly #heads: RequestHeads<OpenAIParams>

  /** `vendor`: for subclasses, where the endpoint differs from OpenAI's. */
  constructor(options: OpenAIOptions, vendor: Vendor = vendorOf(options?.provider ?? "openai")) {
    checkOptions(options, optionNames, new.target.name)
    checkParams(options.params, paramNames, new.target.name)
    const { provider, formatters, dialect } = vendor
    // the client retries by itself
    const maxRetries = options.maxRetries ?? (options.client ? 0 : undefined)
    super({ ...options, maxRetries, provider, formatters, dialect })
    this.#heads = new RequestHeads((request, streaming) => requestHead(request, this.model, streaming, vendor))
    this.#target = endpointOf(options, provider)
    this.#client = options.client && new ClientTransport(options.client, complete)
    this.#fetch = options.fetch
    this.#timeoutMs = options.timeoutMs
  }

  protected override async send(request: ChatRequest<OpenAIParams>, sink: CallSink): Promise<void> {
    if (request.params !== this.params) checkParams(request.params, paramNames, this.constructor.name)
    const chunks = new ChunkReader(sink, {
      label: `${this.provider}/${this.model}`,
      provider: this.provider,
      audioType: audioTypeOf(request.params),
    })
    const head = this.#heads.of(request, sink.streaming)
    const answer = new AnswerReader(chunks)
    const body = this.#bodies.take(request.conversation)
    try {
      const rendered = renderBody(body, head, this.formatter, request.messages)
      const bytes = rendered instanceof Promise ? await rendered : rendered
      const options = { signal: request.signal, timeoutMs: this.#timeoutMs }
      const transport = this.#client ?? transportOf(this.#fetch)
      await postBody(transport, this.#target, bytes, answer, options)
    } catch (error) {
      if (AgentScopeError.is(error, "network") || AgentScopeError.is(error, "timeout")) answer.salvage()
      throw error
    } finally {
      this.#bodies.release(body)
    }
  }
}

const complete = (client: OpenAIClient, body: never, signal: AbortSignal): Promise<Response> =>
  client.chat.completions.create(body, { signal }).asResponse()

function endpointOf(options: OpenAIOptions, provider: string): Target {
  const { client, headers } = options
  const baseURL = options.baseURL ?? client?.baseURL ?? defaultBaseURL(provider)
  const url = joinUrl(baseURL, "chat/completions")
  // its own are the client's affair
  if (client) return targetOf(url)
  const own = provider === "openai"
  const key = keyOf(options, provider, url)
  return targetOf(url, {
    "user-agent": "agentscope-ts",
    authorization: key === undefined || provider === "azure" ? undefined : `Bearer ${key}`,
    "api-key": provider === "azure" ? key : undefined,
    "openai-organization": options.organization ?? (own ? environment("OPENAI_ORG_ID") : undefined),
    "openai-project": own ? environment("OPENAI_PROJECT_ID") : undefined,
    ...headers,
  })
}

function defaultBaseURL(provider: string): string {
  if (provider === "openai") return environment("OPENAI_BASE_URL") ?? "https://api.openai.com/v1"
  const message = `The provider "${provider}" needs a baseURL: where its Chat Completions are, such as https://host/v1.`
  throw modelError({ code: "invalid_request", message })
}

/** A server on this machine that has a provider name of its own may do without a key. */
function keyOf({ apiKey, apiKeyEnv }: OpenAIOptions, provider: string, url: string): string | undefined {
  const named = provider !== "openai"
  const variable = apiKeyEnv ?? (named ? `${provider.toUpperCase().replace(/\W+/g, "_")}_API_KEY` : "OPENAI_API_KEY")
  const local = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)
  if (named && local && apiKeyEnv === undefined) return apiKey ?? environment(variable)
  return apiKeyFrom(apiKey, variable)
}

function audioTypeOf(params: OpenAIParams | undefined): string | undefined {
  const audio = params?.extraBody?.["audio"] as { readonly format?: unknown } | undefined
  return typeof audio?.format === "string" ? `audio/${audio.format === "mp3" ? "mpeg" : audio.format}` : undefined
}
