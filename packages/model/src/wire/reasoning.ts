import type { ChatParams } from "../chat-request.ts"
import { modelError } from "../errors/model-error.ts"
import type { ModelFacts } from "../model-facts.ts"

/** A wish to think, in a word or by a budget. */
export type Reasoning = Exclude<NonNullable<ChatParams["reasoning"]>, "off">

/** The budgets, in tokens, that the words stand for where a provider says nothing else. */
const usualBudgets = { low: 2048, medium: 8192, high: 16_384 }

/** The budget of a wish, in tokens. */
export function reasoningBudget(reasoning: Reasoning, budgets = usualBudgets): number {
  return typeof reasoning === "string" ? budgets[reasoning] : reasoning.budgetTokens
}

/** The effort of a wish: of a budget the least whose own is as large. */
export function reasoningEffort(reasoning: Reasoning, budgets = usualBudgets): "low" | "medium" | "high" {
  if (typeof reasoning === "string") return reasoning
  const { budgetTokens } = reasoning
  return budgetTokens <= budgets.low ? "low" : budgetTokens <= budgets.medium ? "medium" : "high"
}

/** The params without reasoning, of which the caller is warned, for a model that is known not to reason. */
export function reasoned<P extends ChatParams>(
  params: P,
  { reasoning }: ModelFacts,
  label: string,
  warn: (code: string, message: string) => void,
): P {
  if (params.reasoning === undefined || reasoning !== false) return params
  if (params.reasoning !== "off") warn("unsupported_param", `${label} does not reason: params.reasoning was left out.`)
  return { ...params, reasoning: undefined }
}

/** How a model can be told to think. */
export interface ThinkingWays {
  readonly model: string
  /** Not at all, by a budget, by an effort, or by either. */
  readonly by: "none" | "budget" | "effort" | "either"
  /** When it does not think: by default, when it is told so, or never. */
  readonly rests: "default" | "told" | "never"
  /** Why it cannot begin to think by a budget in this call. */
  readonly blocked?: string | undefined
  readonly warn: (code: string, message: string) => void
}

/** What a model is told of thinking: a budget in tokens, an effort, or to leave it; undefined for nothing. */
export type ThinkingPlan =
  | { readonly budget: number }
  | { readonly effort: "low" | "medium" | "high" }
  | "off"
  | undefined

/** Plans how a wish is told. What cannot be had is left out, or is the least that can, with a warning. */
export function thinkingPlan(reasoning: ChatParams["reasoning"], ways: ThinkingWays): ThinkingPlan {
  const { model, by, rests, blocked, warn } = ways
  if (reasoning === undefined || (reasoning === "off" && rests === "default")) return undefined
  if (by === "none") {
    warn("unsupported_param", `${model} cannot think: reasoning was left out.`)
    return undefined
  }
  if (reasoning === "off") {
    if (rests === "told") return "off"
    warn("unsupported_param", `${model} always thinks: it is asked for the least effort.`)
    return { effort: "low" }
  }
  if (by === "effort" || (by === "either" && typeof reasoning === "string")) {
    return { effort: reasoningEffort(reasoning) }
  }
  if (blocked === undefined) return { budget: reasoningBudget(reasoning) }
  warn("thinking_disabled", `${model} does not think in this call: ${blocked}.`)
  return undefined
}

/** What {@link roomToAnswer} needs to know. */
export interface AnswerRoom {
  readonly model: string
  /** For thinking, in tokens. */
  readonly budget: number
  /** The limit that the caller gave, and the one without. */
  readonly asked: number | undefined
  readonly usual: number
  /** The most that the model can, where that is known. */
  readonly most?: number | undefined
  readonly warn: (code: string, message: string) => void
}

/**
 * The limit of an answer on wires where it counts thinking too: raised, with a warning where the caller gave it, when the
 * budget would use it up. A budget that leaves no room at all is `invalid_request`.
 */
export function roomToAnswer(room: AnswerRoom): number {
  const { model, budget, asked, usual, most = Number.POSITIVE_INFINITY, warn } = room
  const limit = asked ?? usual
  if (limit > budget) return limit
  if (budget >= most) {
    const message = `reasoning.budgetTokens = ${budget} leaves ${model} no room to answer: its answers have at most ${most} tokens, thinking included.`
    throw modelError({ code: "invalid_request", message })
  }
  const raised = Math.min(budget + limit, most)
  if (asked !== undefined) {
    const message = `maxTokens = ${asked} is no more than the ${budget} tokens for thinking, which it counts too: it was raised to ${raised}.`
    warn("max_tokens_raised", message)
  }
  return raised
}
