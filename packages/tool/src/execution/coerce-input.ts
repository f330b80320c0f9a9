import type { JsonObject, JsonSchema, JsonValue } from "@agentscope-ts/message"

const deepest = 32
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * An input with numbers, truth values, lists and objects in the place of strings that say nothing else, wherever the schema takes
 * one type and that is no string; the same input where there is nothing to change. Models that quote too much are understood so.
 */
export function coercedInput(input: JsonObject, schema: JsonSchema): JsonObject {
  return coerced(input, schema, schema, 0) as JsonObject
}

function coerced(value: JsonValue, schema: unknown, root: JsonSchema, depth: number): JsonValue {
  const described = followed(schema, root)
  if (described === undefined || depth > deepest) return value
  const { type } = described
  if (typeof value === "string") return typeof type === "string" ? fromText(value, type) : value
  if (typeof value !== "object" || value === null) return value
  const { items, properties } = described as { readonly items?: unknown; readonly properties?: object }
  const isList = Array.isArray(value)
  let copy: Record<string, JsonValue> | undefined
  for (const [key, member] of Object.entries(value as JsonObject)) {
    const inner = isList ? items : properties && Object.hasOwn(properties, key) ? properties[key as never] : undefined
    const made = coerced(member, inner, root, depth + 1)
    if (made === member) continue
    copy ??= (Array.isArray(value) ? [...(value as readonly JsonValue[])] : { ...(value as JsonObject) }) as Record<
      string,
      JsonValue
    >
    copy[key] = made
  }
  return (copy as JsonValue | undefined) ?? value
}

/** A string that is exactly how JSON writes a value of the type is that value. */
function fromText(text: string, type: string): JsonValue {
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text
  if (type === "number" || type === "integer") {
    const value = number.test(text) ? Number(text) : Number.NaN
    // digits that a number cannot hold are not given up
    return String(value) === text ? value : text
  }
  if (type !== "array" && type !== "object") return text
  try {
    const value = JSON.parse(text) as JsonValue
    const isList = Array.isArray(value)
    return (type === "array" ? isList : typeof value === "object" && value !== null && !isList) ? value : text
  } catch {
    return text
  }
}

/** A schema with its reference followed; `undefined` for what describes nothing, or more than one thing. */
function followed(schema: unknown, root: JsonSchema): Readonly<Record<string, unknown>> | undefined {
  if (typeof schema !== "object" || schema === null) return undefined
  const node = schema as Readonly<Record<string, unknown>>
  if (["anyOf", "oneOf", "allOf", "enum", "const"].some((keyword) => keyword in node)) return undefined
  const ref = typeof node["$ref"] === "string" ? /^#\/(\$defs|definitions)\/([^/]+)$/.exec(node["$ref"]) : undefined
  if (!ref) return "$ref" in node ? undefined : node
  const target = (root as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>)[ref[1] as string]?.[
    ref[2] as string
  ]
  return typeof target === "object" && target !== null && !("$ref" in target) ? followed(target, root) : undefined
}
