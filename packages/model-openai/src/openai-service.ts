import { AgentScopeError, ambient } from "@agentscope-ts/message"
import { modelError } from "@agentscope-ts/model"
import { checkOptions, clientError, malformed, networkError, type Target, tapedClient } from "@agentscope-ts/model/wire"
import { endpointOf } from "./endpoint.ts"
import { guardedFetch } from "./guarded-fetch.ts"
import type { OpenAIOptions } from "./openai-options.ts"

interface Creates {
  // biome-ignore lint: the SDK's overloads take its own types; ours are plain JSON and files
  create(body: never, options?: { signal?: AbortSignal }): PromiseLike<unknown>
}

/** The part of the official client that is used beside chat: an `OpenAI` or `AzureOpenAI` of the `openai` package fits. */
export interface OpenAIServiceClient {
  readonly baseURL?: string
  readonly embeddings: Creates
  readonly images: {
    generate(body: never, options?: { signal?: AbortSignal }): PromiseLike<unknown>
    edit(body: never, options?: { signal?: AbortSignal }): PromiseLike<unknown>
    createVariation(body: never, options?: { signal?: AbortSignal }): PromiseLike<unknown>
  }
  readonly audio: { readonly speech: Creates; readonly transcriptions: Creates; readonly translations: Creates }
}

/** Options of all of OpenAI's services beside chat. */
export interface OpenAIServiceOptions
  extends Pick<
    OpenAIOptions,
    "model" | "apiKey" | "apiKeyEnv" | "apiVersion" | "baseURL" | "fetch" | "headers" | "organization" | "provider"
  > {
  /** An instance of the `openai` package, whose authentication, endpoints and retries are then used. */
  client?: OpenAIServiceClient | undefined
  /** How often a failed request is made again, by the SDK. Default 2. */
  maxRetries?: number | undefined
  /** How long an answer may take to begin, in milliseconds. Default 10 minutes. */
  timeoutMs?: number | undefined
}

/** Settings that all of these services have. */
export interface OpenAIServiceParams {
  /** Fields of the request as the endpoint has them, over all others; undefined takes one out. */
  extraBody?: Record<string, unknown> | undefined
}

/** Options of a service with settings. */
export interface OpenAIServiceModelOptions<P extends OpenAIServiceParams> extends OpenAIServiceOptions {
  /** Settings of every request; its own come over them. */
  params?: P | undefined
}

/** How the official client is loaded; tests give another. */
export const sdk = { load: () => import("openai") }

/** A service beside chat, reached through the official client, which is loaded when it is first used. */
export class OpenAIService {
  readonly provider: string
  readonly #options: OpenAIServiceOptions
  readonly #path: string
  readonly #target: Target
  #made: OpenAIServiceClient | undefined

  /** `path` is that of the service (`embeddings`), `className` and `own` are whose options, for messages. */
  constructor(options: OpenAIServiceOptions, path: string, className: string, own: readonly string[] = []) {
    checkOptions(options, ["provider", "apiKeyEnv", "apiVersion", "organization", ...own], className)
    this.provider = options.provider ?? "openai"
    this.#options = options
    this.#path = path
    this.#target = endpointOf(options, this.provider, path)
  }

  /** Makes one call; whatever fails becomes an `AgentScopeError` with a code of a model. */
  async call<T>(
    signal: AbortSignal | undefined,
    send: (client: OpenAIServiceClient, options: { signal?: AbortSignal }) => PromiseLike<T>,
  ): Promise<T> {
    const client = await this.#client()
    try {
      signal?.throwIfAborted()
      return await send(client, signal ? { signal } : {})
    } catch (error) {
      throw this.failure(error, signal)
    }
  }

  /** What was thrown on the way, in our words. */
  failure(error: unknown, signal: AbortSignal | undefined): unknown {
    const { label } = this.#target
    if (signal?.aborted) {
      return modelError({ code: "aborted", message: `The call of ${label} was aborted.`, cause: signal.reason })
    }
    if (error instanceof SyntaxError) return malformed(`The answer of ${label} is no JSON: ${error.message}`)
    const known = clientError(error, label, this.#target)
    return AgentScopeError.is(known) ? known : networkError(error, this.#target, false)
  }

  async #client(): Promise<OpenAIServiceClient> {
    if (this.#options.client) return tapedClient(this.#options.client)
    this.#made ??= await this.#make()
    return this.#made
  }

  async #make(): Promise<OpenAIServiceClient> {
    const { OpenAI } = await loadSdk()
    const { headers, url } = this.#target
    const { timeoutMs: timeout, maxRetries, fetch: given } = this.#options
    const { origin, pathname, searchParams } = new URL(url)
    const own: Record<string, string | null> = { authorization: null }
    for (let i = 0; i < headers.length; i += 2) own[headers[i] as string] = headers[i + 1] as string
    // the SDK sets these itself, by the body
    delete own["host"]
    delete own["content-type"]
    const fetch = guardedFetch((input, init) => {
      const inner = given ?? globalThis.fetch
      return (ambient().transport?.(inner) ?? inner)(input, init)
    })
    return new OpenAI({
      // the key is among the headers
      apiKey: "none",
      organization: null,
      project: null,
      baseURL: origin + pathname.slice(0, -this.#path.length - 1),
      defaultHeaders: own,
      defaultQuery: Object.fromEntries(searchParams),
      fetch,
      ...(timeout !== undefined && { timeout }),
      ...(maxRetries !== undefined && { maxRetries }),
    })
  }
}

async function loadSdk(): Promise<typeof import("openai")> {
  try {
    return await sdk.load()
  } catch (cause) {
    const message = "The package openai could not be loaded. Install it: npm install openai"
    throw modelError({ code: "missing_dependency", message, cause })
  }
}
