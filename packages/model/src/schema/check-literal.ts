import { didYouMean, nearestName, type Schema } from "@agentscope-ts/message"
import { modelError } from "../errors/model-error.ts"

type Node = { readonly [key: string]: unknown }

const typeNames = ["string", "number", "integer", "boolean", "object", "array", "null"]
/** Keywords that hold one schema, several by name, or a list. */
const single = ["items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"]
const named = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]
const listed = ["anyOf", "oneOf", "allOf", "prefixItems"]
/** Keywords worth recognising when misspelt: not the shortest, which other words are too near to. */
const keywords = [
  "type enum const title description default examples required format pattern minimum maximum multipleOf",
  "exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems uniqueItems minProperties maxProperties",
]
  .flatMap((line) => line.split(" "))
  .concat([...single, ...named, ...listed].filter((keyword) => keyword.length > 4))
/** Right as they are, however near to another keyword. */
export const knownKeywords: ReadonlySet<string> = new Set([
  ...keywords,
  ...single,
  "example",
  "id",
  "nullable",
  "minContains",
  "maxContains",
])

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)
const isLibrarySchema = (value: unknown): boolean =>
  ((typeof value === "object" && value !== null) || typeof value === "function") &&
  ("~standard" in value || "_def" in value || "_zod" in value)

/**
 * Throws `invalid_schema` for what is surely a mistake in a schema as its author wrote it: a bare zod shape, a type that does
 * not exist, a required property that does not exist, a misspelt keyword. Other unknown keywords are let be. Schemas of other
 * people (of MCP servers, say) are not to be held to this. `subject` names the schema in errors: `The input of the tool "x"`.
 */
export function checkLiteral(schema: Schema, subject: string): void {
  if (typeof schema !== "object" || schema === null || isLibrarySchema(schema)) return
  new LiteralCheck(subject).root(schema as Node)
}

class LiteralCheck {
  readonly #subject: string
  readonly #seen = new Set<unknown>()

  constructor(subject: string) {
    this.#subject = subject
  }

  #fail(path: string, problem: string): never {
    const subject = this.#subject
    const where = path === "" ? subject : `"${path}" in ${subject.charAt(0).toLowerCase()}${subject.slice(1)}`
    throw modelError({ code: "invalid_schema", message: `${where} ${problem}`, details: { path } })
  }

  root(input: Node): void {
    const values = Object.values(input)
    if (values.some(isLibrarySchema))
      this.#fail("", "is a bare shape of schemas, no schema: wrap it in z.object({ … }).")
    const isShape =
      values.length > 0 &&
      values.every((value) => isNode(value) && typeof value["type"] === "string") &&
      Object.keys(input).every(
        (key) => !knownKeywords.has(key) && nearestName(key, named, { strict: true }) === undefined,
      )
    if (isShape)
      this.#fail("", 'lists properties without an object around: wrap them in { type: "object", properties: { … } }.')
    this.#schema(input, "", true)
  }

  /** `whole`: the schema stands alone, so that `required` speaks of its own properties. */
  #schema(schema: unknown, path: string, whole: boolean): void {
    if (typeof schema === "boolean") return
    if (isLibrarySchema(schema))
      this.#fail(path, "is a schema of a library inside a JSON Schema: make all of the input with one of both.")
    if (!isNode(schema))
      this.#fail(path, `is ${JSON.stringify(schema) ?? typeof schema}, no schema: give one such as { type: "string" }.`)
    if (this.#seen.has(schema)) return
    this.#seen.add(schema)
    this.#keywords(schema, path)
    this.#type(schema["type"], path)
    this.#required(schema, path, whole)
    this.#below(schema, path)
  }

  #keywords(schema: Node, path: string): void {
    for (const key of Object.keys(schema)) {
      if (knownKeywords.has(key) || key.startsWith("x-") || key.startsWith("$")) continue
      const meant = nearestName(key, keywords, { strict: true })
      if (meant !== undefined)
        this.#fail(path, `has "${key}", which is no keyword of JSON Schema. Did you mean "${meant}"?`)
    }
  }

  #type(type: unknown, path: string): void {
    if (type === undefined) return
    for (const name of Array.isArray(type) ? (type as unknown[]) : [type]) {
      if (typeof name === "string" && typeNames.includes(name)) continue
      const meant = typeof name === "string" ? didYouMean(name, typeNames) : ""
      this.#fail(path, `has the type ${JSON.stringify(name)}, which is none of ${typeNames.join(", ")}.${meant}`)
    }
  }

  #required({ required, properties, ...rest }: Node, path: string, whole: boolean): void {
    if (required === undefined) return
    if (!Array.isArray(required)) {
      const name = path.slice(path.lastIndexOf(".") + 1)
      const list = path === "" ? "" : `, as in required: ["${name}"] beside the properties that it is one of`
      this.#fail(path, `has required: ${JSON.stringify(required)}: required is a list of names${list}.`)
    }
    const isOpen = !whole || [...listed, "patternProperties", "$ref", "if"].some((keyword) => keyword in rest)
    if (!isNode(properties) || isOpen) return
    const names = Object.keys(properties)
    const missing = (required as unknown[]).find((name) => !names.includes(name as string))
    if (missing === undefined) return
    const meant = typeof missing === "string" ? didYouMean(missing, names) : ""
    this.#fail(path, `requires ${JSON.stringify(missing)}, which is not one of its properties.${meant}`)
  }

  #below(schema: Node, path: string): void {
    const at = (...steps: (string | number)[]): string => [...(path === "" ? [] : [path]), ...steps].join(".")
    for (const keyword of named) {
      if (schema[keyword] === undefined) continue
      if (!isNode(schema[keyword])) this.#fail(path, `has ${keyword} that are no object of schemas by name.`)
      for (const [name, below] of Object.entries(schema[keyword])) {
        this.#schema(below, keyword === "properties" ? at(name) : at(keyword, name), true)
      }
    }
    for (const keyword of single) {
      const below = schema[keyword]
      if (Array.isArray(below)) for (const [i, item] of below.entries()) this.#schema(item, at(keyword, i), true)
      else if (below !== undefined) this.#schema(below, at(keyword), keyword === "items" || keyword === "contains")
    }
    for (const keyword of listed) {
      const list = schema[keyword]
      if (!Array.isArray(list)) continue
      for (const [i, item] of list.entries()) this.#schema(item, at(keyword, i), false)
    }
  }
}
