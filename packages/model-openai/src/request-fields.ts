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
  bodyHead,
  extraFields,
  forcedInWords,
  isForced,
  type Refusals,
  type RequestPlan,
  type SchemaRequest,
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
  readonly asked: SchemaRequest
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

/** The request for which a model is told in words to call a tool, where it cannot be made to; `why` it cannot. */
export function unforced(asked: SchemaRequest, why: string | undefined, warn: CallSink["warn"]): SchemaRequest {
  const { toolChoice, instruction } = asked
  if (why === undefined || !isForced(toolChoice) || asked.tools.length === 0) return asked
  const hint = forcedInWords(toolChoice, why, warn)
  return { ...asked, toolChoice: "auto", instruction: instruction === undefined ? hint : `${instruction}\n${hint}` }
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
export function planOf({
  asked,
  fields,
  extraBody,
  refusals,
  tools,
  list,
  warn,
}: PlanParts): Omit<RequestPlan, "warnings"> {
  const { instruction, answerTool, wrapped } = asked
  const extra = extraFields({ extraBody }, [list])
  // without tools it is an error there
  const { parallel_tool_calls, ...rest } = fields
  const known = refusals.without(tools === "" ? rest : { ...rest, parallel_tool_calls }, warn)
  const head = bodyHead({ ...known, ...extra }, { tools: "tools" in extra ? "" : tools }, list)
  const first = instruction === undefined ? "" : `${wireJson({ role: "system", content: instruction })},`
  return { head: head + first, answerTool, wrapped }
}
