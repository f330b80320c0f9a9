import { AgentScopeError, type JsonSchema } from "@agentscope-ts/message"
import { resolveRef } from "./resolve-ref.ts"

type Json = Record<string, unknown>

/** What says more than strict mode can. */
const inexpressible = [
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "patternProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "prefixItems",
  "additionalItems",
  "contains",
  "$dynamicRef",
] as const
/** Bounds that strict mode does not know: told to the model in words. */
const bounds = ["minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties", "propertyNames"] as const
const kept = [
  "title",
  "enum",
  "const",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
] as const
const formats: readonly unknown[] = [
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
]
const limits = { depth: 10, properties: 5000, enumValues: 1000 }

/** Thrown inside the conversion only: what cannot be said, and where. */
export class CannotSay extends AgentScopeError<"unsupported"> {
  constructor(what: string, path: string) {
    super({ code: "unsupported", message: `${what} at ${path === "" ? "the root" : `"${path}"`}` })
  }
}

/** One conversion of a document to strict mode. */
export class SayStrictly {
  readonly #document: JsonSchema
  /** The definitions that are referred to. */
  readonly #named = new Set<string>()
  #properties = 0
  #enumValues = 0

  constructor(document: JsonSchema) {
    this.#document = document
  }

  root(): JsonSchema {
    const { $defs, definitions, ...rest } = this.#document
    const target = typeof rest["$ref"] === "string" ? resolveRef(this.#document, rest["$ref"]) : undefined
    const root = (target ?? rest) as Json
    if (root["anyOf"] !== undefined || root["oneOf"] !== undefined) throw new CannotSay("anyOf is not allowed", "")
    if (root["type"] !== undefined && root["type"] !== "object") throw new CannotSay("no object", "")
    // a tool without parameters
    const isBare =
      root["type"] === "object" && root["properties"] === undefined && isUnset(root["additionalProperties"])
    const said = this.#say(isBare ? { ...root, properties: {} } : root, "", 1) as Json
    if (said["type"] !== "object") throw new CannotSay("no object", "")
    const all = { ...(definitions as Json | undefined), ...($defs as Json | undefined) }
    const defs: Json = {}
    // a set grows while it is walked: definitions refer to others
    for (const name of this.#named) defs[name] = this.#say(all[name], `$defs.${name}`, 1)
    return this.#named.size === 0 ? said : { ...said, $defs: defs }
  }

  #say(schema: unknown, path: string, depth: number): unknown {
    if (typeof schema !== "object" || schema === null) throw new CannotSay(`a schema "${String(schema)}"`, path)
    if (depth > limits.depth) throw new CannotSay(`more than ${limits.depth} levels`, path)
    const node = this.#single(schema as Json, path)
    for (const keyword of inexpressible) if (node[keyword] !== undefined) throw new CannotSay(keyword, path)
    if (typeof node["$ref"] === "string") return this.#reference(node, node["$ref"], path)
    const out: Json = {}
    const description = described(node)
    if (description !== "") out["description"] = description
    for (const keyword of kept) if (node[keyword] !== undefined) out[keyword] = node[keyword]
    if (formats.includes(node["format"])) out["format"] = node["format"]
    if (Array.isArray(node["enum"])) {
      this.#enumValues += node["enum"].length
      if (this.#enumValues > limits.enumValues) throw new CannotSay(`more than ${limits.enumValues} enum values`, path)
    }
    const branches = node["anyOf"] ?? node["oneOf"]
    if (Array.isArray(branches)) {
      if (node["properties"] !== undefined) throw new CannotSay("anyOf beside properties", path)
      return { ...out, anyOf: branches.map((branch, i) => this.#say(branch, `${path}.anyOf[${i}]`, depth)) }
    }
    this.#typed(node, out, path, depth)
    return out
  }

  /** `allOf` of one schema says no more than that schema. */
  #single(node: Json, path: string): Json {
    const { allOf, ...rest } = node
    if (allOf === undefined) return node
    const [only] = Array.isArray(allOf) && allOf.length === 1 ? (allOf as Json[]) : []
    const clash = only && Object.keys(only).some((key) => key in rest && key !== "description" && key !== "title")
    if (only === undefined || typeof only !== "object" || clash) throw new CannotSay("allOf", path)
    return { ...only, ...rest }
  }

  #reference(node: Json, ref: string, path: string): Json {
    const target = resolveRef(this.#document, ref)
    if (target === undefined) throw new CannotSay(`a reference to ${ref}`, path)
    const name = /^#\/(?:\$defs|definitions)\/([^/~%]+)$/.exec(ref)?.[1]
    if (name === undefined && ref !== "#") throw new CannotSay(`a reference to ${ref}`, path)
    if (name !== undefined) this.#named.add(name)
    const said = { $ref: name === undefined ? ref : `#/$defs/${name}` }
    const beside = Object.keys(node).filter((key) => key !== "$ref" && !isAnnotation(key))
    if (beside.length > 0) throw new CannotSay(`${beside.join(", ")} beside $ref`, path)
    // strict mode takes nothing beside a reference
    return typeof node["description"] === "string" ? { description: node["description"], anyOf: [said] } : said
  }

  #typed(node: Json, out: Json, path: string, depth: number): void {
    const type = node["type"] ?? (node["properties"] === undefined ? undefined : "object")
    if (type === undefined && node["enum"] === undefined && node["const"] === undefined) {
      throw new CannotSay("a value of any type", path)
    }
    if (type !== undefined) out["type"] = type
    const types = Array.isArray(type) ? type : [type]
    if (types.includes("array")) out["items"] = this.#items(node, path, depth)
    if (types.includes("object")) this.#object(node, out, path, depth)
  }

  #items(node: Json, path: string, depth: number): unknown {
    const items = node["items"]
    if (items === undefined || typeof items === "boolean") throw new CannotSay("a list of anything", path)
    if (Array.isArray(items)) throw new CannotSay("a tuple", path)
    return this.#say(items, `${path}[]`, depth)
  }

  #object(node: Json, out: Json, path: string, depth: number): void {
    if (!isUnset(node["additionalProperties"])) throw new CannotSay("additionalProperties (a record)", path)
    const properties = node["properties"]
    if (typeof properties !== "object" || properties === null) throw new CannotSay("an object of any shape", path)
    const entries = Object.entries(properties)
    this.#properties += entries.length
    if (this.#properties > limits.properties) throw new CannotSay(`more than ${limits.properties} properties`, path)
    const required: string[] = Array.isArray(node["required"]) ? node["required"] : []
    const stray = required.find((key) => !Object.hasOwn(properties, key))
    if (stray !== undefined) throw new CannotSay(`"${stray}" required but not described`, path)
    out["properties"] = Object.fromEntries(
      entries.map(([key, value]) => {
        const said = this.#say(value, path === "" ? key : `${path}.${key}`, depth + 1) as Json
        return [key, required.includes(key) ? said : orNull(said)]
      }),
    )
    out["required"] = entries.map(([key]) => key)
    out["additionalProperties"] = false
  }
}

/** Not given, or closed. */
const isUnset = (additional: unknown): boolean => additional === undefined || additional === false

/** Keywords that only describe. */
const annotations = ["title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly"]
const isAnnotation = (key: string): boolean => annotations.includes(key) || key.startsWith("x-") || key === "$comment"

function orNull(said: Json): Json {
  const branches = Array.isArray(said["anyOf"]) ? (said["anyOf"] as Json[]) : undefined
  if ((branches ?? [said]).some(takesNull)) return said
  if (branches) return { ...said, anyOf: [...branches, { type: "null" }] }
  const { description, ...rest } = said
  return { ...(description !== undefined && { description }), anyOf: [rest, { type: "null" }] }
}

function takesNull({ type, enum: values, const: value }: Json): boolean {
  if (type === "null" || (Array.isArray(type) && type.includes("null"))) return true
  return type === undefined && ((Array.isArray(values) && values.includes(null)) || value === null)
}

/** The description, with the bounds that strict mode does not know in words. */
function described(node: Json): string {
  const said = bounds
    .filter((keyword) => node[keyword] !== undefined)
    .map((keyword) => `${keyword}: ${JSON.stringify(node[keyword])}`)
  const format = node["format"]
  if (typeof format === "string" && !formats.includes(format)) said.push(`format: ${format}`)
  const text = typeof node["description"] === "string" ? node["description"] : ""
  return said.length === 0 ? text : `${text}${text === "" ? "" : " "}(${said.join(", ")})`
}
