import type { StandardSchema } from "@agentscope-ts/message"

/** What the definitions of zod 4 hold their parts in. */
interface Definition {
  readonly shape?: Readonly<Record<string, StandardSchema>>
  readonly element?: StandardSchema
  readonly options?: readonly StandardSchema[]
  readonly items?: readonly StandardSchema[]
  readonly innerType?: StandardSchema
  readonly valueType?: StandardSchema
  readonly left?: StandardSchema
  readonly right?: StandardSchema
  readonly in?: StandardSchema
}

/** The path of the part of a zod schema that JSON Schema cannot say, such as `filter.since` or `dates[]`; empty when unknown. */
export function unrepresentablePath(schema: StandardSchema): string {
  let path = ""
  let at: StandardSchema | undefined = schema
  const seen = new Set<StandardSchema>()
  while (at !== undefined && !seen.has(at)) {
    seen.add(at)
    const [step, next]: readonly [string, StandardSchema | undefined] = partsOf(at).find(([, part]) => fails(part)) ?? [
      "",
      undefined,
    ]
    path += step.startsWith(".") && path === "" ? step.slice(1) : step
    at = next
  }
  return path
}

function partsOf(schema: StandardSchema): (readonly [string, StandardSchema])[] {
  const definition = (schema as { readonly _zod?: { readonly def?: Definition } })._zod?.def
  if (definition === undefined) return []
  const { shape = {}, element, options = [], items = [], innerType, valueType, left, right } = definition
  const inside = [innerType, left, right, definition.in, ...options].filter((part) => part !== undefined)
  return [
    ...Object.entries(shape).map(([key, part]) => [`.${key}`, part] as const),
    ...(element ? [["[]", element] as const] : []),
    ...items.map((part, i) => [`[${i}]`, part] as const),
    ...(valueType ? [[".*", valueType] as const] : []),
    ...inside.map((part) => ["", part] as const),
  ]
}

function fails(schema: StandardSchema): boolean {
  try {
    schema["~standard"].jsonSchema.input({ target: "draft-2020-12" })
    return false
  } catch {
    return true
  }
}
