import { AgentScopeError, type JsonObject, replaceAmbient, userMsg } from "@agentscope-ts/message"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { FakeModel, saying } from "./fixtures/fake-model.ts"
import { modelError } from "./errors/model-error.ts"
import { type RetryPolicy, retryDelay } from "./retry-policy.ts"
import type { ChatStreamSink } from "./stream/chat-stream.ts"
import { withRetry } from "./with-retry.ts"

const messages = [userMsg("Hi")]
const limited = (details: JsonObject = {}) => modelError({ code: "rate_limited", message: "slow down", details })
const now = Date.UTC(2026, 11, 1)

let sleeps: number[]
let restore: () => void
beforeEach(() => {
  sleeps = []
  restore = replaceAmbient({
    now: () => now,
    sleep: (ms, signal) => {
      sleeps.push(ms)
      return signal?.aborted ? Promise.reject(signal.reason) : Promise.resolve()
    },
  })
})
afterEach(() => restore())

/** Fails so many times, then answers. */
const failing = (times: number, error: unknown, options = {}) =>
  new FakeModel((request, sink, call) => {
    if (call < times) throw error
    saying("Hello")(request, sink)
  }, options)

describe("FR-10 the wait before a retry", () => {
  test("is what the server asked for", async () => {
    const model = failing(2, limited({ retryAfterMs: 1500 }))
    expect((await model.generate({ messages })).stopReason).toBe("stop")
    expect(sleeps).toEqual([1500, 1500])
  })

  test("above a minute the call fails at once, and says when to come back", async () => {
    const model = failing(1, limited({ status: 429, retryAfterMs: 86_400_000 }))
    const error = await model.generate({ messages }).catch((error: unknown) => error)
    expect(error).toMatchObject({
      code: "rate_limited",
      retryable: true,
      message: "slow down",
      details: { status: 429, retryAt: "2026-12-02T00:00:00.000Z" },
    })
    expect(sleeps).toEqual([])
    expect(model.requests).toHaveLength(1)
  })

  test("a time beyond all calendars is no crash", async () => {
    const model = failing(1, limited({ retryAfterMs: 1e300 }))
    await expect(model.generate({ messages })).rejects.toMatchObject({ code: "rate_limited" })
  })

  test("without a word of the server it doubles, with jitter, up to the cap", () => {
    const policy: RetryPolicy = { maxRetries: 20, initialDelayMs: 1000, maxDelayMs: 10_000 }
    for (const [attempt, least, most] of [
      [0, 750, 1250],
      [1, 1500, 2500],
      [2, 3000, 5000],
      [10, 10_000, 10_000],
    ] as const) {
      const delays = Array.from({ length: 50 }, () => retryDelay(policy, attempt, limited()) ?? 0)
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(least)
      expect(Math.max(...delays)).toBeLessThanOrEqual(most)
      if (least !== most) expect(new Set(delays).size).toBeGreaterThan(5)
    }
  })

  test("is the same again under the same ids, as a tape gives them", () => {
    const delays = [1, 2].map(() => {
      const end = replaceAmbient({ newId: () => "the-recorded-one" })
      const delay = retryDelay({}, 0, limited())
      end()
      return delay
    })
    expect(delays[0]).toBe(delays[1])
  })

  test("is left at once when the signal aborts", async () => {
    const controller = new AbortController()
    const end = replaceAmbient({
      sleep: (_, signal) =>
        new Promise((_, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason), { once: true })
          queueMicrotask(() => controller.abort("enough"))
        }),
    })
    const call = failing(5, limited()).generate({ messages, signal: controller.signal })
    await expect(call).rejects.toMatchObject({ code: "aborted", cause: "enough" })
    end()
  })
})

describe("what is made again", () => {
  test("twice by default, then the last error is thrown", async () => {
    const model = failing(9, limited())
    await expect(model.generate({ messages })).rejects.toMatchObject({ code: "rate_limited" })
    expect(model.requests).toHaveLength(3)
  })

  test("maxRetries of the model counts", async () => {
    const model = failing(9, limited(), { maxRetries: 0 })
    await expect(model.generate({ messages })).rejects.toThrow()
    expect(model.requests).toHaveLength(1)
  })

  test.each<[string, unknown]>([
    ["an error that says it is not retryable", modelError({ code: "authentication", message: "no" })],
    ["an error of the code", new TypeError("bug")],
    ["no error at all", "text"],
  ])("not %s", async (_, error) => {
    const model = failing(9, error)
    await expect(model.generate({ messages })).rejects.toBe(error)
    expect(model.requests).toHaveLength(1)
  })

  test("nothing once the answer has begun", async () => {
    const model = new FakeModel((_, sink) => {
      sink.emit({ type: "text_delta", index: 0, text: "Hel" })
      throw limited()
    })
    await expect(model.stream({ messages }).response).rejects.toMatchObject({ code: "rate_limited" })
    expect(model.requests).toHaveLength(1)
  })

  test("an answer that ended with nothing is", async () => {
    const model = new FakeModel((request, sink, call) => (call === 0 ? undefined : saying("Hello")(request, sink)))
    expect((await model.generate({ messages })).content).toEqual([{ type: "text", text: "Hello" }])
  })

  test("what an attempt said of itself before it failed is forgotten", async () => {
    const model = new FakeModel((request, sink, call) => {
      sink.begin({ id: call === 0 ? "first" : undefined })
      if (call === 0) throw limited()
      saying("Hello")(request, sink)
    })
    expect((await model.generate({ messages })).id).not.toBe("first")
  })

  test.each(["stream", "generate"] as const)("a listener is told of each retry (%s)", async (way) => {
    const told: unknown[] = []
    const model = failing(2, limited({ retryAfterMs: 7 }))
    const sink: ChatStreamSink = { onRetry: (retry) => told.push(retry) }
    await (way === "stream" ? model.stream({ messages }).drive(sink) : model.generate({ messages }, sink))
    const error = { code: "rate_limited", message: "slow down", retryable: true }
    expect(told).toEqual([
      { attempt: 1, delayMs: 7, error },
      { attempt: 2, delayMs: 7, error },
    ])
  })
})

describe("withRetry", () => {
  test("puts its policy in place of the model's own", async () => {
    const model = failing(5, limited())
    const patient = withRetry(model, { maxRetries: 5, initialDelayMs: 10, maxDelayMs: 20 })
    expect((await patient.generate({ messages })).stopReason).toBe("stop")
    expect(sleeps).toHaveLength(5)
    expect(Math.max(...sleeps)).toBeLessThanOrEqual(20)
  })

  test("retryOn decides alone", async () => {
    const model = failing(1, new TypeError("flaky"))
    const patient = withRetry(model, { retryOn: (error) => error instanceof TypeError })
    expect((await patient.stream({ messages }).response).stopReason).toBe("stop")
    const strict = withRetry(failing(1, limited()), { retryOn: () => false })
    await expect(strict.generate({ messages })).rejects.toBeInstanceOf(AgentScopeError)
  })

  test("is the model in everything else", async () => {
    const model = new FakeModel(saying("Hello"), { params: { temperature: 0.5 }, contextWindow: 8000 })
    const same = withRetry(model, {})
    expect(same).toMatchObject({ provider: "fake", model: "fake-1", contextWindow: 8000, params: { temperature: 0.5 } })
    expect(same.formatter).toBe(model.formatter)
    await same.generate({ messages, params: { topP: 0.1 } })
    expect(model.requests[0]?.params).toEqual({ temperature: 0.5, topP: 0.1 })
    expect(await same.countTokens({ messages })).toBe(await model.countTokens({ messages }))
  })
})
