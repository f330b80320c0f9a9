import { AgentScopeError, didYouMean, type JsonObject } from "@agentscope-ts/message"

/**
 * Codes of this package: `invalid_argument` (an input that cannot be meant, found before anything is sent) and `outside_root`.
 * What a service or the network says has the codes of a model (`authentication`, `content_filtered`, `timeout`, …).
 */
export type MultimodalErrorCode = "invalid_argument" | "outside_root"

/** An error of this package. */
export function multimodalError(
  code: MultimodalErrorCode,
  message: string,
  more: { cause?: unknown; details?: JsonObject } = {},
): AgentScopeError<MultimodalErrorCode> {
  return new AgentScopeError({ code, message, ...more })
}

/** The text, if there is something in it; `name` is the parameter's. */
export function filled(text: string, name: string): string {
  if (text.trim() !== "") return text
  throw multimodalError("invalid_argument", `${name} is empty: say what is wanted.`)
}

/** Refuses options that are none, and names that do not exist: misspelt, a `root` would let all files be read. */
export function checkOptions(options: object, names: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw multimodalError("invalid_argument", "The options of a multimodal tool are an object: { apiKey, root }.")
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || names.includes(name)) continue
    const message = `Multimodal tools have no option "${name}".${didYouMean(name, names)} Options: ${names.join(", ")}.`
    throw multimodalError("invalid_argument", message)
  }
  for (const name of ["root", "model"] as const) {
    const value = (options as { root?: unknown; model?: unknown })[name]
    if (value === undefined || (typeof value === "string" && value !== "")) continue
    throw multimodalError(
      "invalid_argument",
      `The option "${name}" of a multimodal tool is a text, not ${JSON.stringify(value)}.`,
    )
  }
}
