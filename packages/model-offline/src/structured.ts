import type { JsonObject, Schema } from "@agentscope-ts/message"
import { jsonSchemaOf, validatorOf } from "@agentscope-ts/model"
import { fill } from "./fill.ts"
import { mask } from "./spans.ts"

const spoken = /^(?:answer|response|result|reply|message|text|summary|output|content|explanation)$/iu

/**
 * The value of a schema, as far as the request's own words give it; a text property named "answer" or the like takes the
 * answer. Undefined when something that is required stays open: nothing is made up.
 */
export function structuredFrom(wanted: Schema, request: string, answer: string): JsonObject | undefined {
  const schema = jsonSchemaOf(wanted)
  if (schema.type !== "object" && schema.properties === undefined) return undefined
  const given: Record<string, string> = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (spoken.test(name) && property.type === "string" && !property.enum && answer !== "") given[name] = answer
  }
  const masked = mask(request)
  const { input, missing } = fill(schema, masked.text, masked.quotes, { given })
  return missing.length === 0 && validatorOf(wanted)(input).ok ? input : undefined
}
