import { didYouMean, nearestName } from "@agentscope-ts/message"
import { modelError } from "../errors/model-error.ts"
import { checkParamValue } from "./check-param-value.ts"

/** The options that every provider's model takes. */
const commonOptions = [
  "model",
  "apiKey",
  "baseURL",
  "headers",
  "fetch",
  "client",
  "maxRetries",
  "maxReasks",
  "formatter",
  "params",
  "contextWindow",
  "price",
  "facts",
  "timeoutMs",
]

/** The params that every provider understands. */
const commonParams = ["temperature", "topP", "maxTokens", "stop", "seed", "reasoning"]

/**
 * Finds what plain JavaScript, or a cast, lets through: a misspelt option would be ignored without a word. `own` are the
 * options of this provider beside the common ones; a subclass may have more, so that only what looks misspelt is an error.
 */
export function checkOptions(options: { readonly model: string }, own: readonly string[], className: string): void {
  if (typeof options?.model !== "string" || options.model === "") {
    const message = `${className} needs the name of a model: new ${className}({ model: "…" }).`
    throw modelError({ code: "invalid_request", message })
  }
  const known = [...commonOptions, ...own]
  const given = options as Readonly<Record<string, unknown>>
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    const close = nearestName(name, known, { strict: true })
    if (close === undefined || given[close] !== undefined) continue
    throw modelError({
      code: "invalid_request",
      message: `${className} has no option "${name}": did you mean "${close}"?`,
    })
  }
}

/**
 * A setting that nobody knows is an error, for it would be lost, and so is a value that no endpoint can mean: some refuse it
 * in words of their own, others take it as something else. `own` are the params of this provider beside the common ones.
 */
export function checkParams(params: object | undefined, own: readonly string[], className: string): void {
  for (const [name, value] of Object.entries(params ?? {})) {
    if (commonParams.includes(name) || own.includes(name)) {
      checkParamValue(name, value, className)
      continue
    }
    const hint = own.includes("extraBody") ? " Fields of the endpoint's own go into params.extraBody." : ""
    const message = `${className} has no param "${name}".${didYouMean(name, [...commonParams, ...own])}${hint}`
    throw modelError({ code: "invalid_request", message })
  }
}
