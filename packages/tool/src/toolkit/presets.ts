import { didYouMean } from "@agentscope-ts/message"
import type { JsonObject, JsonSchema } from "@agentscope-ts/message"
import { toolError } from "../error.ts"

/**
 * A schema without the parameters that presets fill: the model neither sees nor sets them. Throws `invalid_preset` for an
 * argument that the schema does not have, where it lists what it has.
 */
export function withoutPresets(tool: string, schema: JsonSchema, presets: JsonObject): JsonSchema {
  const { properties, required, ...rest } = schema
  if (properties === undefined) return schema
  for (const key of Object.keys(presets)) {
    if (Object.hasOwn(properties, key) || rest["additionalProperties"]) continue
    const message = `The tool "${tool}" has no parameter "${key}" to preset.${didYouMean(key, Object.keys(properties))}`
    throw toolError("invalid_preset", message)
  }
  const left = Object.entries(properties).filter(([key]) => !Object.hasOwn(presets, key))
  const needed = required?.filter((key) => !Object.hasOwn(presets, key)) ?? []
  return { ...rest, properties: Object.fromEntries(left), ...(needed.length > 0 && { required: needed }) }
}
