import {
  type ClaudeGeneration,
  type PlanGiven,
  roomToAnswer,
  snakeNames,
  takenFields,
  thinkingPlan,
} from "@agentscope-ts/model/wire"
import type { AnthropicParams } from "./anthropic-options.ts"

/** What a request depends on beside itself. */
export interface RequestContext extends PlanGiven {
  readonly model: string
  readonly generation: ClaudeGeneration
  /** The most tokens of an answer. */
  readonly maxTokens: number
  /** Whether the endpoint can mark the last message for its cache by itself. */
  readonly marksLast: boolean
  /** Whether only tokens are to be counted. */
  readonly counts: boolean
  /** The texts of the system messages at the head of the history. */
  readonly system: readonly string[]
  /** Whether the turn that goes on has no thinking of Claude's: then it cannot begin to think now. */
  readonly midTurn: boolean
}

type Thinking = { readonly on: boolean; readonly maxTokens: number; readonly field?: object; readonly effort?: string }

const leastBudget = 1024
const names = { ...snakeNames("temperature topP topK seed serviceTier"), stop: "stop_sequences" }

/** How the model is told to think, and how long its answer may be: a limit that thinking would use up is raised. */
export function thinkingOf({ reasoning, maxTokens: asked }: AnthropicParams, context: RequestContext): Thinking {
  const { generation, model, midTurn, warn, maxTokens: usual } = context
  const maxTokens = asked ?? usual
  const blocked = midTurn ? "the turn with its last tool calls began without thinking, or by another model" : undefined
  const plan = thinkingPlan(reasoning, { ...generation, model, blocked, warn })
  if (plan === undefined) return { on: false, maxTokens }
  if (plan === "off") return { on: false, maxTokens, field: { type: "disabled" } }
  if ("effort" in plan) {
    // newer models tell of their thinking only when asked
    const field = { type: "adaptive", ...(generation.by === "effort" && { display: "summarized" }) }
    return { on: true, maxTokens, effort: plan.effort, ...(reasoning !== "off" && { field }) }
  }
  const budget = Math.max(leastBudget, plan.budget)
  const room = { model, budget, asked, usual, most: generation.isClaude ? usual : Number.POSITIVE_INFINITY, warn }
  return { on: true, field: { type: "enabled", budget_tokens: budget }, maxTokens: roomToAnswer(room) }
}

/** The settings that a model takes as they are; what it would refuse is left out with a warning. */
export function plainFields(
  params: AnthropicParams,
  thinks: boolean,
  { model, generation: { sampling }, warn }: RequestContext,
): Record<string, unknown> {
  const { temperature, topP = 1, stop = [] } = params
  const never = sampling === "none" ? `${model} takes none` : undefined
  const refusal = never ?? (thinks ? `${model} takes none while it thinks` : undefined)
  const low = thinks && topP < 0.95 ? `${model} takes 0.95 to 1 while it thinks` : undefined
  const isSecond = sampling === "one" && temperature !== undefined && !refusal
  const second = isSecond ? `${model} takes it only without temperature` : undefined
  if (temperature !== undefined && temperature > 1 && !refusal) {
    warn("unsupported_param", `temperature = ${temperature} became 1: Anthropic's goes from 0 to 1.`)
  }
  const visible = stop.filter((text) => text.trim() !== "")
  if (visible.length < stop.length) {
    warn("unsupported_param", "stop: Anthropic takes no blank sequences; they were left out.")
  }
  // 1 is what those that take none have anyway
  const isDefault = temperature === 1 && refusal !== undefined
  return takenFields(
    { ...params, stop: visible, temperature: isDefault ? undefined : temperature && Math.min(temperature, 1) },
    names,
    { temperature: refusal, topP: never ?? low ?? second, topK: refusal, seed: "Anthropic knows no seed" },
    warn,
  )
}
