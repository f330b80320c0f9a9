import { didYouMean } from "@agentscope-ts/message"
import type { JsonObject, JsonSchema } from "@agentscope-ts/message"
import { toolError } from "../error.ts"
import { definitionAt, propertyNames, reference, samePlace } from "./property-names.ts"

/**
 * A schema without the parameters that presets fill, wherever it speaks of them: the model neither sees nor sets them. Throws
 * `invalid_preset` for an argument that the schema does not have, where it lists what it has.
 */
export function withoutPresets(tool: string, schema: JsonSchema, presets: JsonObject): JsonSchema {
  const names = propertyNames(schema)
  if (names.size === 0) return schema
  for (const key of Object.keys(presets)) {
    if (names.has(key) || schema["additionalProperties"]) continue
    const message = `The tool "${tool}" has no parameter "${key}" to preset.${didYouMean(key, names)}`
    throw toolError("invalid_preset", message)
  }
  return pruned(without(schema, new Set(Object.keys(presets)), schema, []))
}

type Lists = Readonly<Record<string, readonly string[]>>

/** `above`: the definitions that hold this one, for schemas that never end. */
function without(
  node: JsonSchema,
  gone: ReadonlySet<string>,
  root: JsonSchema,
  above: readonly JsonSchema[],
): JsonSchema {
  const { properties, required, dependentRequired, $ref, ...rest } = node
  const target = definitionAt(root, $ref)
  const isNew = target !== undefined && !above.includes(target)
  const mentions = isNew && [...propertyNames({ ...root, ...target })].some((name) => gone.has(name))
  const out: Record<string, unknown> = { ...rest, ...($ref !== undefined && !mentions && { $ref }) }
  const left = (names: readonly string[]): readonly string[] => names.filter((name) => !gone.has(name))
  if (properties) out["properties"] = Object.fromEntries(Object.entries(properties).filter(([name]) => !gone.has(name)))
  const dependent = Object.entries((dependentRequired ?? {}) as Lists)
  // what goes with a preset is always needed
  const implied = dependent.flatMap(([name, more]) => (gone.has(name) ? more : []))
  const needed = new Set(left([...(required ?? []), ...implied]))
  if (needed.size > 0) out["required"] = [...needed]
  const dependencies = dependent.filter(([name]) => !gone.has(name)).map(([name, more]) => [name, left(more)] as const)
  if (dependencies.length > 0) out["dependentRequired"] = Object.fromEntries(dependencies)
  const inside = (part: unknown): unknown =>
    typeof part === "object" && part !== null ? without(part as JsonSchema, gone, root, above) : part
  for (const keyword of samePlace) {
    const below = out[keyword]
    if (Array.isArray(below)) out[keyword] = below.map(inside)
    else if (below !== undefined) out[keyword] = inside(below)
  }
  if (!mentions) return out
  const referred = without(target, gone, root, [...above, target])
  const isAlone = Object.keys(out).every((keyword) => keyword === "$defs" || keyword === "definitions")
  if (isAlone) return { ...referred, ...out }
  return { ...out, allOf: [...((out["allOf"] as readonly JsonSchema[] | undefined) ?? []), referred] }
}

/** The schema without the definitions that nothing refers to any more: they may describe what is hidden. */
function pruned(schema: JsonSchema): JsonSchema {
  const { $defs, definitions, ...rest } = schema
  // a reference of another kind may lead anywhere
  if (($defs === undefined && definitions === undefined) || otherReferences(schema)) return schema
  const used = new Set<unknown>()
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    for (const [key, value] of Object.entries(node)) {
      const target = key === "$ref" ? definitionAt(schema, value) : undefined
      if (target === undefined) visit(value)
      else if (!used.has(value)) {
        used.add(value)
        visit(target)
      }
    }
  }
  visit(rest)
  const kept = (keyword: string, all: unknown): object => {
    const left = Object.entries(all ?? {}).filter(([name]) => used.has(reference(keyword, name)))
    return left.length > 0 ? { [keyword]: Object.fromEntries(left) } : {}
  }
  return { ...rest, ...kept("$defs", $defs), ...kept("definitions", definitions) }
}

function otherReferences(schema: JsonSchema): boolean {
  const visit = (node: unknown): boolean =>
    typeof node === "object" &&
    node !== null &&
    Object.entries(node).some(([key, value]) =>
      key === "$ref" && typeof value === "string" ? definitionAt(schema, value) === undefined : visit(value),
    )
  return visit(schema)
}
