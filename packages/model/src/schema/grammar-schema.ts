import type { JsonSchema } from "@agentscope-ts/message"
import { strictSchema } from "./strict-schema.ts"

type Json = Record<string, unknown>

/** Bounds that a grammar does not know: told to the model in words. */
const bounds = /^(?:exclusiveM(?:in|ax)imum|m(?:in|ax)imum|multipleOf|m(?:in|ax)Items|pattern)$/
const cache = new WeakMap<JsonSchema, { readonly schema: JsonSchema | undefined }>()
/** As many alternatives as are compiled; an optional property counts as one. */
const maxUnions = 16

/**
 * A schema for providers that hold answers to a grammar made of it: {@link strictSchema} without bounds and without
 * recursion. Undefined for what cannot be said so: then the model can only be asked for the shape. Worked out once a schema.
 */
export function grammarSchema(schema: JsonSchema): JsonSchema | undefined {
  let known = cache.get(schema)
  if (!known) {
    const { strict, schema: said } = strictSchema(schema)
    const unions = JSON.stringify(said).match(/"(?:anyOf|type)":\[/g)?.length ?? 0
    const fits = strict && unions <= maxUnions && !isRecursive(said)
    known = { schema: fits ? (unbound(said) as JsonSchema) : undefined }
    cache.set(schema, known)
  }
  return known.schema
}

function unbound(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unbound)
  if (typeof value !== "object" || value === null) return value
  const out: Json = {}
  const said: string[] = []
  for (const [key, part] of Object.entries(value as Json)) {
    if (typeof part !== "object" && bounds.test(key)) said.push(`${key}: ${JSON.stringify(part)}`)
    else out[key] = key === "enum" || key === "const" ? part : unbound(part)
  }
  const text = typeof out["description"] === "string" ? `${out["description"]} ` : ""
  return said.length === 0 ? out : { ...out, description: `${text}(${said.join(", ")})` }
}

function isRecursive(schema: JsonSchema): boolean {
  const defs = (schema["$defs"] ?? {}) as Json
  const refs = (part: unknown): readonly string[] =>
    [...JSON.stringify(part).matchAll(/"\$ref":"(?:#\/\$defs\/)?([^"]*)"/g)].map(([, name]) => name as string)
  const reaches = (name: string, seen: readonly string[]): boolean =>
    name === "#" || seen.includes(name) || refs(defs[name] ?? {}).some((next) => reaches(next, [...seen, name]))
  return refs(schema).some((name) => reaches(name, []))
}
