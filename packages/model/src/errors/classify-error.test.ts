import { describe, expect, test } from "vitest"
import { classifyError, type ProviderFailure } from "./classify-error.ts"
import type { ModelErrorCode } from "./model-error.ts"

const codeOf = (failure: ProviderFailure): ModelErrorCode => classifyError(failure).code

describe("FR-27 a prompt that does not fit is one kind of error", () => {
  test.each<[string, ProviderFailure]>([
    [
      "by the text of a local server that calls it its own failure",
      { status: 500, message: "Context size has been exceeded." },
    ],
    ["by such a text with figures", { status: 500, message: "llama runner: prompt is too long: 9000 > 8192" }],
    ["by such a text of another one", { status: 500, message: "the input length exceeds the context length" }],
    ["by code alone", { code: "context_length_exceeded" }],
    ["by code, whatever the status", { status: 500, code: "context_length_exceeded", message: "Internal error" }],
    ["the report's second", { status: 400, message: "prompt is too long: 267657 > 262143" }],
    [
      "the report's third",
      { status: 400, message: "Input length (265330) exceeds model's maximum context length (262144)." },
    ],
    [
      "the report's fourth",
      { status: 400, message: "request (124071 tokens) exceeds the available context size (123904 tokens)" },
    ],
    ["without a status, inside a stream", { message: "prompt is too long: 267657 > 262143" }],
    [
      "OpenAI",
      {
        status: 400,
        type: "invalid_request_error",
        message:
          "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
      },
    ],
    [
      "OpenAI Responses",
      {
        status: 400,
        message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
      },
    ],
    [
      "Anthropic",
      { status: 400, type: "invalid_request_error", message: "prompt is too long: 211054 tokens > 200000 maximum" },
    ],
    [
      "Anthropic, with room for the answer",
      {
        status: 400,
        type: "invalid_request_error",
        message:
          "input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000, decrease input length or `max_tokens` and try again",
      },
    ],
    ["Anthropic, by bytes", { status: 413, type: "request_too_large", message: "Request exceeds the maximum size" }],
    [
      "Gemini",
      {
        status: 400,
        code: 400,
        type: "INVALID_ARGUMENT",
        message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      },
    ],
    [
      "DashScope",
      {
        status: 400,
        code: "InvalidParameter",
        message: "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]",
      },
    ],
    [
      "DeepSeek",
      {
        status: 400,
        type: "invalid_request_error",
        message: "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens",
      },
    ],
    [
      "vLLM",
      {
        status: 400,
        message:
          "'max_tokens' or 'max_completion_tokens' is too large: 40000. This model's maximum context length is 32768 tokens and your request has 5000 input tokens",
      },
    ],
    [
      "Ollama",
      { status: 500, type: "exceed_context_size_error", message: "the request exceeds the available context size" },
    ],
    [
      "xAI",
      { status: 400, message: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." },
    ],
    [
      "Mistral",
      {
        status: 400,
        message:
          "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      },
    ],
    ["Bedrock", { status: 400, message: "Input is too long for requested model." }],
    ["Groq", { status: 400, message: "Please reduce the length of the messages or completion." }],
    [
      "LM Studio",
      {
        status: 400,
        message:
          "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Context length exceeded",
      },
    ],
  ])("%s", (_, failure) => {
    expect(classifyError(failure)).toEqual({ code: "context_overflow", retryable: false })
  })

  test.each<[ModelErrorCode, ProviderFailure]>([
    [
      "rate_limited",
      {
        status: 429,
        code: "rate_limit_exceeded",
        message:
          "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 44000. The input or output tokens must be reduced in order to run successfully.",
      },
    ],
    [
      "rate_limited",
      {
        code: "rate_limit_exceeded",
        message: "This request would exceed the context window rate limit of 400000 input tokens per minute",
      },
    ],
    [
      "rate_limited",
      {
        status: 429,
        type: "rate_limit_error",
        message:
          "This request would exceed your organization's rate limit of 30,000 input tokens per minute; the prompt is too long",
      },
    ],
    [
      "invalid_request",
      {
        status: 400,
        type: "invalid_request_error",
        message:
          "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
      },
    ],
    ["invalid_request", { status: 400, message: "max_tokens must be less than the context length" }],
    [
      "invalid_request",
      { status: 400, type: "invalid_request_error", message: "tools.0.name: String should have at most 64 characters" },
    ],
    [
      "invalid_request",
      {
        status: 400,
        code: "string_above_max_length",
        message: "Invalid 'tools[0].function.description': string too long.",
      },
    ],
    ["server_error", { status: 500, message: "could not measure the prompt: maximum context length unknown" }],
    ["authentication", { status: 401, message: "no access to the maximum context length of this model" }],
  ])("but not lookalikes: %s for %j", (code, failure) => {
    expect(codeOf(failure)).toBe(code)
  })
})

describe("other kinds", () => {
  test.each<[ModelErrorCode, ProviderFailure]>([
    // limits that pass, and accounts that are empty
    ["rate_limited", { status: 429 }],
    ["rate_limited", { status: 429, code: 429, type: "RESOURCE_EXHAUSTED" }],
    [
      "rate_limited",
      {
        status: 429,
        type: "RESOURCE_EXHAUSTED",
        message: "You exceeded your current quota, please check your plan and billing details. Please retry in 24.5s.",
      },
    ],
    ["rate_limited", { status: 429, code: "Throttling.RateQuota", message: "Requests rate limit exceeded" }],
    [
      "rate_limited",
      {
        status: 429,
        code: "Throttling.AllocationQuota",
        message: "Allocated quota exceeded, please increase your quota limit.",
      },
    ],
    [
      "quota_exceeded",
      {
        status: 429,
        code: "insufficient_quota",
        message: "You exceeded your current quota, please check your plan and billing details.",
      },
    ],
    [
      "quota_exceeded",
      { status: 429, message: "You exceeded your current quota, please check your plan and billing details." },
    ],
    ["quota_exceeded", { status: 402, message: "Insufficient Balance" }],
    [
      "quota_exceeded",
      {
        status: 400,
        type: "invalid_request_error",
        message: "Your credit balance is too low to access the Anthropic API.",
      },
    ],
    [
      "quota_exceeded",
      { status: 400, code: "Arrearage", message: "Access denied, please make sure your account is in good standing." },
    ],
    // trouble on the other side
    ["overloaded", { status: 529, type: "overloaded_error", message: "Overloaded" }],
    ["overloaded", { type: "overloaded_error", message: "Overloaded" }],
    ["overloaded", { status: 503 }],
    ["overloaded", { status: 503, type: "UNAVAILABLE", message: "The model is overloaded. Please try again later." }],
    ["overloaded", { code: 502, message: "provider_unavailable", type: "provider_unavailable" }],
    ["overloaded", { status: 500, message: "The server is currently overloaded with other requests." }],
    ["server_error", { status: 500 }],
    ["server_error", { code: 502, message: "Bad gateway" }],
    [
      "server_error",
      { status: 500, type: "server_error", message: "The server had an error while processing your request." },
    ],
    ["server_error", { type: "api_error", message: "Internal server error" }],
    ["server_error", {}],
    ["timeout", { status: 504 }],
    ["timeout", { status: 408 }],
    ["timeout", { status: 500, code: "RequestTimeOut", message: "Request timed out, please try again later." }],
    ["timeout", { status: 504, type: "DEADLINE_EXCEEDED" }],
    // what the caller has to change
    ["authentication", { status: 401, code: "invalid_api_key", message: "Incorrect API key provided" }],
    ["authentication", { status: 400, code: "InvalidApiKey" }],
    [
      "authentication",
      {
        status: 400,
        type: "INVALID_ARGUMENT",
        code: "API_KEY_INVALID",
        message: "API key not valid. Please pass a valid API key.",
      },
    ],
    ["permission_denied", { status: 403, type: "permission_error" }],
    ["permission_denied", { status: 403, code: "unsupported_country_region_territory" }],
    ["permission_denied", { status: 403, code: "AccessDenied.Unpurchased" }],
    ["not_found", { status: 404, code: "model_not_found" }],
    ["not_found", { status: 404, type: "invalid_request_error", message: "model 'x' not found" }],
    [
      "content_filtered",
      {
        status: 400,
        code: "content_filter",
        message: "The response was filtered due to the prompt triggering content management policy.",
      },
    ],
    [
      "content_filtered",
      { status: 400, code: "DataInspectionFailed", message: "Input data may contain inappropriate content." },
    ],
    [
      "content_filtered",
      { status: 400, message: "Your request was flagged as potentially violating our usage policy." },
    ],
    ["unsupported", { status: 400, code: "unsupported_parameter", message: "Unsupported parameter: 'temperature'" }],
    [
      "invalid_request",
      { status: 400, type: "invalid_request_error", message: "messages: at least one message is required" },
    ],
    ["invalid_request", { status: 422, message: "Unknown parameter: billing_address" }],
  ])("%s: %j", (code, failure) => {
    expect(codeOf(failure)).toBe(code)
  })

  test("what may pass by itself is retryable, what the caller has to change is not", () => {
    const retryable = [429, 500, 502, 503, 504, 529, 408].map((status) => classifyError({ status }).retryable)
    expect(retryable.every(Boolean)).toBe(true)
    const final = [400, 401, 402, 403, 404, 413, 415, 422].map((status) => classifyError({ status }).retryable)
    expect(final.some(Boolean)).toBe(false)
  })
})

/** Messages of the kinds that vendors send with a status and a word that say no more than "bad request". */
const told: Readonly<Partial<Record<ModelErrorCode, readonly string[]>>> = {
  context_overflow: [
    "The input token count is 1200000 but this model only supports up to 1048576.",
    "Invalid request: the request exceeded the model token limit: 131072 (requested: 150000)",
    "Validation: `inputs` tokens + `max_new_tokens` must be <= 4097, given 4000 and 512",
    "`inputs` must have less than 4096 tokens. Given: 5021",
    "The decoder prompt (length 9100) is longer than the maximum model length of 8192.",
    "the context overflows: loaded with a context length of only 4096 tokens, which is not enough",
    "tokens in the prompt cannot exceed 4081, received 9000",
    "SomeGateway.ContextWindowExceededError: refused",
    "Prompt exceeds max length",
    "Prompt 超长",
    "输入内容超出模型长度限制",
  ],
  quota_exceeded: [
    "The team has used all available credits or reached its monthly spending limit.",
    "This team doesn't have any credits yet.",
    "You have reached your specified API usage limits until 2027-01-01.",
    "Budget has been exceeded! Current cost: 12, max budget: 10",
    "Paid balance is insufficient",
    "账户余额不足，请充值",
  ],
  content_filtered: [
    "Content Exists Risk",
    "The request was rejected because it was considered high risk",
    "The input may contain sensitive information.",
    "system found unsafe content: it contains unsafe or sensitive content",
    "输入或生成内容可能包含敏感内容",
  ],
  authentication: [
    "API key not valid. Pass a valid one.",
    "API key expired. Renew it.",
    "Incorrect API key provided: ab***",
    "Your api_key is invalid",
  ],
}

describe("a bad request is named by its text", () => {
  test.each(Object.entries(told).flatMap(([code, texts]) => texts.map((message) => [code, message] as const)))(
    "%s: %s",
    (code, message) => {
      for (const word of ["invalid_request_error", "INVALID_ARGUMENT", "BadRequestError", undefined]) {
        expect(codeOf({ status: 400, type: word, message }), String(word)).toBe(code)
      }
      expect(codeOf({ message })).toBe(code)
    },
  )

  test.each<[ModelErrorCode, ProviderFailure]>([
    // an empty account is one under every status that vendors give it
    ["quota_exceeded", { status: 429, code: "resource exhausted", message: "used all available credits" }],
    ["quota_exceeded", { status: 500, type: "insufficient_balance_error", message: "insufficient balance (1008)" }],
    ["quota_exceeded", { status: 500, message: "insufficient balance" }],
    ["quota_exceeded", { status: 403, code: 30_011, message: "Paid balance is insufficient" }],
    ["quota_exceeded", { status: 429, code: "1113", message: "?" }],
    ["quota_exceeded", { code: 1008, message: "?" }],
    ["quota_exceeded", { status: 412, message: "suspended, it may have reached the spending limit" }],
    ["quota_exceeded", { status: 400, type: "budget_exceeded" }],
    ["context_overflow", { status: 400, code: "1261", message: "?" }],
    ["context_overflow", { status: 400, reason: "context_length_exceeded", message: "passed on" }],
    ["content_filtered", { status: 400, code: "1301", message: "?" }],
    ["content_filtered", { status: 400, code: "InputImageSensitiveContentDetected.SevereViolation" }],
    ["authentication", { status: 400, type: "INVALID_ARGUMENT", reason: "API_KEY_INVALID", message: "?" }],
    ["overloaded", { status: 498, type: "internal_server_error", code: "capacity_exceeded" }],
    ["overloaded", { status: 498, message: "the tier has no room" }],
    ["server_error", { status: 424, message: "the model behind failed" }],
    // a number that is no status
    ["server_error", { code: 1000, message: "unknown" }],
    ["invalid_request", { status: 400, code: 20_012, message: "unknown" }],
  ])("and by the vendor's own word: %s: %j", (code, failure) => {
    expect(codeOf(failure)).toBe(code)
  })

  test.each<[ModelErrorCode, ProviderFailure]>([
    ...[
      "max_tokens must be <= 8192",
      "`max_new_tokens` must be <= 512",
      "max_completion_tokens exceeds the limit of this model: at most 16384",
      "tools: the number of tools cannot exceed 128",
      "tools.0.description cannot exceed 1024 characters",
      "temperature must not exceed 2",
      "The image exceeds the 5 MB maximum",
      "prompt_cache_key is too long",
      "user: string too long",
      "the thinking budget has been exceeded: choose between 0 and 24576",
      "budget_tokens must be less than max_tokens",
      "Unknown parameter: api_key",
      "Unknown field: sensitive_content",
      "Unknown field: credits",
      "invalid api key name: use letters only",
      "Unsupported value: stream_options",
      "the schema has more than 100 properties",
      "messages.3: roles must alternate",
      "Failed to call a function. Adjust the prompt.",
      "参数错误",
    ].map((message): [ModelErrorCode, ProviderFailure] => [
      "invalid_request",
      { status: 400, type: "invalid_request_error", message },
    ]),
    ["rate_limited", { status: 429, message: "Too many tokens, wait before trying again." }],
    ["rate_limited", { status: 429, code: "1302", message: "您的账户已达到速率限制" }],
    ["rate_limited", { status: 429, message: "Service tier capacity exceeded for this model." }],
    ["permission_denied", { status: 403, message: "Your API key is not allowed to use this model" }],
    ["permission_denied", { status: 403, message: "The account is not in this region" }],
    ["server_error", { status: 500, message: "the billing details could not be read" }],
    ["server_error", { status: 500, message: "the content filter failed" }],
    ["server_error", { status: 500, message: "api key invalid in the store behind" }],
    ["not_found", { status: 404, message: "no model of this name, or no balance" }],
  ])("and no lookalike is taken for one: %s for %j", (code, failure) => {
    expect(codeOf(failure)).toBe(code)
  })
})
