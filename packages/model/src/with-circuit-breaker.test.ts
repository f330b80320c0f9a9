import { userMsg } from "@agentscope-ts/message"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { ChatModel } from "./chat-model.ts"
import { modelError, type ModelErrorCode } from "./errors/model-error.ts"
import { FakeClock } from "./fixtures/fake-clock.ts"
import { FakeModel, hanging, saying } from "./fixtures/fake-model.ts"
import { RateLimiter } from "./rate-limiter.ts"
import { withCircuitBreaker } from "./with-circuit-breaker.ts"
import { withFallback } from "./with-fallback.ts"
import { withRateLimit } from "./with-rate-limit.ts"
import { withRetry } from "./with-retry.ts"

const messages = [userMsg("Hi")]
let clock: FakeClock
beforeEach(() => {
  clock = new FakeClock()
})
afterEach(() => clock.restore())

/** Does what the test sets at the moment; does not retry. */
class Moody extends FakeModel {
  mood: ModelErrorCode | "well" | "hangs" = "overloaded"

  constructor() {
    super(
      (request, sink, call) => {
        if (this.mood === "hangs") return hanging()(request, sink, call)
        if (this.mood !== "well") throw modelError({ code: this.mood, message: `${this.mood}!` })
        return saying("Hello")(request, sink)
      },
      { maxRetries: 0 },
    )
  }
}
const codeOf = (model: ChatModel, signal?: AbortSignal) =>
  model.generate({ messages, signal }).then(
    () => "well",
    (error: { code: string }) => error.code,
  )
/** Opened by two failures, at time 0. */
const opened = async () => {
  const moody = new Moody()
  const model = withCircuitBreaker(moody, { failures: 2, coolDownMs: 1000 })
  for (const code of ["overloaded", "overloaded", "circuit_open"]) expect(await codeOf(model)).toBe(code)
  return { moody, model }
}

describe("withCircuitBreaker", () => {
  test("opens after failures in a row, and says when to come back", async () => {
    const { moody, model } = await opened()
    expect(moody.requests).toHaveLength(2)
    await clock.advance(400)
    const stream = model.stream({ messages })
    await expect(stream.response).rejects.toMatchObject({
      code: "circuit_open",
      retryable: true,
      details: { retryAfterMs: 600 },
      message: expect.stringContaining("fake/fake-1 has failed 2 times in a row"),
    })
    expect(stream.partial().stopReason).toBe("error")
    expect(moody.requests).toHaveLength(2)
  })

  test("by default after five, for half a minute", async () => {
    const moody = new Moody()
    const model = withCircuitBreaker(moody)
    for (let i = 0; i < 7; i++) await codeOf(model)
    expect(moody.requests).toHaveLength(5)
    await clock.advance(29_999)
    expect(await codeOf(model)).toBe("circuit_open")
    await clock.advance(1)
    expect(await codeOf(model)).toBe("overloaded")
  })

  test("then one call probes, and all others wait for what comes of it", async () => {
    const { moody, model } = await opened()
    await clock.advance(1000)
    moody.mood = "hangs"
    const controller = new AbortController()
    const probe = codeOf(model, controller.signal)
    expect([await codeOf(model), await codeOf(model)]).toEqual(["circuit_open", "circuit_open"])
    expect(moody.requests).toHaveLength(3)
    // a probe that was given up says nothing: the next one may try
    controller.abort()
    expect(await probe).toBe("aborted")
    moody.mood = "well"
    expect([await codeOf(model), await codeOf(model)]).toEqual(["well", "well"])
    moody.mood = "overloaded"
    expect([await codeOf(model), await codeOf(model), await codeOf(model)]).toEqual([
      "overloaded",
      "overloaded",
      "circuit_open",
    ])
  })

  test("a probe that fails opens it again at once", async () => {
    const { moody, model } = await opened()
    await clock.advance(1000)
    expect([await codeOf(model), await codeOf(model)]).toEqual(["overloaded", "circuit_open"])
    await clock.advance(1000)
    // the server answers, whatever it says
    moody.mood = "invalid_request"
    expect([await codeOf(model), await codeOf(model)]).toEqual(["invalid_request", "invalid_request"])
  })

  test.each<ModelErrorCode>([
    "invalid_request",
    "context_overflow",
    "authentication",
    "quota_exceeded",
    "rate_limited",
  ])("%s does not count: it says nothing of the model's health", async (code) => {
    const moody = new Moody()
    moody.mood = code
    const model = withCircuitBreaker(moody, { failures: 1 })
    for (let i = 0; i < 3; i++) expect(await codeOf(model)).toBe(code)
  })

  test("an answer that does not fit its schema does not count either; a success begins the count anew", async () => {
    const moody = new Moody()
    const model = withCircuitBreaker(moody, { failures: 2 })
    moody.mood = "well"
    for (let i = 0; i < 3; i++) {
      await expect(model.generate({ messages, schema: { type: "object" } })).rejects.toMatchObject({
        code: "malformed_response",
      })
    }
    for (const mood of ["network", "well", "network", "well", "timeout"] as const) {
      moody.mood = mood
      expect(await codeOf(model)).toBe(mood)
    }
  })

  test("in a fallback the next model is asked at once", async () => {
    const { moody, model } = await opened()
    const spare = new FakeModel(saying("Hello"), { model: "spare" })
    expect((await withFallback([model, spare]).generate({ messages })).model).toBe("spare")
    expect(moody.requests).toHaveLength(2)
  })

  test("withRetry around it waits for it, and says so", async () => {
    const { moody, model } = await opened()
    moody.mood = "well"
    const retries: unknown[] = []
    const call = withRetry(model, { maxRetries: 1 })
      .stream({ messages })
      .drive({ onRetry: ({ delayMs, error }) => retries.push([delayMs, error.code]) })
    await clock.advance(1000)
    expect((await call).stopReason).toBe("stop")
    expect(retries).toEqual([[1000, "circuit_open"]])
    const controller = new AbortController()
    moody.mood = "overloaded"
    await codeOf(model)
    await codeOf(model)
    const left = codeOf(withRetry(model, {}), controller.signal)
    await clock.advance(10)
    controller.abort()
    expect(await left).toBe("aborted")
    expect(clock.sleeping).toBe(0)
  })
})

describe("wrappers in any order", () => {
  const limiter = new RateLimiter({ maxConcurrent: 1 })
  const orders: [string, (model: ChatModel) => ChatModel][] = [
    ["the model itself", (model) => model],
    ["retry", (model) => withRetry(model, { maxRetries: 3 })],
    ["limit", (model) => withRateLimit(model, limiter)],
    ["breaker", (model) => withCircuitBreaker(model)],
    ["fallback", (model) => withFallback([model, new FakeModel(saying("never"), { model: "spare" })])],
    ["retry(limit(breaker))", (model) => withRetry(withRateLimit(withCircuitBreaker(model), limiter), {})],
    ["breaker(retry(limit))", (model) => withCircuitBreaker(withRetry(withRateLimit(model, limiter), {}))],
    ["limit(fallback(breaker))", (model) => withRateLimit(withFallback([withCircuitBreaker(model)]), limiter)],
    ["retry(retry(retry))", (model) => withRetry(withRetry(withRetry(model, {}), {}), {})],
  ]

  test.each(orders)(
    "%s: nothing is asked again after visible output, and the error comes as it was",
    async (_, wrap) => {
      const model = new FakeModel((_, sink) => {
        sink.emit({ type: "text_delta", index: 0, text: "Hel" })
        throw modelError({ code: "overloaded", message: "broke off" })
      })
      const told: string[] = []
      const stream = wrap(model).stream({ messages })
      const call = stream.drive({ onDelta: ({ type }) => told.push(type), onRetry: () => told.push("retry") })
      await expect(call).rejects.toMatchObject({ code: "overloaded", message: "broke off" })
      expect(told).toEqual(["text_delta"])
      expect(model.requests).toHaveLength(1)
      expect(stream.partial()).toMatchObject({ stopReason: "error", content: [{ text: "Hel" }] })
    },
  )

  test.each(orders)("%s: before it retries are made and told, a warning passes once", async (_, wrap) => {
    const model = new FakeModel((request, sink, call) => {
      sink.warn("unsupported_param", "w")
      if (call === 0) throw modelError({ code: "overloaded", message: "busy", details: { retryAfterMs: 1 } })
      saying("Hello")(request, sink)
    })
    const told: string[] = []
    const call = wrap(model)
      .stream({ messages })
      .drive({ onRetry: ({ attempt }) => told.push(`retry ${attempt}`), onWarning: ({ code }) => told.push(code) })
    await clock.advance(10)
    expect((await call).content).toEqual([{ type: "text", text: "Hello" }])
    expect(told).toEqual(["unsupported_param", "retry 1"])
  })

  test.each(orders)(
    "%s: an answer that does not fit is asked for again once, and the listener is told",
    async (_, wrap) => {
      const model = new FakeModel((request, sink, call) => saying(call === 0 ? "no" : "{}")(request, sink))
      const told: string[] = []
      const response = await wrap(model)
        .stream({ messages, schema: { type: "object" } })
        .drive({ onDelta: (delta) => told.push(delta.type), onRetry: () => told.push("retry") })
      expect(response.structured).toEqual({})
      expect(told).toEqual(["text_delta", "block_end", "retry", "text_delta", "block_end"])
    },
  )
})
