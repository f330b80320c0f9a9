import type { JsonSchema } from "@agentscope-ts/message"
import { modelError } from "../errors/model-error.ts"
import { lookUp } from "./resolve-ref.ts"

/** How {@link inlineRefs} goes about it. */
export interface InlineOptions {
  /** How many times a definition may stand inside itself. Default 2. */
  readonly maxDepth?: number | undefined
  /** Names the schema in errors, such as `tool "search"`. */
  readonly subject?: string | undefined
}

const lists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"])
const maps = new Set(["properties", "patternProperties", "dependentSchemas"])
const singles = new Set([
  "items",
  "additionalProperties",
  "additionalItems",
  "unevaluatedItems",
  "unevaluatedProperties",
  "contains",
  "propertyNames",
  "contentSchema",
  "not",
  "if",
  "then",
  "else",
])
const dropped = new Set(["$defs", "definitions", "$id", "$anchor"])

/** How many parts a schema may have when its references are resolved: above it what recurs is cut at once, above twice as many all is. */
const maxParts = 2000

const cache = new WeakMap<JsonSchema, JsonSchema>()

/**
 * The schema with what its references point to in their place, for providers that know no `$ref`. What stands beside a
 * reference is kept and counts more. A definition that holds itself is cut after `maxDepth` levels, and the description
 * says what stood there. The same object where there is no reference; by default worked out once a schema.
 * @throws AgentScopeError `invalid_schema` when a reference leads out of the schema or to nothing.
 */
export function inlineRefs(schema: JsonSchema, options: InlineOptions = {}): JsonSchema {
  const usual = options.maxDepth === undefined
  const known = usual ? cache.get(schema) : undefined
  if (known) return known
  const inlined = new Inlining(schema, options).part(schema) as JsonSchema
  if (usual) cache.set(schema, inlined)
  return inlined
}

class Inlining {
  readonly #root: JsonSchema
  readonly #maxDepth: number
  readonly #subject: string
  /** How often each definition is being written out where we are. */
  readonly #inside = new Map<unknown, number>()
  #parts = 0

  constructor(root: JsonSchema, { maxDepth = 2, subject = "The schema" }: InlineOptions) {
    this.#root = root
    this.#maxDepth = maxDepth
    this.#subject = subject
    this.#inside.set(root, 1)
  }

  part(part: unknown): unknown {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part
    this.#parts++
    const { $ref: ref, ...beside } = part as JsonSchema
    if (typeof ref !== "string") return this.#members(part as JsonSchema)
    const own = this.#members(beside)
    return joined(this.#target(ref), own)
  }

  /** The same object when nothing in it changes. */
  #members(part: JsonSchema): JsonSchema {
    let changed = false
    const entries: [string, unknown][] = []
    for (const [key, value] of Object.entries(part)) {
      if (dropped.has(key)) {
        changed = true
        continue
      }
      const next = this.#member(key, value)
      changed ||= next !== value
      entries.push([key, next])
    }
    return changed ? (Object.fromEntries(entries) as JsonSchema) : part
  }

  #member(key: string, value: unknown): unknown {
    if (lists.has(key) || (key === "items" && Array.isArray(value))) {
      if (!Array.isArray(value)) return value
      const next = value.map((item) => this.part(item))
      return next.every((item, i) => item === value[i]) ? value : next
    }
    if (maps.has(key)) {
      if (typeof value !== "object" || value === null) return value
      const next = Object.entries(value).map(([name, item]) => [name, this.part(item)] as const)
      return next.every(([name, item]) => item === (value as JsonSchema)[name]) ? value : Object.fromEntries(next)
    }
    return singles.has(key) ? this.part(value) : value
  }

  #target(ref: string): JsonSchema {
    const target = lookUp(this.#root, ref)
    if (target === true) return {}
    if (target === false) return { not: {} }
    if (typeof target !== "object" || target === null || Array.isArray(target)) throw this.#lost(ref)
    const depth = this.#inside.get(target) ?? 0
    const room = this.#parts < maxParts
    if (depth > this.#maxDepth || (depth > 0 && !room) || this.#parts > 2 * maxParts) {
      return cut(target as JsonSchema, ref)
    }
    this.#inside.set(target, depth + 1)
    const inlined = this.part(target) as JsonSchema
    this.#inside.set(target, depth)
    return inlined
  }

  #lost(ref: string): Error {
    const why = ref.startsWith("#") ? "it points to nothing" : "it leads out of the schema"
    const message = `${this.#subject} has a $ref "${ref}" that cannot be followed: ${why}. Put what it means under $defs and refer to it as "#/$defs/NAME".`
    return modelError({ code: "invalid_schema", message, details: { ref } })
  }
}

/** What is told of a definition that is not written out again. */
function cut({ type, description }: JsonSchema, ref: string): JsonSchema {
  const name = ref === "#" ? "the whole" : `"${ref.slice(ref.lastIndexOf("/") + 1)}"`
  const said = `${typeof description === "string" ? `${description} ` : ""}Has the same shape as ${name} above; written out only so far.`
  return { ...(type !== undefined && { type }), description: said }
}

/** A definition and what stands beside the reference to it. */
function joined(target: JsonSchema, own: JsonSchema): JsonSchema {
  if (Object.keys(own).length === 0) return target
  const both: JsonSchema = { ...target, ...own }
  if (!target.properties && !target.required) return both
  return {
    ...both,
    ...(target.properties && own.properties && { properties: { ...target.properties, ...own.properties } }),
    ...(target.required && own.required && { required: [...new Set([...target.required, ...own.required])] }),
  }
}
