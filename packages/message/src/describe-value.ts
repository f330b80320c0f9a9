/** Any value in an error message: short, and without what it holds. `a list`, `a Date`, `"some text"`. */
export function describeValue(value: unknown): string {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  if (typeof value === "object") {
    const name = value.constructor?.name ?? "object"
    return `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`
  }
  if (typeof value === "function") return "a function"
  return typeof value === "string" ? JSON.stringify(value.slice(0, 50)) : `${value as number | boolean | undefined}`
}
