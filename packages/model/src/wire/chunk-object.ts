import { baseFailure, failureOf, toldError } from "./http-error.ts"
import { parseJson } from "./malformed.ts"
import { objectIn } from "./read-value.ts"

/**
 * The object that a part of an answer is. What is no JSON is `malformed_response`; any other value is a failure told by it,
 * and so is an object that has a failure for its own status (`base_resp`).
 */
export function chunkObject<T extends object>(text: string, what: string, label: string): T {
  const value = parseJson(text, `${what} of ${label}`)
  const chunk = objectIn<T & { readonly base_resp?: unknown }>(value)
  const failed = chunk && baseFailure(chunk.base_resp)
  if (failed) throw toldError(label, failed)
  if (chunk) return chunk
  throw toldError(label, failureOf(value) ?? { message: `${what.toLowerCase()} is no object` })
}
