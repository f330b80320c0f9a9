import type { ModelErrorCode } from "./model-error.ts"

/** Words that providers use as `code`, `type`, `status` or `reason`, in lower case and joined by `_`. */
const wordsOf: Readonly<Partial<Record<ModelErrorCode, string>>> = {
  context_overflow: `
    context_length_exceeded context_window_exceeded model_context_window_exceeded exceed_context_size_error
    contextwindowexceedederror request_too_large tokens_limit_reached invalid_request_prompt_too_long
  `,
  content_filtered: `
    content_filter content_policy_violation data_inspection_failed datainspectionfailed
    responsibleaipolicyviolation
  `,
  quota_exceeded: `
    insufficient_quota quota_exceeded exceeded_current_quota_error insufficient_balance
    insufficient_balance_error insufficient_credits billing_error billing_hard_limit_reached
    billing_not_active budget_exceeded payment_required arrearage accountoverdueerror
    allocationquota_freetieronly
  `,
  rate_limited: `
    rate_limit_exceeded rate_limit_error rate_limited too_many_requests resource_exhausted throttling
    throttling_ratequota throttling_allocationquota throttling_burstrate throttlingexception limitrequests
    ratelimitreached
  `,
  overloaded: `
    overloaded overloaded_error engine_overloaded engine_overloaded_error model_overloaded server_overloaded
    slow_down service_unavailable service_unavailable_error serviceunavailable unavailable
    provider_unavailable modelserviceunavailable capacity_exceeded flex_capacity_exceeded
  `,
  authentication: `
    authentication_error invalid_api_key invalidapikey incorrect_api_key api_key_invalid api_key_expired
    unauthenticated unauthorized
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

/** The numbers that Zhipu (four digits from 1100) and MiniMax give to what they say in Chinese, or not at all. */
const numbersOf: Readonly<Partial<Record<ModelErrorCode, string>>> = {
  context_overflow: "1261 1039",
  content_filtered: "1301 1026 1027",
  quota_exceeded: "1113 1008",
}
const byWord = new Map(
  [wordsOf, numbersOf].flatMap((table) =>
    Object.entries(table).flatMap(([code, words]) =>
      words
        .trim()
        .split(/\s+/)
        .map((word) => [word, code as ModelErrorCode] as const),
    ),
  ),
)

/** `InputTextSensitiveContentDetected.SevereViolation` and the like: one word for each kind of input. */
const sensitive = /sensitive_?content_?detected/

/** What a provider's own word stands for, however it is spelt: `RESOURCE_EXHAUSTED`, `Throttling.RateQuota`, `rate-limit exceeded`. */
export function codeOfWord(word: string | number | undefined): ModelErrorCode | undefined {
  if (word === undefined) return undefined
  const plain = String(word)
    .trim()
    .toLowerCase()
    .replace(/[\s.-]+/g, "_")
  return byWord.get(plain) ?? (sensitive.test(plain) ? "content_filtered" : undefined)
}
