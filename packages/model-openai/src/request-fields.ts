import type { JsonSchema } from "@agentscope-ts/message"
import { type ModelFacts, objectSchema, strictSchema, type ToolSchema } from "@agentscope-ts/model"
import {
  type AnswerPlan,
  bodyHead,
  extraFields,
  type PlanGiven,
  type Refusals,
  type RequestPlan,
  snakeNames,
  wireJson,
} from "@agentscope-ts/model/wire"

/** The params that both APIs call the same. */
export const commonFields = snakeNames("temperature topP serviceTier user parallelToolCalls")

/**
 * A tool's parameters as OpenAI takes them: as they are, but with an object at their root and no alternatives there, which
 * it refuses.
 */
export function openAISchema(parameters: JsonSchema): JsonSchema {
  const plain = parameters.type === "object" && ["anyOf", "oneOf", "allOf", "$ref"].every((key) => !(key in parameters))
  return plain ? parameters : objectSchema(parameters).schema
}

/** A function's parameters; what cannot be said strictly is said as it is, and validated by us as always. */
export function toolFields({ name, description, parameters, strict: wanted }: ToolSchema) {
  const { schema, strict } = wanted ? strictSchema(parameters) : { schema: parameters, strict: false }
  return { name, description, parameters: strict ? schema : openAISchema(parameters), strict }
}

/** What a plan is made for. */
export interface PlanTarget extends Pick<PlanGiven, "streaming" | "warn"> {
  readonly provider: string
  readonly model: string
  readonly refusals: Refusals
  readonly facts: ModelFacts
}

/** What a plan is made of. */
export interface PlanParts {
  readonly asked: AnswerPlan
  readonly fields: Readonly<Record<string, unknown>>
  /** The user's own fields, over all others. */
  readonly extraBody: Record<string, unknown> | undefined
  /** The JSON of the tools; empty without any. */
  readonly tools: string
  /** The field of the messages. */
  readonly list: "messages" | "input"
}

/** A request of these parts, without what the endpoint has refused. */
export function planOf(parts: PlanParts, { refusals, warn }: PlanTarget): Omit<RequestPlan, "warnings"> {
  const { asked, extraBody, tools, list } = parts
  const { hint, answerTool, wrapped } = asked
  const extra = extraFields({ extraBody }, [list])
  // without tools these are errors
  const { parallel_tool_calls, tool_choice, ...rest } = parts.fields
  const fields = tools === "" ? rest : { ...rest, parallel_tool_calls, tool_choice }
  const head = bodyHead({ ...refusals.without(fields, warn), ...extra }, { tools: "tools" in extra ? "" : tools }, list)
  const first = hint === undefined ? "" : `${wireJson({ role: "system", content: hint })},`
  return { head: head + first, answerTool, wrapped }
}
