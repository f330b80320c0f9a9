import { objectIn } from "../wire/read-value.ts"

type Json = Record<string, unknown>

/** The keywords that show of which type a value is. */
const signs: readonly (readonly [type: string, keywords: RegExp])[] = [
  ["object", /^(?:properties|required|additionalProperties|patternProperties|propertyNames|(?:min|max)Properties)$/],
  ["array", /^(?:items|prefixItems|contains|uniqueItems|(?:min|max)Items)$/],
  ["string", /^(?:pattern|format|(?:min|max)Length)$/],
  ["number", /^(?:minimum|maximum|multipleOf|exclusiveMinimum|exclusiveMaximum)$/],
]
const anything = ["string", "number", "boolean", "object", "array", "null"]
/** How many cases a schema is written out in. */
const maxCases = 64

const listIn = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as readonly string[]) : [])

/**
 * A schema, or a part of one, without `allOf` and `const` at its root: their words are joined with its own. What takes
 * nothing is `{ not: {} }`.
 */
export function flatSchema(schema: unknown): Json {
  if (schema === false) return { not: {} }
  const node = objectIn<Json>(schema) ?? {}
  const { allOf, const: value, ...own } = node
  const start = "const" in node ? both(own, { enum: [value] }) : own
  return Array.isArray(allOf) ? allOf.map(flatSchema).reduce(both, start) : start
}

/** What fits two schemas. */
function both(a: Json, b: Json): Json {
  const out = { ...a }
  for (const [key, value] of Object.entries(b)) out[key] = out[key] === undefined ? value : joined(key, out[key], value)
  return out
}

function joined(key: string, a: unknown, b: unknown): unknown {
  if (key === "required") return [...new Set([...listIn(a), ...listIn(b)])]
  if (key === "description") return a === b ? a : `${String(a)} ${String(b)}`
  if (key === "type") {
    const of = (type: unknown): readonly unknown[] => (Array.isArray(type) ? type : [type])
    const wide = (types: readonly unknown[]) => (types.includes("number") ? [...types, "integer"] : types)
    const types = [...new Set([...of(a), ...of(b)])].filter(
      (type) => wide(of(a)).includes(type) && wide(of(b)).includes(type),
    )
    return types.length === 1 ? types[0] : types
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    if (key === "anyOf" || key === "oneOf") return a.flatMap((one) => b.map((other) => ({ allOf: [one, other] })))
    if (key === "enum") return a.filter((one) => b.some((other) => JSON.stringify(one) === JSON.stringify(other)))
  }
  if (typeof a === "number" && typeof b === "number") {
    if (/^min|Min/.test(key)) return Math.max(a, b)
    if (/^max|Max/.test(key)) return Math.min(a, b)
  }
  const [left, right] = [objectIn<Json>(a), objectIn<Json>(b)]
  if (key === "items" && left && right) return { allOf: [left, right] }
  if (key !== "properties" || !left || !right) return b
  const shared = Object.keys(right).filter((name) => Object.hasOwn(left, name))
  return {
    ...left,
    ...right,
    ...Object.fromEntries(shared.map((name) => [name, { allOf: [left[name], right[name]] }])),
  }
}

/**
 * The cases of a {@link flatSchema}, each of one type and without `anyOf` and `oneOf`: for providers that know no lists of
 * types, or want to be told one. At most 64.
 */
export function schemaCases(node: Json): readonly Json[] {
  for (const key of ["anyOf", "oneOf"]) {
    const { [key]: branches, ...rest } = node
    if (!Array.isArray(branches)) continue
    return branches.flatMap((branch) => schemaCases(both(rest, flatSchema(branch)))).slice(0, maxCases)
  }
  return typesOf(node).map((type) => ({ ...node, type }))
}

function typesOf({ type, enum: values, ...node }: Json): readonly string[] {
  const given = typeof type === "string" ? [type] : listIn(type)
  if (Array.isArray(values)) {
    const all =
      given.length > 0
        ? given
        : ["string", values.some(isFraction) ? "number" : "integer", "boolean", "null", "object", "array"]
    const own = all.filter((name) => values.some((value) => isOfType(value, name)))
    if (own.length > 0) return own
  }
  if (given.length > 0) return given
  const shown = Object.keys(node).map((key) => signs.find(([, keywords]) => keywords.test(key))?.[0])
  const sign = shown.find((name) => name !== undefined)
  return sign === undefined ? anything : [sign]
}

const isFraction = (value: unknown): boolean => typeof value === "number" && !Number.isInteger(value)

/** Whether a value is of a type, as JSON Schema names it. */
export function isOfType(value: unknown, type: string): boolean {
  if (type === "null") return value === null
  if (type === "array") return Array.isArray(value)
  if (type === "object") return objectIn(value) !== undefined
  if (type === "integer") return Number.isInteger(value)
  return typeof value === type
}
