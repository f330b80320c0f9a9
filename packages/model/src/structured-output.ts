import { type Schema, textOf } from "@agentscope-ts/message"
import type { ChatResponse } from "./chat-response.ts"
import { modelError } from "./errors/model-error.ts"
import { validatorOf } from "./schema/validator.ts"

/**
 * The validated value of an answer that had to fit a schema: the provider's own, else the answer's text as JSON. Undefined
 * where the model did something else than answer: it called a tool, refused or was filtered.
 * @throws AgentScopeError `malformed_response` when the answer is no JSON or does not fit.
 */
export function structuredOf(response: ChatResponse, schema: Schema, given: unknown, name: string): unknown {
  const { stopReason } = response
  if (given === undefined && stopReason !== "stop" && stopReason !== "length") return undefined
  const value = given === undefined ? jsonOf(response, name) : given
  const result = validatorOf(schema)(value)
  if (result.ok) return result.value
  const problems = result.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
  throw modelError({
    code: "malformed_response",
    message: `The answer of ${name} does not fit the schema: ${problems.join("; ")}`,
    details: { text: textOf(response, "") },
  })
}

function jsonOf(response: ChatResponse, name: string): unknown {
  const text = textOf(response, "")
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text)
  try {
    return JSON.parse(fenced?.[1] ?? text)
  } catch (cause) {
    const cut = response.stopReason === "length"
    const why = cut ? "was cut off by the limit of tokens: raise params.maxTokens" : "is not JSON"
    const message = `The answer of ${name} ${why}. It was to fit the request's schema.`
    throw modelError({ code: "malformed_response", message, retryable: !cut, cause, details: { text } })
  }
}
