/**
 * A copy of plain data that shares nothing with it: whoever writes into it changes neither a history nor what others were
 * given. Instances of classes are passed on as they are.
 */
export function copyOf<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf) as T
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const copy = { ...value } as Record<string, unknown>
  for (const key of Object.keys(copy)) {
    const member = copy[key]
    // a member named __proto__ came with the spread; to assign it would be something else
    if (typeof member === "object" && member !== null && key !== "__proto__") copy[key] = copyOf(member)
  }
  return copy as T
}
