import { type AgentScopeError, cutText } from "@agentscope-ts/message"
import { type ModelErrorCode, modelError } from "../errors/model-error.ts"

/** An answer that does not follow its own format: retryable, as it mostly means a cut connection or a server in trouble. */
export function malformed(message: string, cause?: unknown): AgentScopeError<ModelErrorCode> {
  return modelError({ code: "malformed_response", message, cause })
}

/** The value of a JSON text, or the error `malformed_response`, which names `what` and shows how the text begins. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const start = text.trimStart()
    if (start === "") throw malformed(`${what} is empty: JSON was expected.`, cause)
    const html = start.startsWith("<") ? " It looks like a web page: check baseURL and any proxy in between." : ""
    throw malformed(`${what} is not JSON: ${JSON.stringify(cutText(start, 200))}.${html}`, cause)
  }
}
