import { AgentScopeError } from "@agentscope-ts/message"
import { isRetryableCode, type ModelErrorCode } from "@agentscope-ts/model"
import type { Cassette } from "../cassette.ts"
import { type ExpectedError, must, mustEqual, told } from "./expectation.ts"

/** Codes by what the provider says, before its status counts; each list holds all that are right. */
const byWords: readonly (readonly [RegExp, readonly ModelErrorCode[]])[] = [
  [/context.length|maximum context|prompt is too long|context window/i, ["context_overflow"]],
  [/insufficient.(quota|balance)|exceeded your current quota|billing/i, ["quota_exceeded"]],
  [/content.(policy|filter)|data.?inspection/i, ["content_filtered"]],
  [/model.not.found/i, ["not_found", "invalid_request"]],
  [/throttling|rate.limit|resource.exhausted/i, ["rate_limited"]],
  [/overloaded|unavailable/i, ["overloaded"]],
]
const byStatus: Readonly<Record<number, readonly ModelErrorCode[]>> = {
  400: ["invalid_request", "unsupported"],
  401: ["authentication"],
  402: ["quota_exceeded"],
  403: ["permission_denied"],
  404: ["not_found"],
  408: ["timeout"],
  413: ["context_overflow", "invalid_request"],
  422: ["invalid_request"],
  429: ["rate_limited"],
  503: ["overloaded"],
  504: ["timeout"],
  529: ["overloaded"],
}

/** Every code that this failure may have. */
export function expectedCodes({ status, type, code, message }: ExpectedError): readonly ModelErrorCode[] {
  const said = [type, code, message].join(" ")
  return (
    byWords.find(([words]) => words.test(said))?.[1] ?? byStatus[status] ?? ["server_error", "overloaded", "timeout"]
  )
}

/** The error is the one that the cassette tells of: its code, whether to try again, its message, how long to wait. */
export function checkError(error: unknown, expected: ExpectedError, { response }: Cassette): void {
  must(error !== undefined, `the provider answered with an error (${expected.message}), the call did not fail`)
  must(AgentScopeError.is(error), `the call failed with something that is no AgentScopeError: ${told(error)}`)
  const codes = expectedCodes(expected)
  must(
    codes.some((code) => code === error.code),
    `error code "${error.code}", expected ${codes.join(" or ")} (${error.message})`,
  )
  mustEqual(error.retryable, isRetryableCode(error.code as ModelErrorCode), `retryable of "${error.code}"`)
  // what looks like a secret is masked
  const message = expected.message?.split(/Bearer|\bsk-/, 1)[0]?.trim() ?? ""
  must(error.message.includes(message), `the error does not say "${message}": ${error.message}`)
  const asked = askedToWait(response.headers ?? {})
  if (asked !== undefined) mustEqual(error.details["retryAfterMs"], asked, "details.retryAfterMs")
}

function askedToWait(headers: Readonly<Record<string, string>>): number | undefined {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), Number(value)]))
  const ms = named["retry-after-ms"] ?? (named["retry-after"] ?? Number.NaN) * 1000
  return Number.isFinite(ms) ? ms : undefined
}
