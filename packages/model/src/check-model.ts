import { modelError } from "./errors/model-error.ts"
import { perform } from "./perform.ts"

/** Throws `invalid_request` where a wrapper was given no model; `usage` is how the wrapper is called. */
export function checkModel(model: unknown, usage: string): void {
  if (typeof model === "object" && model !== null && perform in model) return
  const given = Array.isArray(model) ? "a list" : model === undefined ? "nothing" : `a ${typeof model}`
  const message = `${usage} takes a model, such as new OpenAIChatModel({ … }), and it got ${given} in its place.`
  throw modelError({ code: "invalid_request", message })
}
