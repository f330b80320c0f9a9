import type { JsonSchema } from "@agentscope-ts/message"
import { objectSchema, strictSchema, type ToolSchema } from "@agentscope-ts/model"
import { bodyHead, extraFields, wireJson } from "@agentscope-ts/model/wire"
import type { OpenAICommonParams } from "./openai-options.ts"
import type { Refusals } from "./refusals.ts"

/** The fields of a body that both APIs call the same. */
export function commonFields(params: OpenAICommonParams, hasTools: boolean): Readonly<Record<string, unknown>> {
  const { temperature, topP, serviceTier, user, parallelToolCalls } = params
  return {
    temperature,
    top_p: topP,
    service_tier: serviceTier,
    user,
    // without tools it is an error there
    ...(hasTools && parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
  }
}

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

/** What a head is made of. */
export interface HeadParts {
  readonly fields: Readonly<Record<string, unknown>>
  /** The user's own fields, over all others. */
  readonly extra: Record<string, unknown> | undefined
  readonly refusals: Refusals | undefined
  /** The JSON of the tools; empty without any. */
  readonly tools: string
  /** The field of the messages. */
  readonly list: "messages" | "input"
  /** What is said to the model before everything else. */
  readonly instruction?: string | undefined
}

/** The beginning of a body, up to the opening bracket of its messages. */
export function headOf({ fields, extra, refusals, tools, list, instruction }: HeadParts): string {
  const own = extraFields({ extraBody: extra }, [list])
  const all = { ...(refusals?.without(fields) ?? fields), ...own }
  const head = bodyHead(all, { tools: "tools" in own ? "" : tools }, list)
  return instruction === undefined ? head : `${head}${wireJson({ role: "system", content: instruction })},`
}
