import type { ChatParams, ProviderOptions } from "@agentscope-ts/model"
import type { Ollama } from "ollama"

/** Settings of a call: the common ones and Ollama's own. */
export interface OllamaParams extends ChatParams {
  /** Whether, or how much, the model thinks; over `reasoning`. Levels are for the models that have them (`gpt-oss`). */
  think?: boolean | "low" | "medium" | "high" | undefined
  /** How many tokens of context the model is loaded with. The server's default may be far less than the model can take. */
  numCtx?: number | undefined
  topK?: number | undefined
  minP?: number | undefined
  repeatPenalty?: number | undefined
  /** How long the model stays loaded: `"5m"`, seconds, or -1 for ever. */
  keepAlive?: string | number | undefined
  /** The form of the answer: `"json"`, or a JSON Schema. A request's `schema` does more: its answer is validated too. */
  format?: "json" | Record<string, unknown> | undefined
  /** Further fields of the body's `options`, by their own names (`mirostat`, `num_gpu`, …). */
  options?: Record<string, unknown> | undefined
  /** Fields of the request body as the API has them, over those made from the other settings. */
  extraBody?: Record<string, unknown> | undefined
}

/** The part of the official client that is used: an instance of `Ollama` of the `ollama` package fits. */
export type OllamaClient = Pick<Ollama, "chat" | "list">

/**
 * Options of {@link OllamaChatModel}. `baseURL` may be all that `OLLAMA_HOST` may be; a key is only needed where something
 * stands before the server that asks for one.
 */
export type OllamaOptions = ProviderOptions<OllamaParams, OllamaClient>

/** The params that are fields of the body's `options` as they are, and their names there. */
export const optionNames = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  minP: "min_p",
  maxTokens: "num_predict",
  seed: "seed",
  stop: "stop",
  numCtx: "num_ctx",
  repeatPenalty: "repeat_penalty",
} as const
/** The names of the params beside the common ones. */
export const paramNames: readonly string[] = [
  ...Object.keys(optionNames),
  "think",
  "keepAlive",
  "format",
  "options",
  "extraBody",
]
