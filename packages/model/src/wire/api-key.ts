import { ambient } from "@agentscope-ts/message"
import { modelError } from "../errors/model-error.ts"

/**
 * An environment variable, without blanks and a pair of quotation marks around it (some readers of `.env` files leave them);
 * undefined where it is empty or the runtime has none.
 */
export function environment(variable: string): string | undefined {
  const value = globalThis.process?.env?.[variable]
  return (value && bare(value)) || undefined
}

const bare = (value: string): string =>
  value
    .trim()
    .replace(/^(["'])(.*)\1$/s, "$2")
    .trim()

/**
 * The API key from the option, else from the environment variable, without blanks and quotation marks around it; else the error
 * `missing_api_key`, which names the variable. Under a tape a missing key is no error.
 */
export function apiKeyFrom(option: string | undefined, variable: string): string {
  const key = (option && bare(option)) || environment(variable)
  if (key) return key
  if (ambient().transport) return "tape"
  const message = `No API key: set the environment variable ${variable}, or pass apiKey.`
  throw modelError({ code: "missing_api_key", message, details: { variable } })
}
