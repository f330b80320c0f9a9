import type { JsonSchema, Schema } from "@agentscope-ts/message"
import { jsonSchemaOf } from "@agentscope-ts/model"
import { toolError } from "../error.ts"

/**
 * The JSON Schema that a model is told for a tool's input, as it was written: an object. One that says nothing of its type is
 * told as an object without properties. Throws `invalid_schema`, naming the tool and the parameter.
 */
export function parametersOf(tool: string, input: Schema): JsonSchema {
  const schema = jsonSchemaOf(input, `The input of the tool "${tool}"`)
  if (schema.type === "object") return schema
  const isComposed = ["anyOf", "oneOf", "allOf", "$ref"].some((keyword) => keyword in schema)
  if (schema.type === undefined && isComposed) return schema
  if (schema.type === undefined) return { ...schema, type: "object", properties: schema.properties ?? {} }
  const message = `The input of the tool "${tool}" is of type ${JSON.stringify(schema.type)}: a model's arguments are always an object. Wrap it, as in { value: … }.`
  throw toolError("invalid_schema", message)
}
