import { failureOf, toldError } from "./http-error.ts"
import { parseJson } from "./malformed.ts"
import { objectIn } from "./read-value.ts"

/** The object that a part of an answer is. What is no JSON is `malformed_response`; any other value is a failure told by it. */
export function chunkObject<T extends object>(text: string, what: string, label: string): T {
  const value = parseJson(text, `${what} of ${label}`)
  const chunk = objectIn<T>(value)
  if (chunk) return chunk
  throw toldError(label, failureOf(value) ?? { message: `${what.toLowerCase()} is no object` })
}
