import { AgentScopeError } from "@agentscope-ts/message"
import { diag, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api"
import { AlwaysOffSampler, ParentBasedSampler, type Sampler, SamplingDecision } from "@opentelemetry/sdk-trace"
import { expect, test } from "vitest"
import { recordSpans } from "./fixtures/record-spans.ts"
import { captureContent, genAi, type Operation, setCaptureContent, type Span, startSpan } from "./index.ts"

test.each<[Operation, string, string | undefined, SpanKind]>([
  ["chat", "gpt-5", genAi.requestModel, SpanKind.CLIENT],
  ["generate_content", "imagen", genAi.requestModel, SpanKind.CLIENT],
  ["embeddings", "embed-3", genAi.requestModel, SpanKind.CLIENT],
  ["invoke_agent", "Friday", genAi.agentName, SpanKind.INTERNAL],
  ["execute_tool", "get_time", genAi.toolName, SpanKind.INTERNAL],
  ["format", "openai", undefined, SpanKind.INTERNAL],
])("a span of %s %s has its name, operation, target and kind", async (operation, target, key, kind) => {
  await using recording = await recordSpans()
  startSpan(operation, target)?.end()
  const [span] = recording.spans()
  expect(span?.name).toBe(`${operation} ${target}`)
  expect(span?.kind).toBe(kind)
  // the conventions have no operation to format by
  expect(span?.attributes).toEqual(key === undefined ? {} : { [genAi.operationName]: operation, [key]: target })
  expect(span?.status.code).toBe(SpanStatusCode.UNSET)
})

test("attributes are set, and absent ones left out", async () => {
  await using recording = await recordSpans()
  const span = startSpan("chat", "m")
  span?.set({
    [genAi.usageInputTokens]: 12,
    [genAi.usageOutputTokens]: undefined,
    [genAi.responseFinishReasons]: ["stop"],
    [genAi.requestStream]: true,
  })
  span?.end()
  const { attributes } = recording.named("chat m")
  expect(attributes).toMatchObject({
    [genAi.usageInputTokens]: 12,
    [genAi.responseFinishReasons]: ["stop"],
    [genAi.requestStream]: true,
  })
  expect(attributes).not.toHaveProperty(genAi.usageOutputTokens)
})

test("a failure has a status, a type and an exception; a code is the type", async () => {
  await using recording = await recordSpans()
  setCaptureContent(true)
  for (const [name, error] of Object.entries({
    coded: new AgentScopeError({ code: "rate_limited", message: "Too many requests." }),
    plain: new RangeError("off by one"),
    thrown: "just text",
  })) {
    const span = startSpan("execute_tool", name)
    span?.fail(error)
    span?.end()
  }
  const types = recording.spans().map((span) => [span.attributes[genAi.errorType], span.status])
  expect(types).toEqual([
    ["rate_limited", { code: SpanStatusCode.ERROR, message: "Too many requests." }],
    ["RangeError", { code: SpanStatusCode.ERROR, message: "off by one" }],
    ["_OTHER", { code: SpanStatusCode.ERROR, message: "just text" }],
  ])
  const event = recording.named("execute_tool plain").events[0]
  expect(event?.name).toBe("exception")
  expect(event?.attributes).toMatchObject({ "exception.type": "RangeError", "exception.message": "off by one" })
  expect(event?.attributes?.["exception.stacktrace"]).toContain("span.test.ts")
})

test("where content is off, a failure says nothing that was said: only its type and its places", async () => {
  await using recording = await recordSpans()
  const error = new RangeError('no "secret plan"\n    at secret plan')
  const span = startSpan("execute_tool", "t")
  span?.fail(error)
  span?.end()
  startSpan("chat", "m")?.fail("secret plan")
  const { attributes, events, status } = recording.named("execute_tool t")
  expect(JSON.stringify({ attributes, events, status })).not.toContain("secret plan")
  expect(status).toEqual({ code: SpanStatusCode.ERROR })
  expect(events[0]?.attributes).toMatchObject({ "exception.type": "RangeError" })
  expect(events[0]?.attributes?.["exception.stacktrace"]).toMatch(/^RangeError\n {4}at .*span\.test\.ts/)
})

test("a provider has the conventions' own name, where they have one", async () => {
  await using recording = await recordSpans()
  startSpan("chat", "g", undefined, "gemini")?.end()
  startSpan("chat", "d", undefined, "dashscope")?.end()
  expect(recording.spans().map(({ attributes }) => attributes[genAi.providerName])).toEqual(["gcp.gemini", "dashscope"])
})

test("an ended span stays as it was, and the SDK has nothing to complain about", async () => {
  await using recording = await recordSpans()
  const complaints: unknown[] = []
  const complain = (...args: unknown[]) => complaints.push(args)
  diag.setLogger({ error: complain, warn: complain, info() {}, debug() {}, verbose() {} })
  const span = startSpan("chat", "m")
  span?.end()
  span?.end()
  span?.set({ late: 1 })
  span?.fail(new Error("late"))
  diag.disable()
  expect(complaints).toEqual([])
  expect(recording.spans()).toHaveLength(1)
  expect(recording.named("chat m").attributes).not.toHaveProperty("late")
})

test("the parent is the span given, else the active one, also across awaits and in users' own spans", async () => {
  await using recording = await recordSpans()
  const agent = startSpan("invoke_agent", "a")
  const tool = startSpan("execute_tool", "t", agent)
  await tool?.run(async () => {
    await Promise.resolve()
    trace.getTracer("user").startActiveSpan("SELECT", (span) => {
      startSpan("invoke_agent", "inner")?.end()
      span.end()
    })
  })
  tool?.end()
  startSpan("chat", "outside")?.end()
  agent?.end()
  expect(recording.tree().toSorted()).toEqual([
    "SELECT > invoke_agent inner",
    "chat outside",
    "execute_tool t > SELECT",
    "invoke_agent a",
    "invoke_agent a > execute_tool t",
  ])
})

test("FR-36 spans opened from an iterator that somebody else pulls keep their parent, and all end on an early leave", async () => {
  await using recording = await recordSpans()
  async function* rounds() {
    const agent = startSpan("invoke_agent", "a")
    const open: (Span | undefined)[] = [agent]
    try {
      for (let round = 1; round <= 3; round++) {
        const chat = startSpan("chat", `m${round}`, agent)
        open.push(chat)
        yield "delta"
        const tool = startSpan("execute_tool", `t${round}`, agent)
        tool?.end()
        chat?.end()
      }
    } finally {
      for (const span of open.toReversed()) span?.end()
    }
  }
  const iterator = rounds()
  const consumer = startSpan("execute_tool", "consumer")
  // the consumer's own span is active while it pulls
  await consumer?.run(async () => {
    await iterator.next()
  })
  await consumer?.run(() => iterator.next())
  await iterator.return()
  consumer?.end()
  expect(recording.tree().toSorted()).toEqual([
    "execute_tool consumer",
    "execute_tool consumer > invoke_agent a",
    "invoke_agent a > chat m1",
    "invoke_agent a > chat m2",
    "invoke_agent a > execute_tool t1",
  ])
})

test("what the sampler drops takes its children along", async () => {
  let roots = 0
  const firstOnly: Sampler = {
    shouldSample: () => ({
      decision: roots++ === 0 ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
    }),
    toString: () => "first only",
  }
  await using recording = await recordSpans(new ParentBasedSampler({ root: firstOnly }))
  for (const name of ["kept", "dropped"]) {
    const agent = startSpan("invoke_agent", name)
    const chat = startSpan("chat", name, agent)
    agent?.run(() => startSpan("execute_tool", name)?.end())
    chat?.set({ a: 1 })
    chat?.fail(new Error("x"))
    chat?.end()
    agent?.end()
  }
  expect(recording.tree().toSorted()).toEqual([
    "invoke_agent kept",
    "invoke_agent kept > chat kept",
    "invoke_agent kept > execute_tool kept",
  ])
  expect(roots).toBe(2)
})

test("a span that nobody records costs no attributes", async () => {
  await using recording = await recordSpans(new AlwaysOffSampler())
  startSpan("chat", "m")?.end()
  expect(recording.spans()).toEqual([])
})

test("a secret in an attribute or an error never reaches the span", async () => {
  await using recording = await recordSpans()
  setCaptureContent(true)
  const secret = "sk-proj-Abc123Abc123Abc123Abc123"
  const span = startSpan("chat", "m")
  span?.set({ text: `key ${secret}`, list: ["fine", `Bearer ${secret}`] })
  span?.fail(new Error(`Incorrect API key provided: ${secret}`))
  span?.end()
  const { attributes, events, status } = recording.named("chat m")
  expect(JSON.stringify({ attributes, events, status })).not.toContain("Abc123")
  expect(attributes["text"]).toBe("key [redacted]")
  expect(attributes["list"]).toEqual(["fine", "Bearer [redacted]"])
})

test("content is off until it is turned on", () => {
  expect(captureContent()).toBe(false)
  setCaptureContent(true)
  expect(captureContent()).toBe(true)
  setCaptureContent(false)
  expect(captureContent()).toBe(false)
})
