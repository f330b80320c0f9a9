import type { ChatParams, ProviderOptions } from "@agentscope-ts/model"
import { modelError } from "@agentscope-ts/model"
import { didYouMean, nearestName } from "@agentscope-ts/message"

/** Settings of a call: the common ones and OpenAI's own. */
export interface OpenAIParams extends ChatParams {
  /** Whether the model may ask for several tools at once. */
  parallelToolCalls?: boolean | undefined
  serviceTier?: "auto" | "default" | "flex" | "priority" | undefined
  /** An id of the end user, for the provider's abuse detection. */
  user?: string | undefined
  /** Fields of the request body as the endpoint has them, over those made from the other settings; undefined takes one out. */
  extraBody?: Record<string, unknown> | undefined
}

/** The part of the official client that is used: an instance of `OpenAI` or `AzureOpenAI` of the `openai` package fits. */
export interface OpenAIClient {
  readonly baseURL?: string
  readonly chat: {
    readonly completions: {
      // biome-ignore lint: the SDK's overloads take its own types; ours are plain JSON
      create(body: never, options?: { signal?: AbortSignal }): { asResponse(): Promise<Response> }
    }
  }
}

/** Options of {@link OpenAIChatModel}. */
export interface OpenAIOptions extends ProviderOptions<OpenAIParams, OpenAIClient> {
  /**
   * Who serves the model; default `openai`. A compatible endpoint has a name of its own (`groq`, `vllm`), and then a
   * `baseURL`; it gets `max_tokens` where OpenAI has `max_completion_tokens`.
   */
  provider?: string | undefined
  /** The environment variable of the key. Default `OPENAI_API_KEY`; for another provider its name and `_API_KEY`. */
  apiKeyEnv?: string | undefined
  organization?: string | undefined
  /** How long the server may send nothing before the call fails with `timeout`, in milliseconds. Default 10 minutes. */
  timeoutMs?: number | undefined
}

const optionNames = [
  "model",
  "apiKey",
  "baseURL",
  "headers",
  "fetch",
  "client",
  "maxRetries",
  "formatter",
  "params",
  "contextWindow",
  "price",
  "provider",
  "apiKeyEnv",
  "organization",
  "timeoutMs",
]

const paramNames = [
  "temperature",
  "topP",
  "maxTokens",
  "stop",
  "seed",
  "reasoning",
  "parallelToolCalls",
  "serviceTier",
  "user",
  "extraBody",
]

/** Finds what plain JavaScript, or a cast, lets through: a misspelt option would be ignored without a word. */
export function checkOptions(options: OpenAIOptions, className: string): void {
  if (typeof options?.model !== "string" || options.model === "") {
    const message = `${className} needs the name of a model: new ${className}({ model: "…" }).`
    throw modelError({ code: "invalid_request", message })
  }
  for (const name of Object.keys(options)) {
    if (optionNames.includes(name)) continue
    const close = nearestName(name, optionNames, { strict: true })
    // a subclass may have options of its own: only what looks misspelt is an error
    if (close === undefined || options[close as keyof OpenAIOptions] !== undefined) continue
    throw modelError({
      code: "invalid_request",
      message: `${className} has no option "${name}": did you mean "${close}"?`,
    })
  }
}

/** A setting that nobody knows is an error, for it would be lost. */
export function checkParams(params: OpenAIParams | undefined, className: string): void {
  for (const name of Object.keys(params ?? {})) {
    if (paramNames.includes(name)) continue
    const message = `${className} has no param "${name}".${didYouMean(name, paramNames)} Fields of the endpoint's own go into params.extraBody.`
    throw modelError({ code: "invalid_request", message })
  }
}
