import type { JsonSchema, Schema } from "@agentscope-ts/message"
import { jsonSchemaOf } from "@agentscope-ts/model"
import { toolError } from "../error.ts"

/**
 * The JSON Schema that a model is told for a tool's input: an object, with `properties` even when there are none. Throws
 * `invalid_schema`, naming the tool and the parameter.
 */
export function parametersOf(tool: string, input: Schema): JsonSchema {
  const schema = jsonSchemaOf(input, `The input of the tool "${tool}"`)
  if (schema.type === "object" && schema.properties) return schema
  const isComposed = ["anyOf", "oneOf", "allOf", "$ref"].some((keyword) => keyword in schema)
  if (isComposed && (schema.type === undefined || schema.type === "object")) return { ...schema, type: "object" }
  if (schema.type === undefined || schema.type === "object")
    return { ...schema, type: "object", properties: schema.properties ?? {} }
  const message = `The input of the tool "${tool}" is of type ${JSON.stringify(schema.type)}: a model's arguments are always an object. Wrap it, as in { value: … }.`
  throw toolError("invalid_schema", message)
}
