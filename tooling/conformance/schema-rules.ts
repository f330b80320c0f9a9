/** What a wire accepts, as `vectors/dialects.json` has it. */
export interface SchemaRules {
  readonly sameAs?: string
  readonly toolName?: string
  readonly toolCallId?: { readonly pattern?: string; readonly maxLength?: number }
  readonly callId?: { readonly maxLength?: number }
  readonly root?: string
  readonly rootForbidden?: readonly string[]
  readonly propertyKey?: string
  readonly allowed?: readonly string[]
  readonly forbidden?: readonly string[]
  readonly enum?: string
  readonly type?: string
  readonly formats?: Readonly<Record<string, readonly string[]>>
  readonly schema?: string
  readonly strict?: StrictRules | null
}

interface StrictRules {
  readonly forbidden: readonly string[]
  readonly allowed: readonly string[]
  readonly formats: readonly string[]
  readonly maxDepth: number
  readonly maxProperties: number
  readonly maxEnumValues: number
}

type Node = Readonly<Record<string, unknown>>
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

/** Keywords that hold one schema, a list of them, or schemas by name. */
const one = [
  "items",
  "additionalProperties",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
  "unevaluatedProperties",
  "unevaluatedItems",
  "additionalItems",
]
const many = ["anyOf", "oneOf", "allOf", "prefixItems", "items"]
const byName = ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"]

interface Place {
  readonly node: Node
  readonly path: string
  /** How many objects and arrays deep. */
  readonly depth: number
}

/** Every schema within a schema, the root first; only schemas, not the names of properties nor values. */
export function* schemasIn(node: Node, path = "#", depth = 0): Generator<Place> {
  yield { node, path, depth }
  for (const key of one) {
    const inner = node[key]
    if (isNode(inner)) yield* schemasIn(inner, `${path}/${key}`, depth + 1)
  }
  for (const key of many) {
    const list = node[key]
    if (!Array.isArray(list)) continue
    const deeper = key === "items" || key === "prefixItems" ? depth + 1 : depth
    for (const [i, inner] of list.entries()) if (isNode(inner)) yield* schemasIn(inner, `${path}/${key}/${i}`, deeper)
  }
  for (const key of byName) {
    const map = node[key]
    if (!isNode(map)) continue
    const deeper = key === "properties" || key === "patternProperties" ? depth + 1 : depth
    for (const [name, inner] of Object.entries(map)) {
      if (isNode(inner)) yield* schemasIn(inner, `${path}/${key}/${name}`, deeper)
    }
  }
}

/** What in a tool's parameters breaks the rules; empty when they are valid. `strict`: sent for strict mode. */
export function schemaProblems(rules: SchemaRules, parameters: unknown, strict: boolean): string[] {
  if (!isNode(parameters)) return ["the parameters are no object"]
  const problems: string[] = []
  const { root, rootForbidden = [], propertyKey, schema = "" } = rules
  if (root !== undefined && parameters["type"] !== root) problems.push(`#: the type is ${String(parameters["type"])}`)
  for (const key of rootForbidden) if (key in parameters) problems.push(`#: ${key} at the root`)
  const places = [...schemasIn(parameters)]
  for (const { node, path } of places) {
    const report = (problem: string) => problems.push(`${path}: ${problem}`)
    checkRef(node, parameters, report)
    if (/inlined/.test(schema) && "$ref" in node) report("$ref")
    for (const name of Object.keys(isNode(node["properties"]) ? node["properties"] : {})) {
      if (propertyKey && !new RegExp(propertyKey, "u").test(name)) report(`property name "${name}"`)
    }
    checkKeywords(rules, node, report)
  }
  if (strict && rules.strict) problems.push(...strictProblems(rules.strict, parameters, places))
  return problems
}

type Report = (problem: string) => unknown

/** A reference leads somewhere within the schema. */
function checkRef(node: Node, root: Node, report: Report): void {
  const ref = node["$ref"]
  if (typeof ref !== "string") return
  if (!ref.startsWith("#")) return void report(`$ref to ${ref}`)
  let target: unknown = root
  for (const step of ref.slice(1).split("/").filter(Boolean)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")
    target = typeof target === "object" && target !== null ? (target as Node)[key] : undefined
  }
  if (target === undefined) report(`$ref ${ref} points to nothing`)
}

/** Gemini's rules: which keywords, types and formats there are. */
function checkKeywords(
  { allowed, forbidden = [], enum: enums, type, formats }: SchemaRules,
  node: Node,
  report: Report,
): void {
  for (const key of Object.keys(node)) {
    if (allowed ? !allowed.includes(key) : forbidden.includes(key)) report(`keyword ${key}`)
  }
  if (enums === "strings only" && Array.isArray(node["enum"])) {
    if (node["enum"].some((value) => typeof value !== "string")) report("an enum value that is no string")
    if (node["type"] !== undefined && node["type"] !== "string") report(`enum in type ${JSON.stringify(node["type"])}`)
  }
  if (type?.startsWith("a single type name")) {
    const named = node["type"]
    if (named !== undefined && typeof named !== "string") report(`type ${JSON.stringify(named)}`)
    if (named === "null") report('type "null"')
  }
  const format = node["format"]
  if (
    formats &&
    format !== undefined &&
    !(formats[String(node["type"]).toLowerCase()] ?? []).includes(format as string)
  )
    report(`format ${JSON.stringify(format)} of ${JSON.stringify(node["type"])}`)
  const required = node["required"]
  if (allowed && Array.isArray(required)) {
    const properties = isNode(node["properties"]) ? node["properties"] : {}
    for (const name of required) if (!((name as string) in properties)) report(`required "${name}" is no property`)
  }
}

function strictProblems(rules: StrictRules, root: Node, places: readonly Place[]): string[] {
  const problems: string[] = []
  if ("anyOf" in root) problems.push("#: anyOf at the root")
  let [properties, values] = [0, 0]
  for (const { node, path, depth } of places) {
    const report = (problem: string) => problems.push(`${path}: ${problem}`)
    for (const key of Object.keys(node)) if (!rules.allowed.includes(key)) report(`keyword ${key}`)
    const format = node["format"]
    if (format !== undefined && !rules.formats.includes(format as string)) report(`format ${JSON.stringify(format)}`)
    if (depth > rules.maxDepth) report(`${depth} levels deep`)
    if (Array.isArray(node["enum"])) values += node["enum"].length
    const types = [node["type"]].flat()
    if (!types.includes("object") && !("properties" in node)) continue
    const names = Object.keys(isNode(node["properties"]) ? node["properties"] : {})
    properties += names.length
    if (node["additionalProperties"] !== false) report("additionalProperties is not false")
    const required = Array.isArray(node["required"]) ? (node["required"] as readonly unknown[]) : []
    for (const name of names) if (!required.includes(name)) report(`"${name}" is not required`)
    for (const name of required)
      if (!names.includes(name as string)) report(`required "${String(name)}" is no property`)
  }
  if (properties > rules.maxProperties) problems.push(`${properties} properties`)
  if (values > rules.maxEnumValues) problems.push(`${values} enum values`)
  return problems
}
