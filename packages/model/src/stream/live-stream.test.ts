import { execFile } from "node:child_process"
import { getEventListeners } from "node:events"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { AgentScopeError, userMsg } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { FakeModel, hanging, saying } from "../fixtures/fake-model.ts"

const messages = [userMsg("Hi")]
const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length

async function drain<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = []
  for await (const item of stream) seen.push(item)
  return seen
}

describe("one call, three ways to read it", () => {
  test("nothing is sent until the stream is used", async () => {
    const model = new FakeModel(saying("Hello"))
    const stream = model.stream({ messages })
    expect(stream.partial()).toMatchObject({ content: [], stopReason: "interrupted" })
    await Promise.resolve()
    expect(model.requests).toHaveLength(0)
    await stream.response
    expect(model.requests).toHaveLength(1)
  })

  test("for await gives the deltas, and the response is there afterwards without another request", async () => {
    const model = new FakeModel(saying("Hel", "lo"))
    const stream = model.stream({ messages })
    const seen = await drain(stream)
    expect(seen.map(({ type }) => type)).toEqual(["text_delta", "text_delta", "block_end"])
    const response = await stream.response
    expect(response).toMatchObject({ model: "fake-1", stopReason: "stop", content: [{ type: "text", text: "Hello" }] })
    expect(stream.partial().stopReason).toBe("stop")
    expect(model.requests).toHaveLength(1)
  })

  test("the response alone drives the stream, and is always the same promise", async () => {
    const stream = new FakeModel(saying("Hello")).stream({ messages })
    expect(stream.response).toBe(stream.response)
    expect((await stream.response).content).toEqual([{ type: "text", text: "Hello" }])
  })

  test("drive tells everything synchronously and resolves to the response", async () => {
    const stream = new FakeModel((_, sink) => {
      sink.emit({ type: "tool_use_start", index: 0, id: "c", name: "t" })
      sink.finish({ stopReason: "tool_use" })
    }).stream({ messages })
    const seen: string[] = []
    const response = await stream.drive({
      onDelta: ({ type }) => seen.push(type),
      onToolUse: ({ id }) => seen.push(id),
    })
    expect(seen).toEqual(["tool_use_start", "block_end", "c"])
    expect(await stream.response).toBe(response)
  })

  test("what the listener of drive throws fails the call and is not retried", async () => {
    const model = new FakeModel(saying("Hello"))
    const thrown = new TypeError("mine")
    const driven = model.stream({ messages }).drive({
      onDelta: () => {
        throw thrown
      },
    })
    await expect(driven).rejects.toBe(thrown)
    expect(model.requests).toHaveLength(1)
  })

  test("a consumer may come after the response was asked for: it hears everything", async () => {
    const stream = new FakeModel(saying("Hel", "lo")).stream({ messages })
    const { response } = stream
    const text = (await drain(stream)).map((delta) => (delta.type === "text_delta" ? delta.text : "")).join("")
    expect(text).toBe("Hello")
    await response
    const late = new FakeModel(saying("Hel", "lo")).stream({ messages })
    await late.response
    expect((await drain(late)).map(({ type }) => type)).toEqual(["text_delta", "block_end"])
  })

  test("a second consumer is refused with stream_consumed", async () => {
    const stream = new FakeModel(saying("Hello")).stream({ messages })
    await drain(stream)
    expect(() => stream[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: "stream_consumed" }))
    expect(() => stream.drive({})).toThrow(/read once/)
    await expect(drain(stream.snapshots())).rejects.toMatchObject({ code: "stream_consumed" })
  })
})

describe("snapshots", () => {
  test("each holds all that had come with its delta, no stop reason, and the last one the usage", async () => {
    const stream = new FakeModel((_, sink) => {
      sink.begin({ id: "r1" })
      sink.emit({ type: "text_delta", index: 0, text: "Hel" })
      sink.emit({ type: "text_delta", index: 0, text: "lo" })
      sink.emit({ type: "tool_use_start", index: 1, id: "c", name: "t" })
      sink.emit({ type: "tool_use_delta", index: 1, id: "c", json: '{"city":"北' })
      sink.emit({ type: "tool_use_delta", index: 1, id: "c", json: '京"}' })
      sink.finish({ stopReason: "tool_use", usage: { inputTokens: 1, outputTokens: 2 } })
    }).stream({ messages })
    const seen = await drain(stream.snapshots())
    expect(seen.every((snapshot) => snapshot.id === "r1" && !("stopReason" in snapshot))).toBe(true)
    expect(
      seen.map(({ content }) =>
        content.map((block) => ("text" in block ? block.text : "input" in block && block.input)),
      ),
    ).toEqual([
      ["Hel"],
      ["Hello"],
      ["Hello"],
      ["Hello", {}],
      ["Hello", { city: "北" }],
      ["Hello", { city: "北京" }],
      ["Hello", { city: "北京" }],
      ["Hello", { city: "北京" }],
    ])
    expect(seen.slice(0, -1).every(({ usage }) => usage === undefined)).toBe(true)
    expect(seen.at(-1)?.usage).toMatchObject({ inputTokens: 1, outputTokens: 2 })
    expect(seen.at(-1)?.content).toEqual((await stream.response).content)
  })

  test("leaving them early aborts the request", async () => {
    const model = new FakeModel(hanging())
    for await (const _ of model.stream({ messages }).snapshots()) break
    expect(model.requests[0]?.signal?.aborted).toBe(true)
  })
})

describe("abort and failure", () => {
  test.each([false, true])(
    "FR-12 after an abort every promise settles at once and the iterator ends (provider deaf: %s)",
    async (deaf) => {
      const controller = new AbortController()
      const stream = new FakeModel(hanging(deaf)).stream({ messages, signal: controller.signal })
      const iterator = stream[Symbol.asyncIterator]()
      expect((await iterator.next()).value).toMatchObject({ text: "Hel" })
      const next = iterator.next()
      controller.abort("changed my mind")
      await expect(next).rejects.toMatchObject({ code: "aborted", cause: "changed my mind" })
      await expect(stream.response).rejects.toMatchObject({ code: "aborted", retryable: false })
      expect((await iterator.next()).done).toBe(true)
      expect(stream.partial()).toMatchObject({ stopReason: "interrupted", content: [{ type: "text", text: "Hel" }] })
      expect(listeners(controller.signal)).toBe(0)
    },
  )

  test("FR-12 an error inside the stream reaches iterator and response, and the partial answer is kept", async () => {
    const failure = new AgentScopeError({ code: "overloaded", message: "Overloaded", retryable: true })
    const stream = new FakeModel((_, sink) => {
      sink.emit({ type: "text_delta", index: 0, text: "Hel" })
      throw failure
    }).stream({ messages })
    await expect(drain(stream)).rejects.toBe(failure)
    await expect(stream.response).rejects.toBe(failure)
    expect(stream.partial()).toMatchObject({ stopReason: "error", content: [{ type: "text", text: "Hel" }] })
  })

  test("a stream that ends without saying how is malformed, retryable, and keeps its partial answer", async () => {
    const stream = new FakeModel((_, sink) => sink.emit({ type: "text_delta", index: 0, text: "Hel" })).stream({
      messages,
    })
    await expect(stream.response).rejects.toMatchObject({ code: "malformed_response", retryable: true })
    expect(stream.partial().content).toEqual([{ type: "text", text: "Hel" }])
  })

  test("a connection that breaks after the answer is complete loses nothing", async () => {
    const model = new FakeModel((request, sink) => {
      saying("Hello")(request, sink)
      throw new AgentScopeError({ code: "network", message: "reset" })
    })
    expect((await model.generate({ messages })).stopReason).toBe("stop")
  })

  test("a signal that is aborted already sends nothing", async () => {
    const model = new FakeModel(saying("Hello"))
    const signal = AbortSignal.abort()
    await expect(model.generate({ messages, signal })).rejects.toMatchObject({ code: "aborted" })
    await expect(drain(model.stream({ messages, signal }))).rejects.toMatchObject({ code: "aborted" })
    expect(model.requests).toHaveLength(0)
  })

  test("leaving a for await early aborts the request and releases the caller's signal", async () => {
    const controller = new AbortController()
    const model = new FakeModel(hanging())
    const stream = model.stream({ messages, signal: controller.signal })
    for await (const _ of stream) break
    expect(model.requests[0]?.signal?.aborted).toBe(true)
    await expect(stream.response).rejects.toMatchObject({ code: "aborted" })
    expect(controller.signal.aborted).toBe(false)
    expect(listeners(controller.signal)).toBe(0)
  })

  test("FR-11 fifty calls of each kind on one signal leave no listener and never hold more than one", async () => {
    const { signal } = new AbortController()
    let most = 0
    const model = new FakeModel((request, sink) => {
      most = Math.max(most, listeners(signal))
      saying("Hello")(request, sink)
    })
    for (let i = 0; i < 50; i++) {
      await model.generate({ messages, signal })
      await model.stream({ messages, signal }).response
      await drain(model.stream({ messages, signal }))
      await model.stream({ messages, signal }).drive({})
      expect(listeners(signal)).toBe(0)
    }
    await Promise.all(Array.from({ length: 50 }, () => drain(model.stream({ messages, signal }))))
    expect(listeners(signal)).toBe(0)
    expect(most).toBe(1)
  })
})

test("FR-12 a failure observed anywhere raises no unhandled rejection, one that nobody observes raises one", async () => {
  const script = fileURLToPath(new URL("../fixtures/unhandled-rejections.ts", import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=@agentscope-ts/source", script])
  expect(JSON.parse(stdout)).toEqual({
    "awaited response": 0,
    "iterated only": 0,
    "iterated, response handed out": 0,
    "iterated, response awaited later": 0,
    "driven and response": 0,
    "left early": 0,
    "left early, response handed out": 0,
    "aborted while iterated": 0,
    "aborted, deaf provider": 0,
    snapshots: 0,
    "response never awaited": 1,
    "drive never awaited": 1,
    "generate never awaited": 1,
  })
})
