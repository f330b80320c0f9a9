import { isRetryableCode, type ModelErrorCode } from "./model-error.ts"

/** What is known of a provider's failure; every part is optional, and `code` and `type` are the provider's own words. */
export interface ProviderFailure {
  /** HTTP status; absent for an error inside a stream. */
  readonly status?: number | undefined
  readonly code?: string | number | undefined
  readonly type?: string | undefined
  readonly message?: string | undefined
}

/** The framework's name for a failure, and whether making the same call again can help. */
export interface ErrorClass {
  readonly code: ModelErrorCode
  readonly retryable: boolean
}

/** Words that providers use as `code`, `type` or `status`, in lower case and joined by `_`. */
const wordsOf: Readonly<Partial<Record<ModelErrorCode, string>>> = {
  context_overflow: `
    context_length_exceeded context_window_exceeded model_context_window_exceeded exceed_context_size_error
    request_too_large
  `,
  content_filtered: `
    content_filter content_policy_violation data_inspection_failed datainspectionfailed
    responsibleaipolicyviolation
  `,
  quota_exceeded: `
    insufficient_quota quota_exceeded insufficient_balance billing_error billing_hard_limit_reached
    billing_not_active arrearage allocationquota_freetieronly
  `,
  rate_limited: `
    rate_limit_exceeded rate_limit_error rate_limited too_many_requests resource_exhausted throttling
    throttling_ratequota throttling_allocationquota throttling_burstrate throttlingexception limitrequests
  `,
  overloaded: `
    overloaded overloaded_error engine_overloaded engine_overloaded_error model_overloaded server_overloaded
    slow_down service_unavailable service_unavailable_error serviceunavailable unavailable
    provider_unavailable modelserviceunavailable
  `,
  authentication: `
    authentication_error invalid_api_key invalidapikey incorrect_api_key api_key_invalid unauthenticated
    unauthorized
  `,
  permission_denied: `
    permission_error permission_denied access_denied accessdenied accessdenied_unpurchased
    model_accessdenied forbidden unsupported_country_region_territory
  `,
  not_found: "not_found not_found_error model_not_found modelnotfound deployment_not_found deploymentnotfound",
  timeout: "timeout timeout_error request_timeout requesttimeout deadline_exceeded responsetimeout",
  server_error: `
    internal internal_error internalerror internal_server_error server_error api_error systemerror
    modelservingerror
  `,
  unsupported: "unimplemented not_supported unsupported_parameter unsupported_value",
  invalid_request: `
    invalid_request invalid_request_error invalid_argument string_above_max_length invalidparameter
    failed_precondition
  `,
}
const byWord = new Map(
  Object.entries(wordsOf).flatMap(([code, words]) =>
    words
      .trim()
      .split(/\s+/)
      .map((word) => [word, code as ModelErrorCode] as const),
  ),
)

/** Words so general that a message or a status may say it better. */
const vague: ReadonlySet<ModelErrorCode> = new Set(["invalid_request", "server_error", "not_found", "rate_limited"])

const subject = "(?:prompt|input|context|request|messages?|conversation|tokens?)"
/** A prompt that does not fit. Each pattern needs both the thing that is too long and the limit that it passes. */
const overflow: readonly RegExp[] = [
  /context[_ ]length[_ ]exceeded/,
  /(?:maximum|max|available|model's) context (?:length|window|size)/,
  /exceed(?:s|ed|ing)?\b.{0,40}\bcontext (?:length|window|size|limit)/,
  /context (?:length|window|size|limit) (?:is |was |has been )?(?:exceed|overflow|reached)/,
  /(?:larger|longer|bigger|greater) than (?:the |its )?(?:model's )?context/,
  /prompt (?:is )?too (?:long|large)/,
  new RegExp(`\\b${subject} (?:is |are |was )?too (?:long|large) for (?:the |this )?(?:model|context)`),
  /input (?:is )?too long for requested model/,
  /(?:input|prompt) (?:tokens?|token count|length)\b.{0,40}\bexceed(?:s|ed)?\b.{0,60}\b(?:maximum|limit|allowed|max)/,
  /range of input length should be/,
  /maximum prompt length is \d/,
  /reduce the length of (?:the |your )?(?:messages|prompt|input|conversation)/,
  /too many tokens in (?:the |your )?(?:prompt|input|messages)/,
]
/** Limits of traffic or of the answer, which talk of tokens too. */
const traffic =
  /per[- ](?:second|min(?:ute)?|hour|day|month|week)|\b(?:tpm|rpm|tpd|rpd)\b|rate[- ]?limit|too many requests|quota|throttl|concurren/
const answer = /\bmax_?(?:completion_|output_|new_)?tokens\b.{0,60}\b(?:must|should|at most|less than|between|invalid)/

const quota =
  /insufficient (?:quota|balance|credits?|funds)|exceeded your current quota|credit balance is too low|out of credits|billing (?:details|hard limit|is not|issue)|payment required|arrears|overdue|usage limit reached/
/** A limit that lifts by itself: some providers use the words of an exhausted account for it. */
const passing = /retry in \d|try again in \d|per (?:second|minute)/
const filtered =
  /content (?:management )?(?:policy|filter)|safety (?:system|filter|settings)|inappropriate content|flagged (?:as|by)|violat\w+ .{0,30}(?:usage|content|safety) polic/
const overloadedText =
  /overloaded|over capacity|at capacity|capacity (?:is )?(?:exceeded|exhausted)|server (?:is )?busy/
const timeoutText = /timed? ?out|deadline exceeded/

/**
 * Names a provider's failure: by the provider's own code first, then by the text, then by the HTTP status. Nothing known
 * at all is a `server_error`.
 */
export function classifyError(failure: ProviderFailure): ErrorClass {
  const code = codeOf(failure)
  return { code, retryable: isRetryableCode(code) }
}

function codeOf({ status, code, type, message }: ProviderFailure): ModelErrorCode {
  const words = [wordOf(code), wordOf(type)]
  const named = words.flatMap((word) => byWord.get(word) ?? [])
  const exact = named.find((found) => !vague.has(found))
  if (exact === "context_overflow" || exact === "content_filtered" || exact === "quota_exceeded") return exact

  const text = (message ?? "").toLowerCase()
  const numeric = typeof code === "number" ? code : /^\d{3}$/.test(words[0] ?? "") ? Number(code) : undefined
  const http = status !== undefined && status >= 400 ? status : (numeric ?? status)
  if (isContextOverflow(text, http)) return "context_overflow"
  if (quota.test(text) && (http === undefined || (http < 500 && http !== 401))) {
    return passing.test(text) ? "rate_limited" : "quota_exceeded"
  }
  if (exact) return exact
  if (filtered.test(text) && (http === undefined || http < 500)) return "content_filtered"
  if (named.includes("rate_limited")) return "rate_limited"
  const byStatus = http === undefined ? undefined : codeOfStatus(http)
  if (byStatus === "server_error" || byStatus === undefined) {
    if (overloadedText.test(text)) return "overloaded"
    if (timeoutText.test(text)) return "timeout"
  }
  // a status says more than a vague word, but for 400 and 500, which say nothing
  if (byStatus !== undefined && byStatus !== "invalid_request" && byStatus !== "server_error") return byStatus
  return named[0] ?? byStatus ?? "server_error"
}

/** `RESOURCE_EXHAUSTED`, `Throttling.RateQuota`, `rate-limit exceeded` → words of lower case joined by `_`. */
const wordOf = (word: string | number | undefined): string =>
  word === undefined
    ? ""
    : String(word)
        .trim()
        .toLowerCase()
        .replace(/[\s.-]+/g, "_")

function isContextOverflow(text: string, status: number | undefined): boolean {
  if (text === "" || (status !== undefined && status >= 500)) return false
  if (status === 401 || status === 403 || status === 429) return false
  if (traffic.test(text) || answer.test(text)) return false
  return overflow.some((pattern) => pattern.test(text))
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
    case 425:
      return "server_error"
    case 413:
      return "context_overflow"
    case 415:
    case 501:
      return "unsupported"
    case 429:
      return "rate_limited"
    case 503:
    case 529:
      return "overloaded"
    default:
      if (status >= 500) return "server_error"
      return status >= 400 ? "invalid_request" : undefined
  }
}
