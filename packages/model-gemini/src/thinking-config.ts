import type { ChatParams } from "@agentscope-ts/model"
import { reasoningBudget } from "@agentscope-ts/model/wire"
import { isGemini3 } from "./gemini-dialect.ts"
import type { GeminiParams } from "./gemini-options.ts"

/** Google's own figures for these words, at its endpoint that is compatible with OpenAI's. */
const budgets = { low: 1024, medium: 8192, high: 24_576 }

/**
 * What a model is told of thinking: a level from Gemini 3 on, a budget of tokens in Gemini 2.5. `warn` is told what of the
 * wish cannot be fulfilled. https://ai.google.dev/gemini-api/docs/thinking
 */
export function thinkingConfig(
  reasoning: ChatParams["reasoning"],
  model: string,
  warn: (message: string) => void,
): GeminiParams["thinkingConfig"] {
  if (reasoning === undefined) return undefined
  const byLevel = isGemini3(model)
  const includeThoughts = reasoning !== "off"
  const isPro = /\bpro\b/.test(model)
  if (!byLevel && !/gemini-2\.5/.test(model)) {
    if (includeThoughts) warn(`${model} does not think: reasoning was left out.`)
    return undefined
  }
  if (reasoning === "off") {
    if (!byLevel && !isPro) return { thinkingBudget: 0 }
    warn(`${model} cannot be kept from thinking: it was asked to think as little as it can.`)
    return { ...(byLevel ? { thinkingLevel: isPro ? "low" : "minimal" } : { thinkingBudget: 128 }), includeThoughts }
  }
  if (typeof reasoning === "object" || !byLevel) {
    return { thinkingBudget: reasoningBudget(reasoning, budgets), includeThoughts }
  }
  // the first of them knows two levels only
  const thinkingLevel = reasoning === "medium" && /gemini-3-pro/.test(model) ? "high" : reasoning
  return { thinkingLevel, includeThoughts }
}
