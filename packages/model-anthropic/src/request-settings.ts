import { modelError } from "@agentscope-ts/model"
import type { AnthropicParams } from "./anthropic-options.ts"
import type { ClaudeGeneration } from "./claude-generation.ts"

/** What the settings of a call are judged by. */
export interface SettingsContext {
  readonly model: string
  readonly generation: ClaudeGeneration
  /** The most tokens of an answer. */
  readonly maxTokens: number
  /** Whether the turn that goes on has no thinking of Claude's: then it cannot begin to think now. */
  readonly midTurn: boolean
  readonly warn: (code: string, message: string) => void
}

/** How a model is told to think, and how long its answer may be. */
export interface ThinkingPlan {
  readonly on: boolean
  readonly field?: object
  readonly effort?: string
  readonly maxTokens: number
}

const budgets = { low: 2048, medium: 8192, high: 16_384 }
const leastBudget = 1024

/** Plans thinking in the way of the model's generation; a limit that thinking would use up is raised. */
export function thinkingPlan({ reasoning, maxTokens }: AnthropicParams, context: SettingsContext): ThinkingPlan {
  const { generation, model, warn } = context
  const { thinking, rests } = generation
  const off = { on: false, maxTokens: maxTokens ?? context.maxTokens }
  if (reasoning === undefined || (reasoning === "off" && rests === "default")) return off
  if (thinking === "none") {
    warn("unsupported_param", `${model} cannot think: reasoning was left out.`)
    return off
  }
  if (reasoning === "off") {
    if (rests === "told") return { ...off, field: { type: "disabled" } }
    warn("unsupported_param", `${model} always thinks: it is asked for the least effort.`)
    return { ...off, on: true, effort: "low" }
  }
  if (thinking === "effort" || (thinking === "either" && typeof reasoning === "string")) {
    // newer models tell of their thinking only when asked
    const field = { type: "adaptive", ...(thinking === "effort" && { display: "summarized" }) }
    return { ...off, on: true, field, effort: effortOf(reasoning) }
  }
  if (context.midTurn) {
    const why = "the turn with its last tool calls began without thinking, or by another model"
    warn("thinking_disabled", `${model} does not think in this call: ${why}.`)
    return off
  }
  const budget = typeof reasoning === "string" ? budgets[reasoning] : Math.max(leastBudget, reasoning.budgetTokens)
  return { on: true, field: { type: "enabled", budget_tokens: budget }, maxTokens: roomFor(budget, maxTokens, context) }
}

function effortOf(reasoning: "low" | "medium" | "high" | { budgetTokens: number }): string {
  if (typeof reasoning === "string") return reasoning
  return reasoning.budgetTokens <= budgets.low ? "low" : reasoning.budgetTokens <= budgets.medium ? "medium" : "high"
}

/** The limit counts thinking too, and must be above its budget. */
function roomFor(budget: number, asked: number | undefined, { generation, model, maxTokens, warn }: SettingsContext) {
  const limit = asked ?? maxTokens
  if (limit > budget) return limit
  const most = generation.isClaude ? maxTokens : Number.POSITIVE_INFINITY
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

/** The stop sequences that can be: each must hold more than blanks. */
export function stopField(stop: readonly string[] = [], { warn }: SettingsContext): readonly string[] | undefined {
  const visible = stop.filter((text) => text.trim() !== "")
  if (visible.length < stop.length)
    warn("unsupported_param", "stop: Anthropic takes no blank sequences; they were left out.")
  return visible.length > 0 ? visible : undefined
}

/** The settings of sampling that a model takes; what it would refuse is left out with a warning. */
export function samplingFields(
  { temperature, topP, topK }: AnthropicParams,
  thinks: boolean,
  { model, generation: { sampling }, warn }: SettingsContext,
): Record<string, number> {
  const fields: Record<string, number> = {}
  const never = sampling === "none" ? `${model} takes none` : undefined
  const refusal = never ?? (thinks ? `${model} takes none while it thinks` : undefined)
  const take = (name: string, field: string, value: number | undefined, why: string | undefined): void => {
    if (value === undefined) return
    if (why === undefined) fields[field] = value
    else warn("unsupported_param", `${name} was left out: ${why}.`)
  }
  // 1 is what those that take none have anyway
  if (temperature !== 1 || !refusal)
    take("temperature", "temperature", temperature && Math.min(temperature, 1), refusal)
  if (temperature !== undefined && temperature > 1 && !refusal) {
    warn("unsupported_param", `temperature = ${temperature} became 1: Anthropic's goes from 0 to 1.`)
  }
  const both = sampling === "one" && "temperature" in fields ? `${model} takes it only without temperature` : undefined
  const low = thinks && (topP ?? 1) < 0.95 ? `${model} takes 0.95 to 1 while it thinks` : undefined
  take("topP", "top_p", topP, never ?? low ?? both)
  take("topK", "top_k", topK, refusal)
  return fields
}
