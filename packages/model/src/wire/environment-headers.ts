import { modelError } from "../errors/model-error.ts"
import { environment } from "./api-key.ts"
import { objectIn } from "./read-value.ts"

/** Headers from an environment variable that holds a JSON object of them; none where it is not set. */
export function environmentHeaders(variable: string): Readonly<Record<string, string>> {
  const text = environment(variable)
  if (text === undefined) return {}
  try {
    const headers = objectIn<Record<string, unknown>>(JSON.parse(text)) ?? {}
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  } catch (cause) {
    const message = `The environment variable ${variable} is not JSON: it must be an object of headers.`
    throw modelError({ code: "invalid_request", message, cause })
  }
}
