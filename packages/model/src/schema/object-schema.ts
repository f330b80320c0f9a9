import type { JsonSchema } from "@agentscope-ts/message"
import { resolveRef } from "./resolve-ref.ts"

type Json = Record<string, unknown>

/** A schema with an object at its root, and the properties that have another name in it. */
export interface ObjectSchema {
  readonly schema: JsonSchema
  /** The original names by those in the schema; absent where none differs. */
  readonly names?: ReadonlyMap<string, string> | undefined
}

const nested = /^(?:items|additionalProperties|additionalItems|not|if|then|else|contains|propertyNames|unevaluated\w+)$/
const lists = /^(?:anyOf|oneOf|allOf|prefixItems|items)$/
const tables = /^(?:properties|patternProperties|\$defs|definitions|dependentSchemas)$/

/**
 * A tool's parameters for providers that want JSON Schema 2020-12 with an object and no alternatives at its root: those are
 * put together, and what they said stands in the description. Older drafts are put into today's words. Properties whose
 * name does not match `propertyName` get another; {@link originalNames} gives arguments their own names back.
 */
export function objectSchema(parameters: JsonSchema, propertyName?: RegExp): ObjectSchema {
  const names = new Map<string, string>()
  const renamed = new Map<string, string>()
  const nameOf = (name: string): string => {
    if (propertyName === undefined || propertyName.test(name)) return name
    let other = renamed.get(name)
    if (other === undefined) {
      other = `${name.replace(/[^a-zA-Z0-9_]+/g, "_").slice(0, 48)}_p${names.size + 1}`
      renamed.set(name, other)
      names.set(other, name)
    }
    return other
  }
  const schema = objectAtRoot(current(parameters, nameOf) as JsonSchema, parameters)
  return names.size > 0 ? { schema, names } : { schema }
}

/** Arguments under the original names of their properties. */
export function originalNames<T>(value: T, names: ReadonlyMap<string, string>): T {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => originalNames(item, names)) as T
  const entries = Object.entries(value) as [string, unknown][]
  return Object.fromEntries(entries.map(([key, item]) => [names.get(key) ?? key, originalNames(item, names)])) as T
}

/** A schema of any draft in the words of 2020-12. */
function current(schema: unknown, nameOf: (name: string) => string): unknown {
  if (typeof schema !== "object" || schema === null) return schema
  const { $schema: _, additionalItems, ...members } = schema as Json
  const isTuple = Array.isArray(members["items"])
  const out: Json = {}
  for (const [key, value] of Object.entries(members)) {
    // a bound that was a flag up to draft 4, a list that was one up to draft 3
    if (typeof value === "boolean" && /^(?:exclusiveM(?:in|ax)imum|required)$/.test(key)) continue
    if (key === "required" && Array.isArray(value)) out[key] = value.map((name: string) => nameOf(name))
    else if (Array.isArray(value) && lists.test(key)) {
      out[key === "items" ? "prefixItems" : key] = value.map((part) => current(part, nameOf))
    } else if (tables.test(key) && typeof value === "object" && value !== null) {
      const parts = Object.entries(value) as [string, unknown][]
      out[key] = Object.fromEntries(
        parts.map(([name, part]) => [key === "properties" ? nameOf(name) : name, current(part, nameOf)]),
      )
    } else out[key] = nested.test(key) ? current(value, nameOf) : value
  }
  if (isTuple && additionalItems !== undefined) out["items"] = current(additionalItems, nameOf)
  return out
}

function objectAtRoot(schema: JsonSchema, original: JsonSchema): JsonSchema {
  const { $ref, anyOf, oneOf, allOf, ...rest } = schema
  const target = typeof $ref === "string" ? resolveRef(schema, $ref) : undefined
  if (target) return objectAtRoot({ ...target, ...rest }, original)
  const partsOf = (list: unknown): readonly JsonSchema[] =>
    (Array.isArray(list) ? (list as JsonSchema[]) : []).map((part) =>
      typeof part["$ref"] === "string" ? (resolveRef(schema, part["$ref"]) ?? part) : part,
    )
  const [all, some] = [partsOf(allOf), [...partsOf(anyOf), ...partsOf(oneOf)]]
  const holders = [...some, ...all, rest]
  const properties = eachOf(holders.map((part) => part.properties ?? {}))
  const inEach = (some[0]?.required ?? []).filter((key) => some.every((part) => part.required?.includes(key)))
  const required = [...new Set([...[rest, ...all].flatMap((part) => part.required ?? []), ...inEach])]
  const words = [
    rest["description"],
    ...["anyOf", "oneOf"].map((key) => original[key] && `${key}: ${JSON.stringify(original[key])}`),
  ]
  const description = words.filter((word) => typeof word === "string" && word !== "").join(" ")
  return {
    ...rest,
    type: "object",
    ...(description !== "" && { description }),
    ...(holders.some((part) => part.properties) && { properties }),
    ...(required.length > 0 && { required }),
  }
}

/** The properties of several shapes; what each describes in its own way may be as any of them says. */
function eachOf(shapes: readonly Readonly<Record<string, JsonSchema>>[]): Record<string, JsonSchema> {
  const all = new Map<string, JsonSchema[]>()
  for (const [key, schema] of shapes.flatMap((shape) => Object.entries(shape))) {
    const known = all.get(key) ?? []
    if (!known.some((other) => JSON.stringify(other) === JSON.stringify(schema))) known.push(schema)
    all.set(key, known)
  }
  return Object.fromEntries(
    [...all].map(([key, [first = {}, ...more]]) => [key, more.length === 0 ? first : { anyOf: [first, ...more] }]),
  )
}
