import { context, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace"
import { approve } from "@agentscope-ts/message"
import { genAi, loadTracing, setCaptureContent } from "@agentscope-ts/tracing"
import { ScriptedModel } from "@agentscope-ts/testing"
import { expect, test } from "vitest"
import { ManualModel, stalls, text } from "../fixtures/manual-model.ts"
import { eventsOf, idle } from "../fixtures/runs.ts"
import { add } from "../fixtures/tools.ts"
import { agentOf, asTool, calls, paying } from "../fixtures/family.ts"
import { ReActAgent } from "../index.ts"

/** Registers an SDK as a user's program would, for the time of a test. */
async function recording() {
  const exporter = new InMemorySpanExporter()
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  await loadTracing()
  const spans = () => exporter.getFinishedSpans()
  return {
    spans,
    /** `parent > child` for each span. */
    tree: () =>
      spans().map((span) => {
        const parent = spans().find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId)
        return parent ? `${parent.name} > ${span.name}` : span.name
      }),
    [Symbol.dispose]() {
      trace.disable()
      context.disable()
      setCaptureContent(false)
    },
  }
}
const adding = { toolUses: [{ name: "add", input: { a: 1, b: 2 } }], usage: { inputTokens: 5, outputTokens: 2 } }

test("FR-36 every chat and execute_tool span of a reply is a child of its invoke_agent, whoever consumes the stream", async () => {
  using spans = await recording()
  using model = new ScriptedModel([adding, "3"])
  const agent = new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, tools: [add] })
  const tracer = trace.getTracer("test")
  const run = tracer.startActiveSpan("request", (span) => {
    const started = agent.stream("1 + 2?")
    span.end()
    return started
  })
  await eventsOf(run)
  expect(spans.tree().toSorted()).toEqual([
    "invoke_agent Friday > chat scripted",
    "invoke_agent Friday > chat scripted",
    "invoke_agent Friday > execute_tool add",
    "request",
    "request > invoke_agent Friday",
  ])
  const span = spans.spans().find(({ name }) => name === "invoke_agent Friday")
  expect(span?.attributes).toMatchObject({
    [genAi.agentId]: agent.id,
    [genAi.agentName]: "Friday",
    [genAi.usageInputTokens]: 5,
    [genAi.usageOutputTokens]: 2,
    [genAi.responseFinishReasons]: ["completed"],
  })
  expect(span?.attributes[genAi.inputMessages]).toBeUndefined()
})

test("FR-36 a consumer that leaves early: all spans end", async () => {
  using spans = await recording()
  const agent = new ReActAgent({
    name: "Friday",
    systemPrompt: "Help.",
    model: new ManualModel(stalls(...text(0, "Once"))),
  })
  const run = agent.stream("x")
  for await (const event of run) if (event.type === "text_delta") break
  await run.reply
  expect(spans.tree().toSorted()).toEqual(["invoke_agent Friday", "invoke_agent Friday > chat manual"])
  expect(spans.spans().find(({ name }) => name.startsWith("invoke"))?.attributes[genAi.responseFinishReasons]).toEqual([
    "interrupted",
  ])
})

test("a failed reply fails its span", async () => {
  using spans = await recording()
  const model = new ManualModel(() => {
    throw new RangeError("down")
  })
  await new ReActAgent({ name: "Friday", systemPrompt: "Help.", model }).reply("x").catch(() => {})
  const span = spans.spans().find(({ name }) => name === "invoke_agent Friday")
  expect(span).toMatchObject({ status: { code: 2 }, attributes: { "error.type": "RangeError" } })
})

test("content stands in the span only where that was asked for", async () => {
  using spans = await recording()
  setCaptureContent(true)
  using model = new ScriptedModel(["Hello."])
  await new ReActAgent({ name: "Friday", systemPrompt: "Help.", model }).reply("Hi")
  const span = spans.spans().find(({ name }) => name === "invoke_agent Friday")
  expect(JSON.parse(String(span?.attributes[genAi.inputMessages]))).toMatchObject([
    { role: "user", parts: [{ content: "Hi" }] },
  ])
  expect(JSON.parse(String(span?.attributes[genAi.outputMessages]))).toMatchObject([{ parts: [{ content: "Hello." }] }])
  await idle()
})

test("a sub-agent's span is a child of the call that asked it, and its own calls are its children; one that waits ends both", async () => {
  using spans = await recording()
  const { pay } = paying()
  const lawyer = () => agentOf("lawyer", [calls(["pay", { amount: 1 }]), "Paid."], [pay])
  const boss = agentOf("boss", [calls(["lawyer", { message: "?" }]), "Ok."], [asTool(lawyer)])
  await boss.reply("Go")
  await boss.resume({ approvals: [approve(boss.pending[0]!)] })
  expect(spans.tree().toSorted()).toEqual([
    "execute_tool lawyer > invoke_agent lawyer",
    "execute_tool lawyer > invoke_agent lawyer",
    "invoke_agent boss",
    "invoke_agent boss",
    "invoke_agent boss > chat scripted",
    "invoke_agent boss > chat scripted",
    "invoke_agent boss > execute_tool lawyer",
    "invoke_agent boss > execute_tool lawyer",
    "invoke_agent lawyer > chat scripted",
    "invoke_agent lawyer > chat scripted",
    "invoke_agent lawyer > execute_tool pay",
    "invoke_agent lawyer > execute_tool pay",
  ])
})
