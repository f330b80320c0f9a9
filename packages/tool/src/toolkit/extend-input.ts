import type { JsonObject, JsonSchema, StandardSchema } from "@agentscope-ts/message"
import { checkLiteral, type Validate, validatorOf } from "@agentscope-ts/model"
import { parametersOf } from "../define/parameters.ts"
import { toolError } from "../error.ts"
import { propertyNames } from "./property-names.ts"

/** Parameters that a registration adds to those of the tool. */
export interface Extension {
  readonly schema: JsonSchema
  readonly keys: readonly string[]
  readonly validate: Validate
}

/** Reads the schema of added parameters: an object with named properties. Throws `invalid_schema`. */
export function extensionOf(tool: string, schema: StandardSchema): Extension {
  checkLiteral(schema, `extendInput of the tool "${tool}"`)
  const extra = parametersOf(tool, schema)
  if (extra.properties === undefined) {
    throw toolError("invalid_schema", `extendInput of the tool "${tool}" must be an object with named properties.`)
  }
  return { schema: extra, keys: Object.keys(extra.properties), validate: validatorOf(schema) }
}

const definitionsOf = (schema: JsonSchema): { readonly [name: string]: unknown } =>
  (schema["$defs"] as { readonly [name: string]: unknown } | undefined) ?? {}

/** One schema with the parameters of both. Throws `name_clash` when both have a parameter of the same name. */
export function extended(tool: string, schema: JsonSchema, extension: Extension): JsonSchema {
  const names = propertyNames(schema)
  const clash = extension.keys.find((key) => names.has(key))
  if (clash !== undefined) {
    throw toolError(
      "name_clash",
      `extendInput gives the tool "${tool}" the parameter "${clash}", which it has already.`,
    )
  }
  const extra = renamed(extension.schema, Object.keys(definitionsOf(schema)))
  const required = [...(schema.required ?? []), ...(extra.required ?? [])]
  const definitions = { ...definitionsOf(schema), ...definitionsOf(extra) }
  return {
    ...schema,
    properties: { ...schema.properties, ...extra.properties },
    ...(required.length > 0 && { required }),
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  }
}

/** The schema with other names for those of its definitions that are taken, and its references with them. */
function renamed(schema: JsonSchema, taken: readonly string[]): JsonSchema {
  const clashes = new Set(Object.keys(definitionsOf(schema)).filter((name) => taken.includes(name)))
  if (clashes.size === 0) return schema
  const other = (name: string): string => (clashes.has(name) ? `extended_${name}` : name)
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node !== "object" || node === null) return node
    const entries = Object.entries(node).map(([key, value]) => {
      const name = key === "$ref" && typeof value === "string" ? /^#\/\$defs\/([^/]+)$/.exec(value)?.[1] : undefined
      return [key, name === undefined ? walk(value) : `#/$defs/${other(name)}`] as const
    })
    return Object.fromEntries(entries)
  }
  const walked = walk(schema) as JsonSchema
  const definitions = Object.entries(definitionsOf(walked)).map(([name, value]) => [other(name), value] as const)
  return { ...walked, $defs: Object.fromEntries(definitions) }
}

/** Validates both parts of an input, each by its own schema, and joins what comes of them. */
export function validateExtended(input: JsonObject, validate: Validate, extension: Extension): ReturnType<Validate> {
  const own = Object.fromEntries(Object.entries(input).filter(([key]) => !extension.keys.includes(key)))
  const added = Object.fromEntries(Object.entries(input).filter(([key]) => extension.keys.includes(key)))
  const first = validate(own)
  const second = extension.validate(added)
  if (first.ok && second.ok) return { ok: true, value: { ...(first.value as object), ...(second.value as object) } }
  return { ok: false, issues: [...(first.ok ? [] : first.issues), ...(second.ok ? [] : second.issues)] }
}
