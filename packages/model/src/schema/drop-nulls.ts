import type { JsonSchema, Schema } from "@agentscope-ts/message"
import { jsonSchemaOf } from "./json-schema-of.ts"
import { resolveRef } from "./resolve-ref.ts"

/**
 * The value without the nulls that stand for "absent": those of optional properties that take no null. A strict schema
 * makes models write them. The same value when there are none.
 */
export function dropNulls(schema: Schema, value: unknown): unknown {
  if (!holdsNull(value)) return value
  const root = jsonSchemaOf(schema)
  return drop(root, value, root)
}

function holdsNull(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === null
  if (Array.isArray(value)) return value.some(holdsNull)
  for (const key in value) if (holdsNull((value as Record<string, unknown>)[key])) return true
  return false
}

function drop(schema: unknown, value: unknown, root: JsonSchema): unknown {
  if (typeof value !== "object" || value === null) return value
  const branches = branchesOf(schema, root)
  if (Array.isArray(value)) {
    const items = branches.find(({ items }) => typeof items === "object" && !Array.isArray(items))?.items
    const tuple = branches.find(({ prefixItems }) => Array.isArray(prefixItems))?.["prefixItems"] as
      | unknown[]
      | undefined
    return value.map((item, i) => drop(tuple?.[i] ?? items, item, root))
  }
  const out: [string, unknown][] = []
  for (const [key, item] of Object.entries(value)) {
    const owners = branches.filter(({ properties }) => properties !== undefined && Object.hasOwn(properties, key))
    const isOptional = owners.length > 0 && owners.every(({ required }) => !required?.includes(key))
    if (item === null && isOptional && !owners.some(({ properties }) => takesNull(properties?.[key], root))) continue
    const extra = branches.find(({ additionalProperties }) => typeof additionalProperties === "object")
    out.push([key, drop(owners[0]?.properties?.[key] ?? extra?.["additionalProperties"], item, root)])
  }
  return Object.fromEntries(out)
}

/** The schema and what it is made of, references followed. */
function branchesOf(schema: unknown, root: JsonSchema): readonly JsonSchema[] {
  const found = new Set<JsonSchema>()
  const visit = (part: unknown) => {
    if (typeof part !== "object" || part === null || found.has(part as JsonSchema)) return
    const node = part as JsonSchema
    found.add(node)
    if (typeof node["$ref"] === "string") visit(resolveRef(root, node["$ref"]))
    for (const parts of [node["anyOf"], node["oneOf"], node["allOf"]]) if (Array.isArray(parts)) parts.forEach(visit)
  }
  visit(schema)
  return [...found]
}

function takesNull(schema: unknown, root: JsonSchema): boolean {
  if (schema === undefined || schema === true) return true
  if (schema === false) return false
  const branches = branchesOf(schema, root)
  const says = branches.some(
    ({ type, enum: values, const: value }) => type !== undefined || values || value !== undefined,
  )
  if (!says) return true
  return branches.some(
    ({ type, enum: values, const: value }) =>
      type === "null" || (Array.isArray(type) && type.includes("null")) || values?.includes(null) || value === null,
  )
}
