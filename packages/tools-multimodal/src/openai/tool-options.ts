import type { FileAccess } from "../media/checked-media.ts"
import { checkOptions } from "../error.ts"

/** Options of the OpenAI tools. */
export interface OpenAIToolOptions extends FileAccess {
  /** `OPENAI_API_KEY` unless given. */
  apiKey?: string | undefined
  /** `OPENAI_BASE_URL` or `https://api.openai.com/v1` unless given; any compatible endpoint. */
  baseURL?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** How often a failed request is made again. Default 2. */
  maxRetries?: number | undefined
  /** The model where a call names none. */
  model?: string | undefined
}

const names = ["apiKey", "baseURL", "headers", "fetch", "root", "maxRetries", "model"]

/** Without what is the tools' own, and with a model. Throws `invalid_argument` for an option that does not exist. */
export function clientOptions<M extends string>(options: OpenAIToolOptions, model: M) {
  checkOptions(options, names)
  const { root: _root, model: _model, ...client } = options
  return { ...client, model }
}
