/** The object, or undefined for anything else. */
export function objectIn<T extends object>(value: unknown): T | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as T) : undefined
}

/** The text, or the empty one for anything else. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** The objects of a list. */
export function objectsIn<T extends object>(value: unknown): readonly T[] {
  if (!Array.isArray(value)) return []
  return (value.every(isObject) ? value : value.filter(isObject)) as readonly T[]
}

const isObject = (item: unknown): boolean => typeof item === "object" && item !== null

/** A count of tokens, of which some gateways make a text; undefined for anything else. */
export function figureIn(value: unknown): number | undefined {
  if (typeof value === "string") return /^\d{1,15}$/.test(value) ? Number(value) : undefined
  return typeof value === "number" && value >= 0 ? value : undefined
}

/** An index, which may be told as a text; NaN where there is none. */
export function indexIn(value: unknown): number {
  return Number(value ?? Number.NaN)
}

/** The sum of the counts of tokens in some fields; undefined where none of them has one. */
export function figuresIn(value: Readonly<Record<string, unknown>>, ...fields: readonly string[]): number | undefined {
  const figures = fields.map((field) => figureIn(value[field])).filter((figure) => figure !== undefined)
  return figures.length > 0 ? figures.reduce((sum, figure) => sum + figure) : undefined
}

/** The fields of an object over those that were told before; null says nothing, and neither does anything but an object. */
export function laterFields(
  before: Readonly<Record<string, unknown>>,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const told = Object.entries(objectIn(value) ?? {}).filter(([, field]) => field !== null)
  return told.length > 0 ? { ...before, ...Object.fromEntries<unknown>(told) } : before
}
