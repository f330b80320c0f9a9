/**
 * A copy of plain data that shares nothing with it. Instances of classes are passed on as they are.
 */
export function copyOf<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf) as T
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) copy[key] = copyOf((value as Record<string, unknown>)[key])
  return copy as T
}
