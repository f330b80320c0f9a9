import type { ChatParams, ProviderOptions } from "@agentscope-ts/model"

/** Settings of a call that both of OpenAI's APIs have. */
export interface OpenAICommonParams extends ChatParams {
  /** Whether the model may ask for several tools at once. */
  parallelToolCalls?: boolean | undefined
  serviceTier?: "auto" | "default" | "flex" | "priority" | undefined
  /** An id of the end user, for the provider's abuse detection. */
  user?: string | undefined
  /** Fields of the request body as the endpoint has them, over those made from the other settings; undefined takes one out. */
  extraBody?: Record<string, unknown> | undefined
}

/** Settings of a call over Chat Completions: the common ones and OpenAI's own. */
export interface OpenAIParams extends OpenAICommonParams {
  /** What the answer may consist of; `["text", "audio"]` for one that is spoken too. */
  modalities?: readonly ("text" | "audio")[] | undefined
  /** How a spoken answer sounds, and in which format it comes; streamed answers come as `pcm16`. */
  audio?: { voice: string; format: "wav" | "mp3" | "flac" | "opus" | "aac" | "pcm16" } | undefined
}

/** Settings of a call over the Responses API. */
export interface OpenAIResponsesParams extends OpenAICommonParams {
  /**
   * Whether the provider keeps the answer. Default false: nothing stays there, and reasoning comes encrypted, to be sent
   * back with the history.
   */
  store?: boolean | undefined
  /** A stored answer that this request goes on from: of its messages only those after the last assistant's are sent. */
  previousResponseId?: string | undefined
  /** What the model tells of its reasoning. Without it OpenAI's models tell nothing. */
  reasoningSummary?: "auto" | "concise" | "detailed" | undefined
  /** Tools that the provider runs, as the endpoint has them: `{ type: "web_search" }`; `{ type: "custom", name }` for free text. */
  builtInTools?: readonly ({ readonly type: string } & Record<string, unknown>)[] | undefined
  /** What else the answer is to include, beside encrypted reasoning. */
  include?: readonly string[] | undefined
  /** Whether a history that is too long is cut by the provider (`auto`) or refused (`disabled`, the default). */
  truncation?: "auto" | "disabled" | undefined
  metadata?: Record<string, string> | undefined
}

interface Creates {
  // biome-ignore lint: the SDK's overloads take its own types; ours are plain JSON
  create(body: never, options?: { signal?: AbortSignal }): { asResponse(): Promise<Response> }
}

/** The part of the official client that is used: an instance of `OpenAI` or `AzureOpenAI` of the `openai` package fits. */
export interface OpenAIClient {
  readonly baseURL?: string
  readonly chat: { readonly completions: Creates }
  readonly responses?: Creates
}

/** Options of {@link OpenAIChatModel} and, with its params, of {@link OpenAIResponsesModel}. */
export interface OpenAIOptions<P extends OpenAICommonParams = OpenAIParams> extends ProviderOptions<P, OpenAIClient> {
  /**
   * Who serves the model; default `openai`. A compatible endpoint has a name of its own (`groq`, `vllm`), and then a
   * `baseURL`; it gets `max_tokens` where OpenAI has `max_completion_tokens`.
   */
  provider?: string | undefined
  /**
   * The environment variable of the key. Default `OPENAI_API_KEY`, for Azure `AZURE_OPENAI_API_KEY`; for another provider
   * its name and `_API_KEY`.
   */
  apiKeyEnv?: string | undefined
  organization?: string | undefined
  /**
   * Azure: the version of the API (`OPENAI_API_VERSION`), with which requests go to the deployment that has the model's
   * name. Without one they go to the resource's v1 API.
   */
  apiVersion?: string | undefined
}

/** The names of the options beside the common ones. */
export const optionNames: readonly string[] = ["provider", "apiKeyEnv", "organization", "apiVersion"]
