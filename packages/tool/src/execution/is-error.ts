/** Whether a value is an error, of any realm: one that a tool returns is a failure that it did not throw. Never throws. */
export function isError(value: unknown): value is Error {
  if (typeof value !== "object" || value === null) return false
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]"
  } catch {
    return false // a proxy, or a getter that throws
  }
}
