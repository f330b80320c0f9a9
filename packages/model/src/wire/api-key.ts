import { ambient } from "@agentscope-ts/message"
import { modelError } from "../errors/model-error.ts"

/** An environment variable, undefined where it is empty or the runtime has none. */
export function environment(variable: string): string | undefined {
  const value = globalThis.process?.env?.[variable]?.trim()
  return value === "" ? undefined : value
}

/**
 * The API key from the option, else from the environment variable, without blanks around it; else the error
 * `missing_api_key`, which names the variable. Under a tape a missing key is no error.
 */
export function apiKeyFrom(option: string | undefined, variable: string): string {
  const key = option?.trim() || environment(variable)
  if (key) return key
  if (ambient().transport) return "tape"
  const message = `No API key: set the environment variable ${variable}, or pass apiKey.`
  throw modelError({ code: "missing_api_key", message, details: { variable } })
}
