import type { ChatParams, ProviderOptions } from "@agentscope-ts/model"
import type { GoogleGenAI } from "@google/genai"

/** Settings of a call: the common ones and Gemini's own, with the names of its API. */
export interface GeminiParams extends ChatParams {
  topK?: number | undefined
  presencePenalty?: number | undefined
  frequencyPenalty?: number | undefined
  /** Over what `reasoning` asks for: a level for Gemini 3, a budget for Gemini 2.5. */
  thinkingConfig?: { thinkingLevel?: string; thinkingBudget?: number; includeThoughts?: boolean } | undefined
  /** `["TEXT", "IMAGE"]`, `["AUDIO"]`. */
  responseModalities?: readonly string[] | undefined
  safetySettings?: readonly { readonly category: string; readonly threshold: string }[] | undefined
  /** The name of a cached content, such as `cachedContents/abc`. */
  cachedContent?: string | undefined
  /** Tools that Google runs: `[{ googleSearch: {} }, { urlContext: {} }, { codeExecution: {} }]`. */
  serverTools?: readonly Record<string, unknown>[] | undefined
  /**
   * Fields of the request body as the API has them, over those made from the other settings; `generationConfig` and
   * `toolConfig` are joined with them. Undefined takes a field out.
   */
  extraBody?: Record<string, unknown> | undefined
}

/** Options of {@link GeminiChatModel}. */
export interface GeminiOptions extends ProviderOptions<GeminiParams, Pick<GoogleGenAI, "vertexai" | "models">> {
  /** Default `v1beta`; `v1` on Vertex AI. */
  apiVersion?: string | undefined
  /**
   * Vertex AI instead of the Gemini API. `project` and `location` (default `global`) come from `GOOGLE_CLOUD_PROJECT` and
   * `GOOGLE_CLOUD_LOCATION` where they are not given. Without `accessToken`, which may be a function since tokens
   * expire, the API key is used (express mode, which needs no project).
   */
  vertex?:
    | {
        project?: string | undefined
        location?: string | undefined
        accessToken?: string | (() => string | Promise<string>) | undefined
      }
    | undefined
}

/** The names of the options beside the common ones. */
export const optionNames: readonly string[] = ["apiVersion", "vertex"]
const sameNames = ["temperature", "topP", "topK", "seed", "presencePenalty", "frequencyPenalty", "responseModalities"]
/** Params that stand in `generationConfig` as they are, by their names there. */
export const configNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(sameNames.map((name) => [name, name])),
  maxTokens: "maxOutputTokens",
  stop: "stopSequences",
}
/** The names of the params beside the common ones. */
export const paramNames: readonly string[] = [
  ...Object.keys(configNames),
  ..."thinkingConfig safetySettings cachedContent serverTools extraBody".split(" "),
]
