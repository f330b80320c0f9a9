import { describe, expect, it } from "vitest"
import type { ExpectedError } from "./expectation.ts"
import { expectedCodes } from "./expected-error.ts"

describe("the codes that a failure may have", () => {
  it.each<[codes: string, failure: ExpectedError]>([
    // what the words say counts for more than the status
    ["context_overflow", { status: 400, message: "the input token count is 9 but the model only supports 4" }],
    ["context_overflow", { status: 422, message: "`inputs` must have less than 4096 tokens" }],
    ["quota_exceeded", { status: 403, code: "AllocationQuota.FreeTierOnly" }],
    ["quota_exceeded", { status: 500, message: "insufficient balance" }],
    ["authentication", { status: 400, message: "API key not valid" }],
    // a limit that may pass, and a text that may be the policy's
    ["quota_exceeded rate_limited", { status: 429, message: "You exceeded your current quota. Retry in 34.1s." }],
    ["invalid_request unsupported content_filtered", { status: 400, message: "flagged as against the usage policy" }],
    // what no words tell
    ["invalid_request unsupported", { status: 400, message: "no such field" }],
    ["invalid_request", { status: 412, message: "not now" }],
    ["server_error overloaded invalid_request", { status: 424, message: "what is behind failed" }],
    ["rate_limited", { status: 429, message: "slow down" }],
    ["overloaded", { status: 503, message: "later" }],
    ["server_error overloaded timeout", { status: 500, message: "oh" }],
  ])("%s: %j", (codes, failure) => {
    expect(expectedCodes(failure)).toEqual(codes.split(" "))
  })

  it("are those of an answer that makes no sense where nothing tells of a failure", () => {
    const garbled = { status: 200, body: "{" }
    expect(expectedCodes({ status: 500 }, garbled)).toContain("malformed_response")
    expect(expectedCodes({ status: 500 }, { ...garbled, body: '{"error":"oh"}' })).not.toContain("malformed_response")
    expect(expectedCodes({ status: 500 }, { ...garbled, status: 500 })).not.toContain("malformed_response")
    expect(expectedCodes({ status: 401 })).toEqual(["authentication"])
  })

  it("are told by the body too, which says more than what was noted of it", () => {
    const failure = { status: 400, message: "failed behind" }
    const body = JSON.stringify({ error: { message: "failed behind", metadata: { raw: "prompt is too long: 9 > 8" } } })
    expect(expectedCodes(failure)).toEqual(["invalid_request", "unsupported"])
    expect(expectedCodes(failure, { status: 400, body })).toEqual(["context_overflow"])
  })
})
