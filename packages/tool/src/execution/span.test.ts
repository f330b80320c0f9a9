import { genAi, setCaptureContent, startSpan } from "@agentscope-ts/tracing"
import { SpanStatusCode } from "@opentelemetry/api"
import { expect, test } from "vitest"
import { plain, settled, use } from "../fixtures/calls.ts"
import { recordSpans } from "../fixtures/record-spans.ts"
import { type AnyTool, Toolkit } from "../index.ts"

const start = (tool: AnyTool, options: Parameters<Toolkit["execute"]>[1] = {}) =>
  new Toolkit({ tools: [tool] }).execute(use(tool.name), options)

test("each call is one span, that ends with it, with its name and id", async () => {
  await using recording = await recordSpans()
  await start(plain(async () => "x")).result
  const [span] = recording.spans()
  expect(span?.name).toBe("execute_tool t")
  expect(span?.attributes).toEqual({
    [genAi.operationName]: "execute_tool",
    [genAi.toolName]: "t",
    [genAi.toolCallId]: "call_1",
    [genAi.toolType]: "function",
  })
})

test("arguments and results are recorded where content is wanted, without presets", async () => {
  await using recording = await recordSpans()
  setCaptureContent(true)
  const kit = new Toolkit()
  const open = plain(() => ({ n: 1 }), { input: { type: "object", properties: { key: {}, a: {} } } })
  kit.register(open, { presetArgs: { key: "secret" } })
  await kit.execute(use("t", { a: 1 })).result
  await kit.execute({ ...use("t"), rawInput: "{" }).result
  expect(recording.spans()[0]?.attributes).toMatchObject({
    [genAi.toolCallArguments]: '{"a":1}',
    [genAi.toolCallResult]: '{"n":1}',
  })
  expect(recording.spans()[1]?.attributes[genAi.toolCallArguments]).toBe("{")
  expect(JSON.stringify(recording.spans().map((span) => span.attributes))).not.toContain("secret")
})

test("FR-36 what a tool does, also after it awaited and yielded, is below its span, and that below the one given", async () => {
  await using recording = await recordSpans()
  const parent = startSpan("invoke_agent", "Friday")
  const work = plain(async function* () {
    startSpan("chat", "first")?.end()
    await Promise.resolve()
    yield "half"
    startSpan("chat", "second")?.end()
  })
  const run = start(work, { parent })
  for await (const _chunk of run) await settled()
  parent?.end()
  const ids = new Map(recording.spans().map((span) => [span.name, span.spanContext().spanId]))
  const parents = recording.spans().map((span) => [span.name, span.parentSpanContext?.spanId])
  expect(Object.fromEntries(parents)).toEqual({
    "chat first": ids.get("execute_tool t"),
    "chat second": ids.get("execute_tool t"),
    "execute_tool t": ids.get("invoke_agent Friday"),
    "invoke_agent Friday": undefined,
  })
})

test("a failure is a failed span with the error's code; every other end is none, and ends the span", async () => {
  await using recording = await recordSpans()
  const kit = new Toolkit({ tools: [plain((_input: unknown, ctx: { suspend(): never }) => ctx.suspend())] })
  const cut = start(plain(() => new Promise(() => {})))
  cut.cancel()
  await Promise.all([
    start(
      plain(() => {
        throw new RangeError("off")
      }),
    ).result,
    kit.execute(use("nope")).result,
    kit.execute(use("t")).result,
    kit.execute(use("t"), { approval: { deny: ["t"] } }).result,
    cut.result,
  ])
  const states = recording.spans().map((span) => [span.attributes[genAi.errorType], span.status.code])
  expect(states).toEqual([
    [undefined, SpanStatusCode.UNSET],
    ["RangeError", SpanStatusCode.ERROR],
    ["unknown_tool", SpanStatusCode.ERROR],
    [undefined, SpanStatusCode.UNSET],
    [undefined, SpanStatusCode.UNSET],
  ])
})
