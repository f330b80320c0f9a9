import type { ChatParams, ProviderOptions } from "@agentscope-ts/model"

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
}

/** The names of the options beside the common ones. */
export const optionNames: readonly string[] = ["provider", "apiKeyEnv", "organization"]
/** The names of the params beside the common ones. */
export const paramNames: readonly string[] = ["parallelToolCalls", "serviceTier", "user", "extraBody"]
