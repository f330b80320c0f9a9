import { type AgentScopeError, assistantMsg, type Msg, type Schema, textOf, userMsg } from "@agentscope-ts/message"
import type { ChatResponse } from "./chat-response.ts"
import { type ModelErrorCode, modelError } from "./errors/model-error.ts"
import { jsonCandidates } from "./repair-json.ts"
import { type Validation, validatorOf } from "./schema/validator.ts"

/** An answer that will not do. */
export interface BadAnswer {
  readonly error: AgentScopeError<ModelErrorCode>
  /** What the model is told of it; absent where asking again would not help. */
  readonly explanation?: string
}

/** Whether an answer will do: with the validated value where the request has a schema, else what is wrong. */
export type AnswerCheck = { readonly structured?: unknown } | BadAnswer

/**
 * Checks a finished answer. The value for a schema is the provider's own, else the answer's text as JSON, mended where
 * that keeps its meaning and it then fits. There is none where the model did something else than answer: it called a tool,
 * refused or was filtered.
 */
export function checkAnswer(
  response: ChatResponse,
  schema: Schema | undefined,
  given: unknown,
  name: string,
): AnswerCheck {
  const { stopReason, content } = response
  const calls = content.some(({ type }) => type === "tool_use")
  // what came whole may run by now; what did not is told to the model as the call's result
  if (stopReason === "malformed_tool_call" && !calls) return malformedCall(name)
  if (schema === undefined) return {}
  if (given === undefined && stopReason !== "stop" && stopReason !== "length") return {}
  const check = validatorOf(schema)
  const text = textOf(response, "")
  const result = given === undefined ? undefined : check(given)
  if (result?.ok) return { structured: result.value }
  const read = result ?? readAnswer(text, check)
  if (read?.ok) return { structured: read.value }
  // the tools that it called run, and it will answer again when it has their results
  if (calls) return {}
  const cut = stopReason === "length"
  const why = read ? `does not fit the schema: ${issuesOf(read)}` : cut ? cutWhy : notJson
  const error = modelError({
    code: "malformed_response",
    message: `The answer of ${name} ${why}`,
    retryable: !cut,
    details: { text },
  })
  if (cut) return { error }
  const explanation = read
    ? `Your last answer does not fit the schema that was asked for: ${issuesOf(read)}`
    : "Your last answer is not JSON, and it was to be JSON of the schema that was asked for."
  return { error, explanation: `${explanation} Answer again, with the whole JSON and nothing else.` }
}

const cutWhy = "was cut off by the limit of tokens: raise params.maxTokens. It was to fit the request's schema."
const notJson = "is not JSON. It was to fit the request's schema."

const issuesOf = (failed: Validation): string =>
  failed.ok ? "" : failed.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ")

/** What of the text fits; else the issues of the first JSON in it, or undefined where there is none. */
function readAnswer(text: string, check: (value: unknown) => Validation): Validation | undefined {
  let failed: Validation | undefined
  const fitting: Validation[] = []
  for (const [i, candidate] of jsonCandidates(text).entries()) {
    let value: unknown
    try {
      value = JSON.parse(candidate)
    } catch {
      continue
    }
    const result = check(value)
    if (!result.ok) failed ??= result
    // the whole answer is what was meant, whatever else is in it
    else if (i === 0) return result
    else fitting.push(result)
  }
  // of several that fit nobody knows which one was meant
  return fitting.length === 1 ? fitting[0] : failed
}

function malformedCall(name: string): BadAnswer {
  return {
    error: modelError({
      code: "malformed_response",
      message: `${name} made a tool call that its provider could not read. Simplify the tools' schemas, or use another model.`,
    }),
    explanation:
      "Your last tool call could not be read, and nothing was run. Call one of the tools that there are, with valid JSON for its arguments, or answer in words.",
  }
}

/** What is added to the history to ask again. */
export function reaskMessages({ content }: ChatResponse, explanation: string, speaker: string): readonly Msg[] {
  const again = userMsg(explanation)
  // thinking alone is no turn that a provider takes back
  if (!content.some((block) => block.type === "text" && block.text.trim() !== "")) return [again]
  const said = content.filter(({ type }) => type !== "tool_use")
  return [assistantMsg(said, { name: speaker }), again]
}
