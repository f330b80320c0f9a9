import type { ChatParams, ProviderOptions } from "@agentscope-ts/model"
import type { SdkAnswer } from "@agentscope-ts/model/wire"

/** Settings of a call: the common ones and Anthropic's own. */
export interface AnthropicParams extends ChatParams {
  topK?: number | undefined
  /** How much work the model puts into its answer, thinking or not; over what `reasoning` asks for. */
  effort?: "low" | "medium" | "high" | "xhigh" | "max" | undefined
  serviceTier?: "auto" | "standard_only" | undefined
  /** An id of the end user, for the provider's abuse detection. */
  user?: string | undefined
  /** Names of beta features, sent as `anthropic-beta` beside those of the option `headers`. */
  betas?: readonly string[] | undefined
  /** Prompt caching: breakpoints after tools, system text and last message. Default true; `ttl` default `5m`. */
  cache?: boolean | { readonly ttl?: "5m" | "1h" | undefined } | undefined
  /** Whether the model may ask for several tools at once. Default true. */
  parallelToolCalls?: boolean | undefined
  /** Tools that the provider runs itself, as the API has them: `{ type: "web_search_20250305", name: "web_search" }`. */
  serverTools?: readonly Readonly<Record<string, unknown>>[] | undefined
  /** Whether answers cite the documents of the history. */
  citations?: boolean | undefined
  /** Fields of the request body as the API has them, over those made from the other settings; undefined takes one out. */
  extraBody?: Record<string, unknown> | undefined
}

/** The part of the official client that is used: an `Anthropic` of `@anthropic-ai/sdk`, or its Bedrock and Vertex kin. */
export interface AnthropicClient {
  readonly baseURL?: string
  readonly messages: {
    // biome-ignore lint: the SDK's overloads take its own types; ours are plain JSON
    create(body: never, options?: object): SdkAnswer
    countTokens?(body: never, options?: object): SdkAnswer
  }
}

/** Options of {@link AnthropicChatModel}. */
export interface AnthropicOptions extends ProviderOptions<AnthropicParams, AnthropicClient> {
  /** A bearer token in place of the key (`ANTHROPIC_AUTH_TOKEN`). */
  authToken?: string | undefined
}

/** The names of the params beside the common ones. */
export const paramNames: readonly string[] =
  "topK effort serviceTier user betas cache parallelToolCalls serverTools citations extraBody".split(" ")
