import { AgentScopeError, replaceAmbient, userMsg } from "@agentscope-ts/message"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { modelError, type ModelErrorCode } from "./errors/model-error.ts"
import { FakeModel, hanging, saying } from "./fixtures/fake-model.ts"
import { withFallback } from "./with-fallback.ts"
import { withRetry } from "./with-retry.ts"

const messages = [userMsg("Hi")]
let now = 0
let restore: () => void
beforeEach(() => {
  now = 0
  restore = replaceAmbient({ now: () => now, sleep: () => Promise.resolve() })
})
afterEach(() => restore())

const down = (code: ModelErrorCode = "overloaded", details = {}) =>
  new FakeModel(
    () => {
      throw modelError({ code, message: `primary is ${code}`, details })
    },
    { provider: "first", model: "big" },
  )
const up = () => new FakeModel(saying("Hello"), { provider: "second", model: "small" })

describe("withFallback", () => {
  test("asks the next model when one has used up its retries, and says which one answered", async () => {
    const [primary, spare] = [down(), up()]
    const model = withFallback([primary, spare])
    expect(model).toMatchObject({ provider: "first", model: "big" })
    const response = await model.generate({ messages })
    expect(response).toMatchObject({ model: "small", content: [{ type: "text", text: "Hello" }] })
    expect([primary.requests.length, spare.requests.length]).toEqual([3, 1])
  })

  test("streams, and warns the listener of a driven stream", async () => {
    const warnings: unknown[] = []
    const stream = withFallback([down(), up()]).stream({ messages })
    const response = await stream.drive({ onWarning: (warning) => warnings.push(warning) })
    expect(response.model).toBe("small")
    expect(warnings).toEqual([
      { code: "model_fallback", message: "first/big failed (overloaded): second/small is asked instead." },
    ])
  })

  test("a model that is down does not use up its retries at every step", async () => {
    const [primary, spare] = [down(), up()]
    const model = withFallback([primary, spare])
    for (let step = 0; step < 5; step++) await model.generate({ messages })
    expect([primary.requests.length, spare.requests.length]).toEqual([3, 5])
    now += 60_001
    await model.generate({ messages })
    expect(primary.requests.length).toBe(6)
  })

  test("a request that the caller does not let through is no failure: nobody else is asked, and nobody rests", async () => {
    const [primary, spare] = [new FakeModel(saying("Hi")), up()]
    const model = withFallback([primary, spare])
    const refusal = new AgentScopeError({ code: "budget_exceeded", message: "Nothing is left." })
    const closed = { enter: () => Promise.reject(refusal) }
    await expect(model.stream({ messages }).drive({ gate: closed })).rejects.toBe(refusal)
    expect([primary.requests.length, spare.requests.length]).toEqual([0, 0])
    await model.generate({ messages })
    expect([primary.requests.length, spare.requests.length]).toEqual([1, 0])
  })

  test("it rests for as long as its provider asked", async () => {
    const primary = down("rate_limited", { retryAfterMs: 600_000 })
    const model = withFallback([primary, up()])
    await model.generate({ messages })
    now += 599_999
    await model.generate({ messages })
    expect(primary.requests.length).toBe(1)
    now += 2
    await model.generate({ messages })
    expect(primary.requests.length).toBe(2)
  })

  test("it rests for a minute also where its provider asked for a second, whose retries are spent", async () => {
    const primary = down("rate_limited", { retryAfterMs: 1000 })
    const model = withFallback([primary, up()])
    for (let step = 0; step < 4; step++) {
      await model.generate({ messages })
      now += 1100
    }
    expect(primary.requests.length).toBe(3)
    now += 60_000
    await model.generate({ messages })
    expect(primary.requests.length).toBe(6)
  })

  test("a failure of one request is not remembered", async () => {
    const primary = down("context_overflow")
    const model = withFallback([primary, up()])
    await model.generate({ messages })
    await model.generate({ messages })
    expect(primary.requests.length).toBe(2)
  })

  test("an answer that does not fit the schema is thrown, and says nothing of the model's health", async () => {
    const [primary, spare] = [new FakeModel(saying("no JSON")), up()]
    const model = withFallback([primary, spare])
    const schema = { type: "object" }
    for (const requests of [2, 4]) {
      await expect(model.generate({ messages, schema })).rejects.toMatchObject({ code: "malformed_response" })
      expect([primary.requests.length, spare.requests.length]).toEqual([requests, 0])
    }
  })

  test("a model that works again is asked first again", async () => {
    let broken = true
    const primary = new FakeModel((request, sink) => {
      if (broken) throw modelError({ code: "authentication", message: "no" })
      saying("Better")(request, sink)
    })
    const model = withFallback([primary, up()])
    await model.generate({ messages })
    broken = false
    now += 60_001
    expect((await model.generate({ messages })).model).toBe("fake-1")
    expect((await model.generate({ messages })).model).toBe("fake-1")
  })

  test("resting models are asked last when all others fail", async () => {
    let spareIsUp = true
    const primary = down()
    const spare = new FakeModel((request, sink) => {
      if (!spareIsUp) throw modelError({ code: "authentication", message: "no" })
      saying("Hello")(request, sink)
    })
    const model = withFallback([primary, spare])
    await model.generate({ messages })
    spareIsUp = false
    await expect(model.generate({ messages })).rejects.toMatchObject({ code: "overloaded" })
    expect(primary.requests.length).toBe(6)
  })

  test("not once something of the answer was seen", async () => {
    const spare = up()
    const primary = new FakeModel((_, sink) => {
      sink.emit({ type: "text_delta", index: 0, text: "Hel" })
      throw modelError({ code: "network", message: "reset" })
    })
    const stream = withFallback([primary, spare]).stream({ messages })
    await expect(stream.response).rejects.toMatchObject({ code: "network" })
    expect(stream.partial().content).toEqual([{ type: "text", text: "Hel" }])
    expect(spare.requests).toHaveLength(0)
  })

  test("not when the caller gave up", async () => {
    const controller = new AbortController()
    const spare = up()
    const stream = withFallback([new FakeModel(hanging()), spare]).stream({ messages, signal: controller.signal })
    const iterator = stream[Symbol.asyncIterator]()
    await iterator.next()
    controller.abort()
    await expect(iterator.next()).rejects.toMatchObject({ code: "aborted" })
    expect(spare.requests).toHaveLength(0)
  })

  test("when all fail the error tells of each, with the code of the last", async () => {
    const model = withFallback([down(), down("authentication")])
    await expect(model.generate({ messages })).rejects.toMatchObject({
      code: "authentication",
      retryable: false,
      message: "All 2 models failed. first/big: primary is overloaded first/big: primary is authentication",
    })
    await expect(withFallback([down("not_found")]).generate({ messages })).rejects.toThrow("primary is not_found")
  })

  test("each model gets the history in its own dialect", async () => {
    const dialect = (pattern: RegExp) => ({ provider: "p", toolCallId: { pattern } })
    const primary = new FakeModel(
      () => {
        throw modelError({ code: "authentication", message: "no" })
      },
      { dialect: dialect(/^\S+$/) },
    )
    const spare = new FakeModel(saying("Hello"), { dialect: dialect(/^\w+$/) })
    const call = { type: "tool_use", id: "a:1", name: "t", input: {} } as const
    await withFallback([primary, spare]).generate({
      messages: [{ ...userMsg("x"), role: "assistant", content: [call] }],
    })
    expect(primary.requests[0]?.messages[0]?.content[0]).toBe(call)
    expect(spare.requests[0]?.messages[0]?.content[0]).toMatchObject({ id: expect.stringMatching(/^\w+$/) })
  })

  test("withRetry around it gives every model the policy", async () => {
    const [primary, spare] = [down(), up()]
    await withRetry(withFallback([primary, spare]), { maxRetries: 0 }).generate({ messages })
    expect(primary.requests.length).toBe(1)
  })
})
