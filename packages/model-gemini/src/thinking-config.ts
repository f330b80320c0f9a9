import type { ChatParams } from "@agentscope-ts/model"
import { isGemini3 } from "./gemini-dialect.ts"
import type { GeminiParams } from "./gemini-options.ts"

/** What a model is told of thinking, and what of the wish it cannot fulfil. */
export interface Thinking {
  readonly config: GeminiParams["thinkingConfig"]
  readonly warning?: string
}

/** Google's own figures for these words, at its endpoint that is compatible with OpenAI's. */
const budgets = { low: 1024, medium: 8192, high: 24_576 } as const

/** https://ai.google.dev/gemini-api/docs/thinking: levels from Gemini 3 on, a budget of tokens in Gemini 2.5. */
export function thinkingOf(reasoning: ChatParams["reasoning"], model: string): Thinking {
  if (reasoning === undefined) return { config: undefined }
  const includeThoughts = reasoning !== "off"
  const isPro = /\bpro\b/.test(model)
  const warning = `${model} cannot be kept from thinking: it was asked to think as little as it can.`
  if (typeof reasoning === "object" && (isGemini3(model) || /gemini-2\.5/.test(model))) {
    return { config: { thinkingBudget: reasoning.budgetTokens, includeThoughts } }
  }
  if (isGemini3(model)) {
    if (reasoning === "off") return { config: { thinkingLevel: isPro ? "low" : "minimal", includeThoughts }, warning }
    // the first of them knows two levels only
    const level = reasoning === "medium" && /gemini-3-pro/.test(model) ? "high" : (reasoning as string)
    return { config: { thinkingLevel: level, includeThoughts } }
  }
  if (!/gemini-2\.5/.test(model)) {
    const lost = `${model} does not think: reasoning was left out.`
    return { config: undefined, ...(reasoning !== "off" && { warning: lost }) }
  }
  if (reasoning !== "off")
    return { config: { thinkingBudget: budgets[reasoning as keyof typeof budgets], includeThoughts } }
  return isPro ? { config: { thinkingBudget: 128, includeThoughts }, warning } : { config: { thinkingBudget: 0 } }
}
