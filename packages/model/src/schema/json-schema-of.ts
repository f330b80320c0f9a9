import type { AgentScopeError, JsonSchema, Schema, StandardSchema } from "@agentscope-ts/message"
import { type ModelErrorCode, modelError } from "../errors/model-error.ts"
import { knownKeywords } from "./check-literal.ts"
import { unrepresentablePath } from "./unrepresentable-path.ts"

const cache = new WeakMap<Schema, JsonSchema>()

/** Whether the schema is one of a library with Standard Schema, not a JSON Schema literal. */
export function isStandardSchema(schema: Schema): schema is StandardSchema {
  return "~standard" in schema
}

/**
 * The JSON Schema (2020-12) of what a caller writes: before defaults and transforms, so that what has a default is
 * optional. Worked out once a schema; a JSON Schema literal is its own. `subject` names the schema in errors, such as
 * `tool "search"`.
 * @throws AgentScopeError `invalid_schema` when the schema is none, or holds a type that JSON cannot say.
 */
export function jsonSchemaOf(schema: Schema, subject = "The schema"): JsonSchema {
  const known = cache.get(schema)
  if (known) return known
  checkSchema(schema, subject)
  if (!isStandardSchema(schema)) return schema
  let json: JsonSchema
  try {
    const { $schema: _, ...rest } = schema["~standard"].jsonSchema.input({ target: "draft-2020-12" })
    json = rest
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    const path = unrepresentablePath(schema)
    const where = path === "" ? "" : ` at parameter "${path}"`
    const message = `${subject} cannot be said in JSON Schema${where}: ${why}. Use a type that JSON has (a date is a string) and transform it.`
    throw modelError({ code: "invalid_schema", message, cause, details: { path } })
  }
  cache.set(schema, json)
  return json
}

/** Throws a plain explanation for what is no usable schema. */
export function checkSchema(schema: Schema, subject = "The schema"): void {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) {
    throw invalid(`${subject} is no schema: give a zod 4 schema, another Standard Schema, or a JSON Schema object.`)
  }
  if ("~standard" in schema) {
    const standard = (schema as StandardSchema)["~standard"] as Partial<StandardSchema["~standard"]>
    if (typeof standard.jsonSchema?.input === "function") return
    throw invalid(`${subject} ${explain(standard.vendor, schema)}`)
  }
  if (typeof schema === "function") {
    throw invalid(
      `${subject} is a function, no schema: give a zod 4 schema, another Standard Schema, or a JSON Schema object.`,
    )
  }
  if ("_def" in schema && "safeParse" in schema) throw invalid(`${subject} ${explain("zod", schema)}`)
  checkJsonSchema(schema, subject)
}

/** Keywords that are known to few, and so not worth recognising when misspelt. */
const rare = new Set(
  "additionalItems unevaluatedItems unevaluatedProperties dependencies dependentRequired contentMediaType contentEncoding contentSchema deprecated readOnly writeOnly".split(
    " ",
  ),
)
const isKeyword = (key: string): boolean => knownKeywords.has(key) || rare.has(key) || /^(?:\$|x-)/.test(key)
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** An object of another kind would pass for a JSON Schema that takes anything, and cost calls of the model before it fails. */
function checkJsonSchema(schema: JsonSchema, subject: string): void {
  const advice = 'give a zod 4 schema, or a JSON Schema such as { type: "object", properties: { … } }.'
  if (Array.isArray(schema)) throw invalid(`${subject} is a list, no schema: ${advice}`)
  const methods = ["parse", "safeParse", "validate"].map((name) => schema[name])
  if ([...Object.values(schema), ...methods].some((value) => typeof value === "function")) {
    throw invalid(`${subject} has functions and is no JSON Schema: ${advice}`)
  }
  const keys = Object.keys(schema)
  if (keys.some(isKeyword) || (keys.length === 0 && isPlain(schema))) return
  throw invalid(`${subject} has no keyword of JSON Schema: ${advice}`)
}

function explain(vendor: string | undefined, schema: object): string {
  if (vendor === "zod") {
    const version = "_zod" in schema ? "an older zod 4" : "zod 3"
    return `is made with ${version}, which cannot say its JSON Schema: use zod 4 (4.2 or later), import { z } from "zod".`
  }
  if (vendor === "valibot") {
    return "is a plain Valibot schema: wrap it with toStandardJsonSchema from @valibot/to-json-schema."
  }
  return `is a Standard Schema${vendor === undefined ? "" : ` of ${vendor}`} that cannot say its JSON Schema ("~standard".jsonSchema is missing): update the library, or give a JSON Schema.`
}

const invalid = (message: string): AgentScopeError<ModelErrorCode> => modelError({ code: "invalid_schema", message })
