import { afterEach, expect, expectTypeOf, test } from "vitest"
import { SpanStatusCode } from "@opentelemetry/api"
import { recordSpans } from "./fixtures/record-spans.ts"
import { agentScope, setCaptureContent, startSpan, traced } from "./index.ts"

afterEach(() => setCaptureContent(false))

test("a function keeps its arguments, result, this and type", async () => {
  await using recording = await recordSpans()
  const counter = {
    base: 10,
    add: traced("add", function (this: { base: number }, a: number, b: number) {
      return this.base + a + b
    }),
  }
  expect(counter.add(1, 2)).toBe(13)
  expectTypeOf(counter.add).returns.toEqualTypeOf<number>()
  expectTypeOf(traced("x", async (text: string) => text.length)).toEqualTypeOf<
    (this: unknown, text: string) => Promise<number>
  >()
  expect(recording.named("add").attributes).toEqual({ [agentScope.functionName]: "add" })
})

test("input and output are recorded only where content is", async () => {
  await using recording = await recordSpans()
  const greet = traced("greet", async (who: string) => `hello ${who}`)
  setCaptureContent(true)
  await greet("Ann")
  const circular: Record<string, unknown> = {}
  circular["self"] = circular
  traced("circular", (value: unknown) => value)(circular)
  expect(recording.named("greet").attributes).toMatchObject({
    [agentScope.functionInput]: '["Ann"]',
    [agentScope.functionOutput]: '"hello Ann"',
  })
  expect(recording.named("circular").attributes).toEqual({ [agentScope.functionName]: "circular" })
})

test("the span of a promise ends when it settles; failures are kept and thrown on", async () => {
  await using recording = await recordSpans()
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = traced("slow", async () => {
    await gate
    throw new RangeError("no")
  })()
  expect(recording.spans()).toEqual([])
  release()
  await expect(slow).rejects.toThrow(new RangeError("no"))
  expect(recording.named("slow").status).toEqual({ code: SpanStatusCode.ERROR })

  const sync = traced("sync", () => {
    throw new TypeError("bad")
  })
  expect(sync).toThrow(new TypeError("bad"))
  expect(recording.named("sync").status.code).toBe(SpanStatusCode.ERROR)
})

test("what a function opens becomes its child", async () => {
  await using recording = await recordSpans()
  await traced("outer", async () => {
    await Promise.resolve()
    await traced("inner", async () => startSpan("chat", "m")?.end())()
  })()
  expect(recording.tree().toSorted()).toEqual(["inner > chat m", "outer", "outer > inner"])
})

test("FR-36 a generator runs in its span whoever pulls it, and the span ends with its last item", async () => {
  await using recording = await recordSpans()
  const stream = traced("stream", async function* (n: number) {
    for (let i = 0; i < n; i++) {
      startSpan("chat", `m${i}`)?.end()
      yield i
    }
    return "end"
  })
  const items = stream(2)
  expect(await items.next()).toEqual({ done: false, value: 0 })
  expect(await traced("somebody else", () => items.next())()).toEqual({ done: false, value: 1 })
  expect(recording.spans().map((span) => span.name)).not.toContain("stream")
  expect(await items.next()).toEqual({ done: true, value: "end" })
  expect(recording.tree().toSorted()).toEqual(["somebody else", "stream", "stream > chat m0", "stream > chat m1"])
})

test("FR-36 leaving a generator early, or its failure, ends the span", async () => {
  await using recording = await recordSpans()
  let cleaned = 0
  const stream = traced("left", async function* () {
    try {
      yield 1
      yield 2
    } finally {
      cleaned++
    }
  })
  for await (const item of stream()) if (item === 1) break
  expect(cleaned).toBe(1)
  expect(recording.named("left").status.code).toBe(SpanStatusCode.UNSET)

  const failing = traced("failing", function* () {
    yield 1
    throw new Error("mid-way")
  })
  expect(() => [...failing()]).toThrow("mid-way")
  expect(recording.named("failing").status).toEqual({ code: SpanStatusCode.ERROR })
})

test.each<[string, unknown[], string]>([
  ["no function", ["load"], '"load", undefined'],
  ["the function first", [() => 1, "load"], 'function, "load"'],
  ["no name", [undefined, () => 1], "undefined, function"],
])("%s is refused where it is written", (_, args, given) => {
  const wrap = () => traced(...(args as [never, never]))
  expect(wrap).toThrow(expect.objectContaining({ code: "invalid_argument" }))
  expect(wrap).toThrow(
    `traced takes the span's name, then the function: traced("load", (id) => …), not traced(${given}).`,
  )
})
