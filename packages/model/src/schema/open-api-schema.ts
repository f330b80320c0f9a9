import { cutText, type JsonSchema } from "@agentscope-ts/message"
import { objectIn, textIn } from "../wire/read-value.ts"
import { inlineRefs } from "./inline-refs.ts"
import { objectSchema } from "./object-schema.ts"
import { flatSchema, isOfType, schemaCases } from "./schema-cases.ts"

type Json = Record<string, unknown>

/** What is known of each type beside what is known of all, and what of it has to be said in words. */
const keywords: Readonly<Record<string, readonly [known: string, worded: string]>> = {
  string: ["minLength maxLength pattern", "contentEncoding contentMediaType"],
  number: ["minimum maximum", "exclusiveMinimum exclusiveMaximum multipleOf"],
  integer: ["minimum maximum", "exclusiveMinimum exclusiveMaximum multipleOf"],
  boolean: ["", ""],
  array: ["minItems maxItems", "prefixItems contains uniqueItems"],
  object: [
    "minProperties maxProperties",
    "propertyNames patternProperties additionalProperties dependentRequired dependentSchemas dependencies",
  ],
}
const formats: Readonly<Record<string, readonly unknown[]>> = {
  string: ["date-time", "enum"],
  number: ["float", "double"],
  integer: ["int32", "int64"],
}
/** What a list holds that holds anything, but for further lists. */
const plain = ["string", "number", "boolean", "object"]
/** The longest text for one keyword. */
const maxWords = 400

const cache = new WeakMap<JsonSchema, JsonSchema>()

/**
 * A tool's parameters as a Schema Object of OpenAPI 3.0 without references, for providers that take only those (Gemini): one
 * type each, null as `nullable`, lists of values for texts alone. What it cannot say (other bounds and formats, values that
 * are no texts, conditions) stands in the description. Arguments that fit the original fit what comes out; they are to be
 * validated by the original. Worked out once a schema.
 */
export function openApiSchema(parameters: JsonSchema): JsonSchema {
  let known = cache.get(parameters)
  if (known === undefined) {
    known = typed(objectSchema(flatSchema(inlineRefs(parameters))).schema)
    cache.set(parameters, known)
  }
  return known
}

function say(schema: unknown): Json {
  const { title, description, default: preset, nullable, ...node } = flatSchema(schema)
  const cases = schemaCases(node)
  const said = new Map(
    cases
      .filter(({ type }) => type !== "null")
      .map((one) => typed(one))
      .map((one) => [JSON.stringify(one), one]),
  )
  const shown = [...said.values()]
  const [only = { type: "string", description: "Always null." }] = shown
  const outer = {
    title,
    default: preset ?? undefined,
    nullable: nullable === true || cases.some(({ type }) => type === "null") || undefined,
  }
  if (shown.length > 1) return defined({ ...outer, description, anyOf: shown })
  return defined({
    ...only,
    ...defined(outer),
    description: described({ description }, [textIn(only["description"])]),
  })
}

/** A schema of one type. */
function typed(node: Json): Json {
  const type = node["type"] as string
  const [known = "", worded = ""] = keywords[type] ?? []
  const { enum: values, format } = node
  const out: Json = { type, title: node["title"], default: node["default"] ?? undefined, example: node["example"] }
  for (const keyword of known.split(" ")) out[keyword] = node[keyword]
  const told: string[] = []
  if (formats[type]?.includes(format)) out["format"] = format
  else if (typeof format === "string") told.push(words("format", format))
  if (Array.isArray(values)) {
    const own = values.filter((value) => isOfType(value, type))
    // an empty text is refused among the values
    if (own.length > 0 && type === "string" && !own.includes("")) out["enum"] = own
    else if (own.length > 0) told.push(words("one of", own))
  }
  for (const keyword of `${worded} not if then else`.trim().split(" ")) {
    const value = node[keyword]
    // zod says of every record that its keys are texts
    if (keyword === "propertyNames" && JSON.stringify(value) === '{"type":"string"}') continue
    if (value !== undefined && typeof value !== "boolean") told.push(words(keyword, value))
    else if (value === true && keyword === "uniqueItems") told.push("all different")
  }
  if (type === "array") items(node, out)
  if (type === "object") properties(node, out)
  return defined({ ...out, description: described(node, told) })
}

function items({ items, prefixItems, additionalItems, maxItems }: Json, out: Json): void {
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined
  out["items"] = say(tuple && tuple.length > 0 ? { anyOf: tuple } : (objectIn(items) ?? { type: plain }))
  if (tuple && maxItems === undefined && (items === false || additionalItems === false)) out["maxItems"] = tuple.length
}

function properties(node: Json, out: Json): void {
  const given = objectIn<Json>(node["properties"])
  // what may hold nothing is left out
  const entries = Object.entries(given ?? {}).filter(([, value]) => JSON.stringify(flatSchema(value)["not"]) !== "{}")
  if (given) out["properties"] = Object.fromEntries(entries.map(([key, value]) => [key, say(value)]))
  const needed = Array.isArray(node["required"]) ? (node["required"] as string[]) : []
  const required = needed.filter((key) => entries.some(([name]) => name === key))
  if (required.length > 0) out["required"] = required
}

const words = (keyword: string, value: unknown): string =>
  `${keyword}: ${cutText(typeof value === "string" ? value : JSON.stringify(value), maxWords)}`

/** The description, with what is to be told beside it. */
function described({ description }: Json, told: readonly string[]): string | undefined {
  const notes = told.filter((text) => text !== "").join("; ")
  const text = typeof description === "string" ? description : ""
  if (notes === "" || text === "") return text || notes || undefined
  return `${text} (${notes})`
}

const defined = (json: Json): Json =>
  Object.fromEntries(Object.entries(json).filter(([, value]) => value !== undefined))
