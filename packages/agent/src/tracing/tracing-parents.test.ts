import { AsyncLocalStorage } from "node:async_hooks"
import { userMsg } from "@agentscope-ts/message"
import { traced } from "@agentscope-ts/tracing"
import { ScriptedModel } from "@agentscope-ts/testing"
import { trace } from "@opentelemetry/api"
import { describe, expect, test } from "vitest"
import { call, ManualModel, says, stalls, text } from "../fixtures/manual-model.ts"
import { recordTelemetry } from "../fixtures/record-telemetry.ts"
import { eventsOf, idle } from "../fixtures/runs.ts"
import { add, named } from "../fixtures/tools.ts"
import { agentAsTool, ReActAgent } from "../index.ts"

const usage = { inputTokens: 5, outputTokens: 2 }
const adding = { toolUses: [{ name: "add", input: { a: 1, b: 2 } }], usage }
const twoRounds = (name = "Friday") =>
  new ReActAgent({ name, systemPrompt: "Help.", model: new ScriptedModel([adding, "3"]), tools: [add] })
const ofTwoRounds = [
  "invoke_agent Friday",
  "invoke_agent Friday > chat scripted",
  "invoke_agent Friday > chat scripted",
  "invoke_agent Friday > execute_tool add",
]
const below = (parent: string, names: readonly string[]) => [parent, ...names.map((name) => `${parent} > ${name}`)]

describe("FR-36 every chat and execute_tool span is a child of its invoke_agent, and all spans end once", () => {
  test("a stream made inside a span and consumed outside of it", async () => {
    using telemetry = await recordTelemetry()
    const run = trace.getTracer("test").startActiveSpan("request", (span) => {
      const started = twoRounds().stream("1 + 2?")
      span.end()
      return started
    })
    await eventsOf(run)
    expect(telemetry.tree()).toEqual(below("request", ofTwoRounds))
    expect(telemetry.open()).toBe(0)
  })

  test("a stream whose every event is taken in another context, with spans of its own", async () => {
    using telemetry = await recordTelemetry()
    const own = new AsyncLocalStorage<number>()
    const events = twoRounds().stream("1 + 2?")[Symbol.asyncIterator]()
    const tracer = trace.getTracer("test")
    for (let i = 0; ; i++) {
      const next = () => own.run(i, () => events.next())
      const { done } = await tracer.startActiveSpan("consumer", (span) => next().finally(() => span.end()))
      if (done) break
    }
    // a run begins with its first use or at once: below the consumer that was there then, or below nobody
    const tree = telemetry.tree().filter((path) => path.includes("invoke_agent"))
    expect(tree.map((path) => path.replace(/^consumer > /, ""))).toEqual(ofTwoRounds)
    expect(telemetry.open()).toBe(0)
  })

  test.each([
    ["in the first answer", 0],
    ["in the second round", 1],
  ])("a consumer that breaks off %s", async (_, round) => {
    using telemetry = await recordTelemetry()
    const first = says(...text(0, "Let me see."), ...call(1, "t1", "add", '{"a":1,"b":2}'))
    const model =
      round === 0 ? new ManualModel(stalls(...text(0, "Once"))) : new ManualModel(first, stalls(...text(0, "Once")))
    const run = new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, tools: [add] }).stream("x")
    for await (const event of run) if (event.type === "text_delta" && event.text === "Once") break
    await run.reply.catch(() => {})
    await idle()
    expect(telemetry.open()).toBe(0)
    expect(telemetry.tree()).toEqual(
      round === 0
        ? below("invoke_agent Friday", ["chat manual"])
        : below("invoke_agent Friday", ["chat manual", "chat manual", "execute_tool add"]),
    )
  })

  test("a stream that is stopped while a tool runs, and one that is aborted", async () => {
    for (const stop of ["interrupt", "abort"] as const) {
      using telemetry = await recordTelemetry()
      const hang = named("hang", () => new Promise(() => {}))
      const model = new ManualModel(says(...call(0, "t1", "hang")))
      const agent = new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, tools: [hang] })
      const aborting = new AbortController()
      const run = agent.stream("x", { signal: aborting.signal })
      for await (const event of run) {
        if (event.type !== "tool_execution_start") continue
        if (stop === "interrupt") agent.interrupt()
        else {
          aborting.abort()
          break
        }
      }
      await run.reply.catch(() => {})
      await idle()
      expect(telemetry.open()).toBe(0)
      expect(telemetry.tree()).toEqual(below("invoke_agent Friday", ["chat manual", "execute_tool hang"]))
    }
  })

  test("tools side by side, with spans of their own, generators among them", async () => {
    using telemetry = await recordTelemetry()
    const inside = traced("inside", async (n: number) => n)
    const steps = traced("steps", async function* (n: number) {
      yield await inside(n)
      yield await inside(n + 1)
    })
    const look = named(
      "look",
      async function* () {
        for await (const n of steps(1)) yield String(n)
      },
      { concurrencySafe: true },
    )
    const quick = named("quick", () => inside(1), { concurrencySafe: true })
    const both = { toolUses: ["look", "quick"].map((name) => ({ name, input: {} })) }
    const model = new ScriptedModel([both, "done"])
    const agent = new ReActAgent({
      name: "Friday",
      systemPrompt: "Help.",
      model,
      tools: [look, quick],
      parallelToolCalls: true,
    })
    await traced("program", () => eventsOf(agent.stream("x")))()
    expect(telemetry.tree()).toEqual(
      below(
        "program",
        below("invoke_agent Friday", [
          "chat scripted",
          "chat scripted",
          ...below("execute_tool look", below("steps", ["inside", "inside"])),
          ...below("execute_tool quick", ["inside"]),
        ]),
      ),
    )
    expect(telemetry.open()).toBe(0)
  })

  test("an agent inside an agent is below the call that asked it", async () => {
    using telemetry = await recordTelemetry()
    const asking = { toolUses: [{ name: "Friday", input: { message: "1 + 2?" } }] }
    const outer = new ReActAgent({
      name: "Chief",
      systemPrompt: "Help.",
      model: new ScriptedModel([asking, "3"]),
      tools: [agentAsTool(twoRounds(), { description: "adds" })],
    })
    for await (const event of outer.stream("x")) if (event.type === "reply_end" && event.agent === "Chief") break
    await idle()
    expect(telemetry.tree()).toEqual(
      below("invoke_agent Chief", ["chat scripted", "chat scripted", ...below("execute_tool Friday", ofTwoRounds)]),
    )
    expect(telemetry.open()).toBe(0)
  })

  test("agents that run at the same time do not mix their spans", async () => {
    using telemetry = await recordTelemetry()
    const names = Array.from({ length: 20 }, (_, i) => `A${i}`)
    await Promise.all(names.map((name) => eventsOf(twoRounds(name).stream("1 + 2?"))))
    expect(telemetry.tree()).toEqual(
      names.flatMap((name) => ofTwoRounds.map((path) => path.replaceAll("Friday", name))).toSorted(),
    )
    // each in a trace of its own
    expect(new Set(telemetry.spans().map((span) => span.spanContext().traceId)).size).toBe(20)
  })

  test("a model's stream alone: read to its end, left early, never used", async () => {
    using telemetry = await recordTelemetry()
    const tracer = trace.getTracer("test")
    const model = new ManualModel(says(...text(0, "a", "b")), stalls(...text(0, "a")))
    const request = { messages: [userMsg("x")] }
    const within = <T>(name: string, fn: () => T): T =>
      tracer.startActiveSpan(name, (span) => {
        const made = fn()
        span.end()
        return made
      })
    const whole = within("made", () => model.stream(request))
    await within("used", async () => {
      for await (const _ of whole) continue
    })
    for await (const _ of model.stream(request)) break
    model.stream(request)
    await idle()
    expect(telemetry.tree().filter((path) => path.includes("chat"))).toEqual(["chat manual", "used > chat manual"])
    expect(telemetry.open()).toBe(0)
  })
})
