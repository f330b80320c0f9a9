import { tellsFilter, tellsKey, tellsOverflow, tellsQuota, troubleTold } from "./failure-texts.ts"
import { codeOfWord } from "./failure-words.ts"
import { isRetryableCode, type ModelErrorCode } from "./model-error.ts"

/** What is known of a provider's failure; every part is optional, and `code` and `type` are the provider's own words. */
export interface ProviderFailure {
  /** HTTP status; absent for an error inside a stream. */
  readonly status?: number | undefined
  readonly code?: string | number | undefined
  readonly type?: string | undefined
  /** A third word, as among the details of an error: `API_KEY_INVALID`. */
  readonly reason?: string | undefined
  readonly message?: string | undefined
}

/** The framework's name for a failure, and whether making the same call again can help. */
export interface ErrorClass {
  readonly code: ModelErrorCode
  readonly retryable: boolean
}

/** Words so general that a message or a status may say it better. */
const vague: ReadonlySet<ModelErrorCode> = new Set(["invalid_request", "server_error", "not_found", "rate_limited"])

/**
 * Names a provider's failure: by the provider's own code first, then by the text, then by the HTTP status. Nothing known
 * at all is a `server_error`.
 */
export function classifyError(failure: ProviderFailure): ErrorClass {
  const code = codeOf(failure)
  return { code, retryable: isRetryableCode(code) }
}

function codeOf({ status, code, type, reason, message }: ProviderFailure): ModelErrorCode {
  const named = [code, type, reason].flatMap((word) => codeOfWord(word) ?? [])
  const exact = named.find((found) => !vague.has(found))
  if (exact === "context_overflow" || exact === "content_filtered" || exact === "quota_exceeded") return exact

  const text = (message ?? "").toLowerCase()
  const http = status !== undefined && status >= 400 ? status : (statusIn(code) ?? status)
  if (tellsOverflow(text, http)) return "context_overflow"
  const used = tellsQuota(text, http)
  if (used) return used
  if (exact) return exact
  if (tellsFilter(text, http)) return "content_filtered"
  if (named.includes("rate_limited")) return "rate_limited"
  if (tellsKey(text, http)) return "authentication"
  const byStatus = http === undefined ? undefined : codeOfStatus(http)
  if (byStatus === "server_error" || byStatus === undefined) {
    const trouble = troubleTold(text)
    if (trouble) return trouble
  }
  // a status says more than a vague word, but for 400 and 500, which say nothing
  if (byStatus !== undefined && byStatus !== "invalid_request" && byStatus !== "server_error") return byStatus
  return named[0] ?? byStatus ?? "server_error"
}

/** A provider's code that is the status of HTTP; others are numbers of its own. */
function statusIn(code: string | number | undefined): number | undefined {
  return /^[1-5]\d\d$/.test(String(code).trim()) ? Number(code) : undefined
}

function codeOfStatus(status: number): ModelErrorCode | undefined {
  switch (status) {
    case 401:
      return "authentication"
    case 402:
      return "quota_exceeded"
    case 403:
      return "permission_denied"
    case 404:
      return "not_found"
    case 408:
    case 504:
    case 524:
      return "timeout"
    case 409:
    case 424: // what the endpoint itself depends on has failed
    case 425:
      return "server_error"
    case 413:
      return "context_overflow"
    case 415:
    case 501:
      return "unsupported"
    case 429:
      return "rate_limited"
    case 498: // Groq: a tier without room
    case 503:
    case 529:
      return "overloaded"
    default:
      if (status >= 500) return "server_error"
      return status >= 400 ? "invalid_request" : undefined
  }
}
