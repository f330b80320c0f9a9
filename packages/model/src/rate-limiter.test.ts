import { getEventListeners } from "node:events"
import { userMsg } from "@agentscope-ts/message"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { modelError } from "./errors/model-error.ts"
import { FakeClock } from "./fixtures/fake-clock.ts"
import { FakeModel, saying } from "./fixtures/fake-model.ts"
import { type Permit, RateLimiter } from "./rate-limiter.ts"
import { withFallback } from "./with-fallback.ts"
import { withRateLimit } from "./with-rate-limit.ts"
import { withRetry } from "./with-retry.ts"

const messages = [userMsg("Hi")]
const limited = (details = {}) => modelError({ code: "rate_limited", message: "slow down", details })

let clock: FakeClock
beforeEach(() => {
  clock = new FakeClock()
})
afterEach(() => clock.restore())

/** Asks so many times at once; says who went when. */
const crowd = (limiter: RateLimiter, count: number, tokens = 0) => {
  const went: { who: number; at: number; permit: Permit }[] = []
  for (let who = 0; who < count; who++) {
    void limiter.acquire(tokens).then((permit) => went.push({ who, at: clock.now, permit }))
  }
  return went
}
const times = (went: readonly { at: number }[]) => went.map(({ at }) => at)

describe("RateLimiter", () => {
  test("lets a minute's worth go at once, then as much as flows back, in order", async () => {
    const went = crowd(new RateLimiter({ requestsPerMinute: 3 }), 6)
    await clock.advance(0)
    expect(times(went)).toEqual([0, 0, 0])
    await clock.advance(60_000)
    expect(times(went)).toEqual([0, 0, 0, 20_000, 40_000, 60_000])
    expect(went.map(({ who }) => who)).toEqual([0, 1, 2, 3, 4, 5])
    expect(clock.sleeping).toBe(0)
  })

  test("counts tokens by estimate, and corrects it by what was really used", async () => {
    const limiter = new RateLimiter({ tokensPerMinute: 6000 })
    const [first] = [await limiter.acquire(6000)]
    const went = crowd(limiter, 2, 1000)
    await clock.advance(0)
    expect(went).toEqual([])
    // five thousand come back: both go
    first.release({ tokens: 1000 })
    first.release({ tokens: 0 })
    await clock.advance(0)
    expect(times(went)).toEqual([0, 0])
    // ten times what was thought: a debt
    went[0]?.permit.release({ tokens: 10_000 })
    const later = crowd(limiter, 1, 1000)
    await clock.advance(100_000)
    expect(times(later)).toEqual([70_000])
  })

  test("a request of more than a minute's worth goes when all of it is there", async () => {
    const limiter = new RateLimiter({ tokensPerMinute: 100 })
    const went = crowd(limiter, 2, 1000)
    await clock.advance(600_000)
    expect(times(went)).toEqual([0, 600_000])
  })

  test("keeps a number of places, and gives one that comes free to who waited longest", async () => {
    const limiter = new RateLimiter({ maxConcurrent: 2 })
    const went = crowd(limiter, 4)
    await clock.advance(1000)
    expect(went.map(({ who }) => who)).toEqual([0, 1])
    went[1]?.permit.release()
    await clock.advance(0)
    expect(went.map(({ who }) => who)).toEqual([0, 1, 2])
    expect(limiter.waiting).toBe(1)
  })

  test("who waits can leave at any time, and nothing stays behind", async () => {
    const limiter = new RateLimiter({ requestsPerMinute: 1 })
    await limiter.acquire()
    const controller = new AbortController()
    const waits = [0, 1, 2].map(() => limiter.acquire(0, controller.signal))
    const outcome = Promise.allSettled(waits)
    const patient = crowd(limiter, 1)
    controller.abort("enough")
    expect(await outcome).toEqual([0, 1, 2].map(() => ({ status: "rejected", reason: "enough" })))
    await expect(limiter.acquire(0, controller.signal)).rejects.toBe("enough")
    expect(limiter.waiting).toBe(1)
    await clock.advance(60_000)
    expect(times(patient)).toEqual([60_000])
    expect([limiter.waiting, clock.sleeping]).toEqual([0, 0])
  })

  test("a signal has no listener left once its request may go", async () => {
    const limiter = new RateLimiter({ requestsPerMinute: 60 })
    const { signal } = new AbortController()
    for (let i = 0; i < 50; i++) (await limiter.acquire(0, signal)).release()
    expect(getEventListeners(signal, "abort")).toHaveLength(0)
  })

  test("after a 429 everybody waits for as long as the provider asked", async () => {
    const limiter = new RateLimiter()
    const permit = await limiter.acquire()
    permit.release({ error: limited({ retryAfterMs: 3000 }) })
    const went = crowd(limiter, 2)
    await clock.advance(10_000)
    expect(times(went)).toEqual([3000, 3000])
  })

  test("a pause of hours makes all calls fail at once", async () => {
    const limiter = new RateLimiter({ maxConcurrent: 1 })
    const permit = await limiter.acquire()
    const waiting = limiter.acquire()
    permit.release({ error: limited({ retryAfterMs: 86_400_000 }) })
    for (const call of [waiting, limiter.acquire()]) {
      await expect(call).rejects.toMatchObject({ code: "rate_limited", details: { retryAfterMs: 86_400_000 } })
    }
    await clock.advance(86_400_000)
    await limiter.acquire()
  })

  test("a 429 without a time halves the rate, once for all that were under way, and it comes back slowly", async () => {
    const limiter = new RateLimiter({ requestsPerMinute: 60 })
    const underWay = await Promise.all([0, 1, 2].map(() => limiter.acquire()))
    for (const permit of underWay) permit.release({ error: limited() })
    const slow = crowd(limiter, 3)
    await clock.advance(20_000)
    expect(times(slow)).toEqual([2000, 4000, 6000])
    // each success gives back a twentieth: eleven are enough for the half that is lacking
    await clock.advance(120_000)
    for (const { permit } of slow) permit.release()
    for (let i = 0; i < 8; i++) (await limiter.acquire()).release()
    const rate = crowd(limiter, 70)
    await clock.advance(60_000)
    const [before, last] = times(rate).slice(-2)
    expect((last ?? 0) - (before ?? 0)).toBe(1000)
  })

  test.each([0, -1, "3"])("a limit of %s is a mistake that is told", (limit) => {
    expect(() => new RateLimiter({ requestsPerMinute: limit as number })).toThrow(/requestsPerMinute is .*above 0/)
  })
})

describe("withRateLimit", () => {
  test("is shared by models, and retries wait for their turn as well", async () => {
    const limiter = new RateLimiter({ requestsPerMinute: 2 })
    const at: number[] = []
    const flaky = new FakeModel((request, sink, call) => {
      at.push(clock.now)
      if (call === 0) throw modelError({ code: "overloaded", message: "busy", details: { retryAfterMs: 10 } })
      saying("Hello")(request, sink)
    })
    const steady = new FakeModel((request, sink) => {
      at.push(clock.now)
      saying("Hello")(request, sink)
    })
    const retries: number[] = []
    const calls = [
      withRateLimit(flaky, limiter)
        .stream({ messages })
        .drive({ onRetry: ({ attempt }) => retries.push(attempt) }),
      withRateLimit(steady, limiter).generate({ messages }),
    ]
    await clock.advance(60_000)
    expect((await Promise.all(calls)).map(({ stopReason }) => stopReason)).toEqual(["stop", "stop"])
    expect(at).toEqual([0, 0, 30_000])
    expect(retries).toEqual([1])
  })

  test("a 429 of one model holds up the others, and its own retry", async () => {
    const limiter = new RateLimiter()
    const at: number[] = []
    const model = (fails: boolean) =>
      new FakeModel((request, sink, call) => {
        at.push(clock.now)
        if (fails && call === 0) throw limited({ retryAfterMs: 5000 })
        saying("Hello")(request, sink)
      })
    const first = withRateLimit(model(true), limiter).generate({ messages })
    await clock.advance(1000)
    const second = withRateLimit(model(false), limiter).generate({ messages })
    await clock.advance(10_000)
    await Promise.all([first, second])
    expect(at).toEqual([0, 5000, 5000])
  })

  test("tokens are estimated from the request and corrected by the answer", async () => {
    const limiter = new RateLimiter({ tokensPerMinute: 10_000 })
    const model = withRateLimit(
      new FakeModel((_, sink) => sink.finish({ stopReason: "stop", usage: { inputTokens: 20, outputTokens: 9 } })),
      limiter,
    )
    const long = [userMsg("x".repeat(36_000))]
    const calls = [0, 1, 2].map(() => model.generate({ messages: long, params: { maxTokens: 100 } }))
    await clock.advance(0)
    // each was thought to need nearly all, and took next to nothing
    expect((await Promise.all(calls)).length).toBe(3)
    expect(clock.now).toBe(0)
  })

  test("an answer that is asked for again counts as a request of its own", async () => {
    const limiter = new RateLimiter({ requestsPerMinute: 1 })
    const model = new FakeModel((request, sink, call) => saying(call === 0 ? "no" : "{}")(request, sink))
    const call = withRateLimit(model, limiter).generate({ messages, schema: { type: "object" } })
    await clock.advance(30_000)
    expect(model.requests).toHaveLength(1)
    await clock.advance(30_000)
    expect((await call).structured).toEqual({})
  })

  test("a call that waits can be aborted, and takes no place", async () => {
    const limiter = new RateLimiter({ maxConcurrent: 1 })
    const permit = await limiter.acquire()
    const model = withRetry(withRateLimit(new FakeModel(saying("Hello")), limiter), {})
    const controller = new AbortController()
    const call = model.stream({ messages, signal: controller.signal })
    const failed = expect(call.response).rejects.toMatchObject({ code: "aborted", cause: "enough" })
    await clock.advance(0)
    controller.abort("enough")
    await failed
    expect(call.partial().stopReason).toBe("interrupted")
    expect(limiter.waiting).toBe(0)
    permit.release()
    expect((await model.generate({ messages })).stopReason).toBe("stop")
  })

  test("of models in a fallback each keeps to its own limiter", async () => {
    const [first, second] = [new RateLimiter({ maxConcurrent: 1 }), new RateLimiter({ maxConcurrent: 1 })]
    const down = new FakeModel(() => {
      throw modelError({ code: "authentication", message: "no" })
    })
    const model = withFallback([withRateLimit(down, first), withRateLimit(new FakeModel(saying("Hello")), second)])
    for (let i = 0; i < 3; i++) expect((await model.generate({ messages })).stopReason).toBe("stop")
    // all places are free again
    await Promise.all([first.acquire(), second.acquire()])
  })
})
