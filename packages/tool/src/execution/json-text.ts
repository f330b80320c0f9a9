import { isError } from "./is-error.ts"

const deepest = 64

/**
 * A value as JSON text; never throws. What JSON has no word for is still told: bigints as digits, dates in ISO 8601, maps
 * and sets as objects and arrays, errors with their message, binary data by its size, a cycle as `[Circular]`.
 */
export function jsonText(value: unknown): string {
  try {
    if (!ArrayBuffer.isView(value)) {
      const text = JSON.stringify(value) as string | undefined
      // an empty object is what JSON makes of maps, sets and errors too
      if (text !== undefined && !text.includes("{}")) return text
    }
  } catch {
    // a cycle, a bigint, a toJSON that throws
  }
  return JSON.stringify(plain(value, [])) ?? "null"
}

/** A copy of any value as JSON has it, which later changes of the value do not touch; never throws. */
export function jsonCopy(value: unknown): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value
  if (typeof value === "object") return JSON.parse(jsonText(value))
  return typeof value === "number" && Number.isFinite(value) ? value : plainText(value)
}

/** A JSON-safe copy of any value. `above` are the objects that hold it. */
function plain(value: unknown, above: readonly object[]): unknown {
  switch (typeof value) {
    case "bigint":
    case "symbol":
      return String(value)
    case "number":
      return Number.isFinite(value) ? value : String(value)
    case "function":
      return `[function ${value.name || "anonymous"}]`
    case "object":
      if (value === null) return null
      if (above.includes(value)) return "[Circular]"
      if (above.length > deepest) return "[too deep]"
      try {
        return plainObject(value, [...above, value])
      } catch (error) {
        return `[unreadable: ${error instanceof Error ? error.message : typeof error}]`
      }
    default:
      return value
  }
}

function plainObject(value: object, above: readonly object[]): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString()
  if (value instanceof RegExp) return String(value)
  if (ArrayBuffer.isView(value)) return `[${value.constructor.name}, ${value.byteLength} bytes]`
  if (value instanceof ArrayBuffer) return `[ArrayBuffer, ${value.byteLength} bytes]`
  if ("toJSON" in value && typeof value.toJSON === "function") return plain(value.toJSON(), above)
  if (isError(value))
    return members({ name: value.name, message: value.message, ...Object.fromEntries(Object.entries(value)) }, above)
  if (value instanceof Map) {
    const textual = [...value.keys()].every((key) => typeof key === "string")
    return textual ? members(Object.fromEntries(value), above) : [...value].map((item) => plain(item, above))
  }
  if (value instanceof Set) return [...value].map((item) => plain(item, above))
  if (Array.isArray(value)) return value.map((item) => plain(item, above) ?? null)
  if (isPairs(value)) return members(Object.fromEntries(value), above)
  return members(value as { readonly [key: string]: unknown }, above)
}

/** What the web keeps pairs of texts in, of any implementation: JSON has nothing to say of it. */
function isPairs(value: object): value is Iterable<readonly [string, unknown]> {
  return /^\[object (?:Headers|FormData|URLSearchParams)\]$/.test(Object.prototype.toString.call(value))
}

function members(value: { readonly [key: string]: unknown }, above: readonly object[]): unknown {
  return Object.fromEntries(Object.keys(value).map((key) => [key, plain(value[key], above)]))
}

/** A thrown value as a sentence: the message with the messages of its causes, or the value itself. Never throws. */
export function failureText(error: unknown): string {
  try {
    if (!isError(error)) return plainText(error)
    const texts: string[] = []
    for (let cause: unknown = error, i = 0; cause !== undefined && i < 4; i++) {
      const text = isError(cause) ? errorText(cause) : plainText(cause)
      if (!texts.some((known) => known.includes(text))) texts.push(text)
      cause = isError(cause) ? cause.cause : undefined
    }
    return texts.join(" Cause: ")
  } catch {
    return "an error that cannot be read"
  }
}

function errorText(error: Error): string {
  if (error.message !== "") return error.message
  // Node's failed connections to several addresses have no message of their own
  if (error instanceof AggregateError) return error.errors.map((inner) => failureText(inner)).join("; ")
  return "code" in error && typeof error.code === "string" ? error.code : error.name
}

/** Any value as text: a string as it is, `undefined`, symbols and functions by name, the rest as JSON. */
export function plainText(value: unknown): string {
  if (typeof value === "string") return value
  if (value === undefined || typeof value === "symbol" || typeof value === "bigint") return String(value)
  return typeof value === "number"
    ? String(value)
    : typeof value === "function"
      ? (plain(value, []) as string)
      : jsonText(value)
}
