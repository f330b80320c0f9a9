import type { JsonSchema } from "@agentscope-ts/message"
import { type Dialect, openApiSchema } from "@agentscope-ts/model"

/** Gemini's rules for histories: names of tools; thinking goes back only with Gemini's own data. */
export const geminiDialect: Dialect = {
  provider: "gemini",
  toolName: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
  thinking: "signed",
}

/**
 * A tool's JSON Schema as Gemini takes it: a subset of OpenAPI's, without references. What that cannot say stands in
 * descriptions; arguments are validated by the original.
 */
export const geminiSchema = (parameters: JsonSchema): JsonSchema => openApiSchema(parameters)

/** Whether a model is of the generation that signs every call, takes media in results and thinks by levels. */
export const isGemini3 = (model: string): boolean => /(?:^|\/)gemini-(?![12](?:[.-]|$))/.test(model)
