import type { Dialect } from "@agentscope-ts/model"

/** Gemini's rules for histories: names of tools; thinking goes back only with Gemini's own data. */
export const geminiDialect: Dialect = {
  provider: "gemini",
  toolName: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
  thinking: "signed",
}

/** Whether a model is of the generation that signs every call, takes media in results and thinks by levels. */
export const isGemini3 = (model: string): boolean => /(?:^|\/)gemini-(?![12](?:[.-]|$))/.test(model)
