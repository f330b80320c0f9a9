import { AgentScopeError, type JsonObject } from "@agentscope-ts/message"

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
