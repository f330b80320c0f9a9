import type { JsonObject } from "@agentscope-ts/message"

/** The object that unfinished JSON text says so far: what is open is closed, a dangling key or half a literal left out. */
export function partialJson(text: string): JsonObject {
  const whole = objectOf(text)
  if (whole) return whole
  let closers = ""
  // the last place where the text can be cut and closed, and what closes it there
  let cut = 0
  let cutClosers = ""
  let inString = false
  let isKey = false
  // the end of what can be kept of an open string: an escape may be cut in its middle
  let end = text.length
  let expectsKey = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (inString) {
      if (char === "\\") {
        const length = text[i + 1] === "u" ? 6 : 2
        if (i + length > text.length) end = i
        i += length - 1
      } else if (char === '"') {
        inString = false
        if (!isKey) [cut, cutClosers] = [i + 1, closers]
      }
      continue
    }
    if (char === '"') {
      inString = true
      isKey = expectsKey
    } else if (char === "{" || char === "[") {
      closers = (char === "{" ? "}" : "]") + closers
      ;[cut, cutClosers] = [i + 1, closers]
    } else if (char === "}" || char === "]") {
      closers = closers.slice(1)
      ;[cut, cutClosers] = [i + 1, closers]
    } else if (char === ",") [cut, cutClosers] = [i, closers]
    if (char === "{" || char === ",") expectsKey = closers.startsWith("}")
    else if (char === ":") expectsKey = false
  }
  const open = inString && !isKey ? objectOf(`${text.slice(0, end)}"${closers}`) : objectOf(text + closers)
  return open ?? objectOf(text.slice(0, cut) + cutClosers) ?? {}
}

/** The object that the text is, or undefined. */
export function objectOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}
