import { AgentScopeError, type ErrorInit } from "@agentscope-ts/message"
import { redact } from "@agentscope-ts/tracing"

/** Codes of the errors of this package and of every provider. */
export type ModelErrorCode =
  | "missing_api_key"
  | "authentication"
  | "permission_denied"
  | "not_found"
  | "invalid_request"
  | "context_overflow"
  | "content_filtered"
  | "unsupported"
  | "rate_limited"
  | "overloaded"
  | "server_error"
  | "network"
  | "timeout"
  | "malformed_response"
  | "quota_exceeded"
  | "aborted"
  | "circuit_open"
  | "stream_consumed"
  | "invalid_schema"
  | "missing_dependency"

const retryableCodes: ReadonlySet<ModelErrorCode> = new Set([
  "rate_limited",
  "overloaded",
  "server_error",
  "network",
  "timeout",
  "malformed_response",
  "circuit_open",
])

/** Whether a call that failed with this code may succeed when it is simply made again. */
export function isRetryableCode(code: ModelErrorCode): boolean {
  return retryableCodes.has(code)
}

/**
 * An `AgentScopeError` with a code of this package; `retryable` follows from the code unless given. Secrets in the message
 * (a provider may repeat the key it was sent) are masked.
 */
export function modelError(init: ErrorInit<ModelErrorCode>): AgentScopeError<ModelErrorCode> {
  return new AgentScopeError({
    ...init,
    message: redact(init.message),
    retryable: init.retryable ?? isRetryableCode(init.code),
  })
}

/** The error of a call whose signal was aborted: code `aborted`, the cause is `signal.reason`. */
export function abortedError(signal: AbortSignal, what: string): AgentScopeError<ModelErrorCode> {
  return modelError({ code: "aborted", message: `${what} was aborted.`, cause: signal.reason })
}
