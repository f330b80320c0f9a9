import type { ChatParams, ProviderOptions } from "@agentscope-ts/model"

/** Settings of a call: the common ones and DashScope's own. */
export interface DashScopeParams extends ChatParams {
  topK?: number | undefined
  repetitionPenalty?: number | undefined
  presencePenalty?: number | undefined
  /** Whether the model may ask for several tools at once. */
  parallelToolCalls?: boolean | undefined
  /** Whether the model may search the web. */
  enableSearch?: boolean | undefined
  /** How it searches, in the API's own fields (`forced_search`, `search_strategy`, …). */
  searchOptions?: Record<string, unknown> | undefined
  /** Whether the events of a stream have only what is new. Default true; a few models know no such setting, and are read either way. */
  incrementalOutput?: boolean | undefined
  /**
   * How an answer of a schema is asked for: JSON with the schema said in words (`json_object`, the default), JSON that the
   * model is held to (`json_schema`, where the model can), or the arguments of a tool (`tool`, the default where the model
   * thinks or has tools).
   */
  structuredOutput?: "json_object" | "json_schema" | "tool" | undefined
  /** Fields of the request body as the API has them, over those made from the other settings; `parameters` field by field. */
  extraBody?: Record<string, unknown> | undefined
}

/** Options of {@link DashScopeChatModel}. */
export interface DashScopeOptions extends ProviderOptions<DashScopeParams> {
  /**
   * Whether requests go to the multimodal endpoint. Default: where the name of the model says so (`-vl`, `qvq`, `omni`,
   * `audio`, …) or a message holds media.
   */
  multimodal?: boolean | undefined
}

/** The names of the options beside the common ones. */
export const optionNames: readonly string[] = ["multimodal"]
/** The params that are fields of the body's `parameters` as they are, and their names there. */
export const parameterNames = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  maxTokens: "max_tokens",
  seed: "seed",
  stop: "stop",
  repetitionPenalty: "repetition_penalty",
  presencePenalty: "presence_penalty",
  enableSearch: "enable_search",
  searchOptions: "search_options",
} as const
/** The names of the params beside the common ones. */
export const paramNames: readonly string[] = [
  ...Object.keys(parameterNames),
  "parallelToolCalls",
  "incrementalOutput",
  "structuredOutput",
  "extraBody",
]
