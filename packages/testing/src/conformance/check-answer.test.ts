import { AgentScopeError } from "@agentscope-ts/message"
import type { ChatResponse } from "@agentscope-ts/model"
import { describe, expect, it } from "vitest"
import type { Cassette } from "../cassette.ts"
import { checkAnswer } from "./check-answer.ts"
import type { Expectation } from "./expectation.ts"
import { expectedStop } from "./expected-stop.ts"
import { expectedUsage } from "./expected-usage.ts"

const cassetteOf = (expect: Partial<Expectation>, more: Partial<Cassette> = {}): Cassette => ({
  provider: "p",
  api: "openai-chat",
  model: null,
  categories: [],
  request: { method: "POST", path: "/" },
  response: { status: 200, body: "" },
  expect,
  ...more,
})
const responseOf = (more: Partial<ChatResponse>): ChatResponse => ({
  id: "r",
  model: "m",
  createdAt: "2026-12-01T00:00:00.000Z",
  content: [],
  stopReason: "stop",
  ...more,
})

describe("a provider's figures", () => {
  const usageOf = (api: string, usage: NonNullable<Expectation["usage"]>) =>
    expectedUsage(cassetteOf({ usage }, { api }))

  it("are counted with what Anthropic counts apart", () => {
    expect(usageOf("anthropic-messages", { input: 4, output: 9, cached: 100, cacheWrite: 20 })).toEqual({
      inputTokens: 124,
      outputTokens: 9,
      cachedInputTokens: 100,
      cacheWriteTokens: 20,
    })
  })

  it("are counted with the reasoning and the tool input that Gemini counts apart", () => {
    const usage = { input: 356, output: 50, total: 2291, reasoning: 280, toolUseInput: 1605 }
    expect(usageOf("gemini-generate", usage)).toEqual({ inputTokens: 1961, outputTokens: 330, reasoningTokens: 280 })
    expect(usageOf("gemini-stream", { input: 15, reasoning: 2 })).toMatchObject({ inputTokens: 15, outputTokens: 2 })
  })

  it("have reasoning apart where the total says so", () => {
    expect(usageOf("openai-chat", { input: 307, output: 26, total: 560, reasoning: 227 })?.outputTokens).toBe(253)
    expect(usageOf("openai-chat", { input: 307, output: 253, total: 560, reasoning: 227 })?.outputTokens).toBe(253)
  })

  it("are none where none were sent", () => {
    expect(usageOf("gemini-generate", {})).toBeUndefined()
  })
})

describe("a provider's word for the end", () => {
  const base = { text: "", thinking: "", toolCalls: [], usage: null }
  it.each([
    ["end_turn", "stop"],
    ["MAX_TOKENS", "length"],
    ["incomplete:max_output_tokens", "length"],
    ["incomplete:content_filter", "content_filter"],
    ["incomplete:something_new", "length"],
    ["SAFETY", "content_filter"],
    ["OTHER", "content_filter"],
    ["NO_IMAGE", "content_filter"],
    ["model_context_window_exceeded", "length"],
    ["MALFORMED_FUNCTION_CALL", "malformed_tool_call"],
    [1, "stop"],
    [2, "length"],
    [null, undefined],
  ] as const)("%s is %s", (stopReason, expected) => {
    expect(expectedStop({ ...base, stopReason })).toBe(expected)
  })

  it("is tool_use where there are calls", () => {
    expect(expectedStop({ ...base, stopReason: "STOP", toolCalls: [{ name: "a", input: {} }] })).toBe("tool_use")
  })
})

describe("an answer", () => {
  const stopped = { stopReason: "stop", text: "Hi" }
  const said = responseOf({ content: [{ type: "text", text: "Hi" }] })
  const problem = (response: ChatResponse, cassette: Cassette, error?: unknown): string | undefined => {
    try {
      checkAnswer({ response, ...(error !== undefined && { error }) }, cassette)
    } catch (caught) {
      expect(caught).toMatchObject({ code: "not_conformant" })
      return (caught as Error).message
    }
    return undefined
  }

  it("that is right has no problem", () => {
    expect(problem(said, cassetteOf(stopped))).toBeUndefined()
    const usage = { inputTokens: 1, outputTokens: 2, timeMs: 3 }
    expect(problem({ ...said, usage }, cassetteOf({ ...stopped, usage: { input: 1, output: 2 } }))).toBeUndefined()
  })

  it("may have free text for a tool in `input`, and what is no JSON in `rawInput`", () => {
    const expected = cassetteOf({ stopReason: "stop", toolCalls: [{ name: "run", input: "print(1)" }] })
    const call = { type: "tool_use", id: "1", name: "run" } as const
    const stopReason = "tool_use" as const
    expect(
      problem(responseOf({ stopReason, content: [{ ...call, input: { input: "print(1)" } }] }), expected),
    ).toBeUndefined()
    const raw = { ...call, input: {}, rawInput: "print(1)" }
    expect(problem(responseOf({ stopReason, content: [raw] }), expected)).toBeUndefined()
    expect(problem(responseOf({ stopReason, content: [{ ...call, input: { text: "print(1)" } }] }), expected)).toMatch(
      /input of/,
    )
  })

  it.each([
    [
      "another text",
      responseOf({ content: [{ type: "text", text: "Ho" }] }),
      stopped,
      /^text: expected "Hi", got "Ho"/,
    ],
    ["another end", { ...said, stopReason: "length" as const }, stopped, /^stopReason for "stop"/],
    [
      "made-up usage",
      { ...said, usage: { inputTokens: 0, outputTokens: 0, timeMs: 1 } },
      stopped,
      /^usage that nobody sent/,
    ],
    ["no usage", said, { ...stopped, usage: { input: 1, output: 1 } }, /^usage is missing/],
    ["no signature", said, { ...stopped, signatures: 1 }, /^opaque data holds 0 of the 1/],
    ["no error", said, { error: { status: 401, message: "no" } }, /did not fail/],
  ])("with %s has one", (_, response, expected, message) => {
    const body = '{"signature":"EqQBCkYIBxgCKkD"}'
    expect(problem(response, cassetteOf(expected, { response: { status: 200, body } }))).toMatch(message)
  })

  it("for which the model asked again has the sum of both figures", () => {
    const usage = { inputTokens: 20, outputTokens: 10, reasoningTokens: 4, timeMs: 3 }
    const response = responseOf({ stopReason: "malformed_tool_call", usage })
    const told = { usage: { input: 10, output: 5 }, stopReason: "MALFORMED_FUNCTION_CALL" }
    const cassette = cassetteOf(told, { response: { status: 200, body: '{"reasoning":2}' } })
    const check = (requests: number) => () => checkAnswer({ response, requests }, cassette)
    expect(check(2)).not.toThrow()
    expect(check(1)).toThrow(/^usage: expected/)
    const once = cassetteOf({ ...told, stopReason: "STOP" }, { response: cassette.response })
    expect(() => checkAnswer({ response: { ...response, stopReason: "stop" }, requests: 2 }, once)).toThrow(/^usage:/)
  })

  it("that could not be read may be an error, which has no figures without a stream", () => {
    const nothing = responseOf({ stopReason: "error" })
    const error = new AgentScopeError({ code: "malformed_response", message: "unreadable", retryable: true })
    const usage = { input: 9, output: 5 }
    for (const stopReason of ["MALFORMED_FUNCTION_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE"]) {
      expect(problem(nothing, cassetteOf({ usage, stopReason }), error), stopReason).toBeUndefined()
      const streamed = cassetteOf({ usage, stopReason }, { categories: ["stream"] })
      expect(problem(nothing, streamed, error), stopReason).toMatch(/^usage is missing/)
    }
    expect(problem(nothing, cassetteOf({ usage, stopReason: "STOP" }), error)).toMatch(/^the call failed/)
    expect(problem(said, cassetteOf({ stopReason: "MALFORMED_RESPONSE", text: "Hi" }), error)).toMatch(
      /^the call failed/,
    )
  })

  it("that failed must have failed as the provider said", () => {
    const error = (code: string, retryable: boolean, details = {}) =>
      new AgentScopeError({ code, message: "acme answered 429: slow down", retryable, details })
    const told = { error: { status: 429, message: "slow down" } }
    const limited = cassetteOf(told, { response: { status: 429, headers: { "Retry-After": "2" }, body: "" } })
    const nothing = responseOf({ stopReason: "error" })
    expect(problem(nothing, limited, error("rate_limited", true, { retryAfterMs: 2000 }))).toBeUndefined()
    expect(problem(nothing, limited, error("rate_limited", true))).toMatch(/retryAfterMs/)
    expect(problem(nothing, limited, error("server_error", true))).toMatch(/expected rate_limited/)
    expect(problem(nothing, limited, error("rate_limited", false))).toMatch(/^retryable/)
    expect(problem(nothing, limited, new TypeError("fetch failed"))).toMatch(/no AgentScopeError/)
  })

  it("that broke off must have the figures that were told before", () => {
    const told = { usage: { input: 12, output: 7 }, error: { status: 200, message: "slow down", midStream: true } }
    const error = new AgentScopeError({ code: "server_error", message: "acme failed: slow down", retryable: true })
    const broken = responseOf({ stopReason: "error" })
    expect(problem(broken, cassetteOf(told), error)).toMatch(/^usage is missing/)
    const usage = { inputTokens: 12, outputTokens: 7, timeMs: 3 }
    expect(problem({ ...broken, usage }, cassetteOf(told), error)).toBeUndefined()
  })
})
