import { AgentScopeError } from "@agentscope-ts/message"
import { classifyError, isRetryableCode, type ModelErrorCode } from "@agentscope-ts/model"
import { failureIn } from "@agentscope-ts/model/wire"
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
  412: ["invalid_request"],
  413: ["context_overflow", "invalid_request"],
  422: ["invalid_request"],
  424: ["server_error", "overloaded", "invalid_request"],
  429: ["rate_limited"],
  503: ["overloaded"],
  504: ["timeout"],
  529: ["overloaded"],
}
const anyTrouble: readonly ModelErrorCode[] = ["server_error", "overloaded", "timeout"]
/** What only words can say: where they say it, the status counts for nothing. */
const toldByWords: ReadonlySet<ModelErrorCode> = new Set(["context_overflow", "quota_exceeded", "authentication"])

/** Every code that this failure may have; the answer that tells of it may say more. */
export function expectedCodes(expected: ExpectedError, answer?: Cassette["response"]): readonly ModelErrorCode[] {
  const { status, type, code, message } = expected
  const told = failureIn(answer?.body ?? "")
  const read = classifyError({
    status,
    type: type ?? told?.type,
    code: code ?? told?.code,
    reason: told?.reason,
    message: [message, told?.message].filter(Boolean).join("\n"),
  }).code
  const said = [type, code, message].join(" ").trim()
  // a success that ends, or makes no sense, without a word of a failure
  if (said === "" && told === undefined && answer !== undefined && answer.status < 300)
    return [...(byStatus[status] ?? anyTrouble), "malformed_response"]
  const worded = byWords.find(([words]) => words.test(said))?.[1]
  if (worded === undefined && toldByWords.has(read)) return [read]
  return [...new Set([...(worded ?? byStatus[status] ?? anyTrouble), read])]
}

/** The error is the one that the cassette tells of: its code, whether to try again, its message, how long to wait. */
export function checkError(error: unknown, expected: ExpectedError, { response }: Cassette): void {
  must(error !== undefined, `the provider answered with an error (${expected.message}), the call did not fail`)
  must(AgentScopeError.is(error), `the call failed with something that is no AgentScopeError: ${told(error)}`)
  const codes = expectedCodes(expected, response)
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
