import type { JsonSchema } from "@agentscope-ts/message"
import {
  type CallSink,
  type ChatParams,
  type ModelFacts,
  objectSchema,
  strictSchema,
  type ToolSchema,
} from "@agentscope-ts/model"
import {
  type AnswerPlan,
  bodyHead,
  extraFields,
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

/** What a plan is made of. */
export interface PlanParts {
  readonly asked: AnswerPlan
  readonly fields: Readonly<Record<string, unknown>>
  /** The user's own fields, over all others. */
  readonly extraBody: Record<string, unknown> | undefined
  readonly refusals: Refusals
  /** The JSON of the tools; empty without any. */
  readonly tools: string
  /** The field of the messages. */
  readonly list: "messages" | "input"
  readonly warn: CallSink["warn"]
}

/** The params without reasoning, of which the caller is warned, for a model that is known not to reason. */
export function reasoned<P extends ChatParams>(
  params: P,
  { reasoning }: ModelFacts,
  label: string,
  warn: CallSink["warn"],
): P {
  if (params.reasoning === undefined || reasoning !== false) return params
  if (params.reasoning !== "off") warn("unsupported_param", `${label} does not reason: params.reasoning was left out.`)
  return { ...params, reasoning: undefined }
}

/** A request of these parts, without what the endpoint has refused. */
export function planOf(parts: PlanParts): Omit<RequestPlan, "warnings"> {
  const { asked, extraBody, refusals, tools, list, warn } = parts
  const { hint, answerTool, wrapped } = asked
  const extra = extraFields({ extraBody }, [list])
  // without tools these are errors
  const { parallel_tool_calls, tool_choice, ...rest } = parts.fields
  const fields = tools === "" ? rest : { ...rest, parallel_tool_calls, tool_choice }
  const head = bodyHead({ ...refusals.without(fields, warn), ...extra }, { tools: "tools" in extra ? "" : tools }, list)
  const first = hint === undefined ? "" : `${wireJson({ role: "system", content: hint })},`
  return { head: head + first, answerTool, wrapped }
}
