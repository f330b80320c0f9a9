import { replaceAmbient } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { failureIn, httpError, retryAfterMs, toldError } from "./http-error.ts"
import type { ResponseHeaders } from "./exchange.ts"

const failure = (status: number, body: string, headers: ResponseHeaders = {}) =>
  httpError({ label: "https://api.example.com/v1", status, headers, body })

describe("httpError", () => {
  it("names the error by the provider's own words, and keeps them", () => {
    const error = failure(
      400,
      '{"error":{"message":"too long","type":"invalid_request_error","code":"context_length_exceeded"}}',
      { "x-request-id": "req_1" },
    )
    expect(error).toMatchObject({ code: "context_overflow", retryable: false })
    expect(error.message).toBe("https://api.example.com/v1 answered 400: too long")
    expect(error.details).toEqual({
      status: 400,
      code: "context_length_exceeded",
      type: "invalid_request_error",
      requestId: "req_1",
    })
  })

  it.each([
    [401, "authentication", /check the API key/],
    [404, "not_found", /the name of the model and the path of baseURL/],
    [503, "overloaded", /answered 503: no JSON but "<h1>down<\/h1>"/],
  ])("says for %i what to do", (status, code, message) => {
    const error = failure(status, "<h1>down</h1>")
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    const { advice } = error.details
    expect(advice === undefined || error.message.endsWith(` (${advice as string})`)).toBe(true)
    expect(advice !== undefined).toBe(code !== "overloaded")
  })

  it("explains a redirect, without the query it goes to", () => {
    const error = failure(307, "", { location: "https://b.example.com/v1?key=secret" })
    expect(error).toMatchObject({ code: "invalid_request", retryable: false, details: { status: 307 } })
    expect(error.message).toContain('redirects to "https://b.example.com/v1" (307)')
    expect(error.message).not.toContain("secret")
  })

  it("cuts a long body", () => {
    expect(failure(500, JSON.stringify({ message: "x".repeat(10_000) })).message.length).toBeLessThan(4200)
    expect(failure(500, "").message).toBe("https://api.example.com/v1 answered 500")
  })
})

describe("failureIn", () => {
  it.each([
    ['{"error":{"message":"m","code":"c","type":"t"}}', { message: "m", code: "c", type: "t" }],
    ['{"error":"m"}', { message: "m" }],
    ['{"error":{"message":"m","code":502}}', { message: "m", code: 502 }],
    ['{"object":"error","message":"m","type":"t","code":400}', { message: "m", type: "t", code: 400 }],
    ['{"message":"m","code":"InvalidApiKey","request_id":"1"}', { message: "m", code: "InvalidApiKey" }],
    ['{"detail":"m"}', { message: "m" }],
    ['{"detail":[{"msg":"m","type":"missing"}]}', { message: "m" }],
    ['{"detail":[{"msg":"m","loc":["body","a",0]}]}', { message: "a.0: m" }],
    ['{"errors":[{"message":"m"}]}', { message: "m" }],
    [
      '[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]',
      { message: "m", code: 429, type: "RESOURCE_EXHAUSTED" },
    ],
    [
      '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
      { message: "Overloaded", type: "overloaded_error" },
    ],
    ['{"error":{"code":400,"message":"m","details":[{},{"reason":"API_KEY_INVALID"}]}}', { reason: "API_KEY_INVALID" }],
    ['{"error":{"message":"m","innererror":{"code":"C"}}}', { message: "m", reason: "C" }],
    ['{"error":"m","status_code":503}', { message: "m", code: 503 }],
    ['{"statusCode":401,"message":"m"}', { message: "m", code: 401 }],
    ['{"error":{"type":"t","message":"m","http_code":"500"}}', { message: "m", code: 500 }],
    ['{"object":"error","message":{"detail":[{"msg":"m"}]},"type":"t"}', { message: "m", type: "t" }],
    ['{"choices":null,"base_resp":{"status_code":1008,"status_msg":"m"}}', { message: "m", code: 1008 }],
    ['{"error":{"message":"m","code":400,"metadata":{"raw":"down"}}}', { message: "m: down", code: 400 }],
    [
      String.raw`{"error":{"message":"m","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"i\",\"code\":\"c\"}}"}}}`,
      { message: "m: i", code: 400, reason: "c" },
    ],
    [
      '{"error":{"message":"m","metadata":{"raw":{"message":"i","code":400,"type":"t"}}}}',
      { message: "m: i", reason: "t" },
    ],
    ['{"error":{"message":"m: i","metadata":{"raw":"i"}}}', { message: "m: i" }],
    ['{"error":{"message":"m","metadata":{"raw":""}}}', { message: "m" }],
    ['{"error":{"message":"m","type":"t"},"code":"outer"}', { message: "m", type: "t", code: "outer" }],
  ])("finds the words in %s", (body, expected) => {
    expect(failureIn(body)).toMatchObject(expected)
  })

  it.each([
    "",
    "plain",
    "{}",
    "[]",
    "null",
    "1",
    '{"choices":[]}',
    '{"message":"","detail":[]}',
    '{"base_resp":{"status_code":0,"status_msg":"success"}}',
    '{"status_code":200}',
  ])("finds none in %s", (body) => {
    expect(failureIn(body)).toBeUndefined()
  })
})

describe("toldError", () => {
  it("FR-07 makes an error inside an answer a typed one", () => {
    expect(toldError("m", { code: 502, message: "provider_unavailable" })).toMatchObject({ retryable: true })
    expect(toldError("m", { type: "overloaded_error", message: "Overloaded" })).toMatchObject({
      code: "overloaded",
      retryable: true,
    })
    expect(toldError("m", {})).toMatchObject({ code: "server_error", retryable: true })
    expect(toldError("m", {}).message).toBe("m failed within its answer: no reason given")
  })

  it("takes a code for a status only where it is one", () => {
    expect(toldError("m", { code: 503, message: "loading" })).toMatchObject({
      code: "overloaded",
      details: { status: 503, code: 503 },
    })
    const empty = toldError("m", { code: 1008, message: "no money" })
    expect(empty).toMatchObject({ code: "quota_exceeded", retryable: false, details: { code: 1008 } })
    expect(empty.details).not.toHaveProperty("status")
  })

  it("FR-10 reads the time to wait that stands among the details of an error", () => {
    const body = (retryDelay: unknown) =>
      JSON.stringify({ error: { code: 429, message: "Slow down.", details: [null, { retryDelay }] } })
    const waits = (retryDelay: unknown, headers = {}) =>
      httpError({ label: "https://x", status: 429, headers, body: body(retryDelay) }).details["retryAfterMs"]
    expect(waits("34.0744s")).toBe(34_075)
    expect(waits("7s", { "retry-after": "2" })).toBe(2000)
    for (const garbage of ["soon", 7, null, "-1s"]) expect(waits(garbage)).toBeUndefined()
    expect(toldError("gemini/m", failureIn(body("2s")) ?? {}).details["retryAfterMs"]).toBe(2000)
  })
})

describe("retryAfterMs", () => {
  it("FR-10 reads milliseconds before seconds before a date, and ignores what is no time", () => {
    const restore = replaceAmbient({ now: () => Date.parse("2026-12-01T10:00:00Z") })
    try {
      expect(retryAfterMs({ "retry-after-ms": "1500", "retry-after": "9" })).toBe(1500)
      expect(retryAfterMs({ "retry-after-ms": "soon", "retry-after": "2" })).toBe(2000)
      expect(retryAfterMs({ "retry-after": "0.5" })).toBe(500)
      expect(retryAfterMs({ "retry-after": "0" })).toBe(0)
      expect(retryAfterMs({ "retry-after": "86400" })).toBe(86_400_000)
      expect(retryAfterMs({ "retry-after": "Tue, 01 Dec 2026 10:00:30 GMT" })).toBe(30_000)
      expect(retryAfterMs({ "retry-after": "Tuesday, 01-Dec-26 10:00:30 GMT" })).toBe(30_000)
      expect(retryAfterMs({ "retry-after": "Tue Dec  1 10:00:30 2026 GMT" })).toBe(30_000)
      expect(retryAfterMs({ "retry-after": "Tue, 01 Dec 2026 09:00:00 GMT" })).toBe(0)
      for (const garbage of ["", " ", "soon", "-5", "5 apples", "NaN", "1e9", "Infinity", "0x10", "next week"]) {
        expect(retryAfterMs({ "retry-after": garbage, "retry-after-ms": garbage })).toBeUndefined()
      }
      expect(retryAfterMs({})).toBeUndefined()
    } finally {
      restore()
    }
  })
})
