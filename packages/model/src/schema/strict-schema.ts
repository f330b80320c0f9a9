import type { JsonSchema } from "@agentscope-ts/message"
import { SayStrictly, CannotSay } from "./say-strictly.ts"

/** A schema for a provider's strict mode, or the schema as it was and why it cannot be said strictly. */
export type StrictSchema =
  | { readonly strict: true; readonly schema: JsonSchema }
  | { readonly strict: false; readonly schema: JsonSchema; readonly reason: string }

const cache = new WeakMap<JsonSchema, StrictSchema>()

/**
 * The schema in the form of OpenAI's strict mode: every object closed, every property required, an optional one also null
 * (`validatorOf` reads that null as absent), and only keywords that the mode knows. Bounds that it does not know move into
 * the description; local validation keeps them. A schema whose meaning the mode cannot say (records, tuples, anything
 * goes, `allOf`, `not`, `if`) comes back as it was, with the reason and its place. Worked out once a schema.
 */
export function strictSchema(schema: JsonSchema): StrictSchema {
  let result = cache.get(schema)
  if (result === undefined) {
    result = convert(schema)
    cache.set(schema, result)
  }
  return result
}

function convert(schema: JsonSchema): StrictSchema {
  try {
    return { strict: true, schema: new SayStrictly(schema).root() }
  } catch (error) {
    if (error instanceof CannotSay) return { strict: false, schema, reason: error.message }
    throw error
  }
}
