import type { ChatParams } from "@agentscope-ts/model"
import { isGemini3 } from "./gemini-dialect.ts"
import type { GeminiParams } from "./gemini-options.ts"

/** What a model is told of thinking, and what of the wish it cannot fulfil. */
export interface Thinking {
  readonly config?: GeminiParams["thinkingConfig"]
  readonly warning?: string
}

/** Google's own figures for these words, at its endpoint that is compatible with OpenAI's. */
const budgets = { low: 1024, medium: 8192, high: 24_576 } as const

/** https://ai.google.dev/gemini-api/docs/thinking: levels from Gemini 3 on, a budget of tokens in Gemini 2.5. */
export function thinkingOf(reasoning: ChatParams["reasoning"], model: string): Thinking {
  if (reasoning === undefined) return {}
  const byLevel = isGemini3(model)
  if (!byLevel && !/gemini-2\.5/.test(model)) {
    return reasoning === "off" ? {} : { warning: `${model} does not think: reasoning was left out.` }
  }
  const includeThoughts = reasoning !== "off"
  if (typeof reasoning === "object") return { config: { thinkingBudget: reasoning.budgetTokens, includeThoughts } }
  const isPro = /\bpro\b/.test(model)
  if (reasoning === "off") {
    const least = byLevel ? { thinkingLevel: isPro ? "low" : "minimal" } : { thinkingBudget: isPro ? 128 : 0 }
    if (!byLevel && !isPro) return { config: least }
    const warning = `${model} cannot be kept from thinking: it was asked to think as little as it can.`
    return { config: { ...least, includeThoughts }, warning }
  }
  // the first of them knows two levels only
  const level = reasoning === "medium" && /gemini-3-pro/.test(model) ? "high" : reasoning
  return {
    config: { ...(byLevel ? { thinkingLevel: level } : { thinkingBudget: budgets[reasoning] }), includeThoughts },
  }
}
