import type { JsonSchema } from "@agentscope-ts/message"

/** Keywords whose schemas speak of the same object. */
export const samePlace = ["allOf", "anyOf", "oneOf", "if", "then", "else"] as const

/** What a reference to a definition of the schema stands for. */
export function definitionAt(root: JsonSchema, ref: unknown): JsonSchema | undefined {
  const found = typeof ref === "string" ? /^#\/(\$defs|definitions)\/([^/]+)$/.exec(ref) : undefined
  const definitions = found?.[1] === undefined ? undefined : root[found[1]]
  const name = found?.[2]?.replaceAll("~1", "/").replaceAll("~0", "~")
  if (typeof definitions !== "object" || definitions === null || name === undefined) return undefined
  return Object.hasOwn(definitions, name) ? (definitions as Record<string, JsonSchema>)[name] : undefined
}

/** How a reference names a definition. */
export const reference = (keyword: string, name: string): string =>
  `#/${keyword}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`

/** The names of an object's properties, wherever its schema speaks of them: also in its alternatives and references. */
export function propertyNames(schema: JsonSchema): ReadonlySet<string> {
  const names = new Set<string>()
  const seen = new Set<unknown>()
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null || seen.has(node)) return
    seen.add(node)
    if (Array.isArray(node)) return node.forEach(visit)
    const part = node as JsonSchema
    for (const name of Object.keys(part.properties ?? {})) names.add(name)
    for (const keyword of samePlace) visit(part[keyword])
    visit(definitionAt(schema, part["$ref"]))
  }
  visit(schema)
  return names
}
