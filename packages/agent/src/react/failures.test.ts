import { unhandled } from "@agentscope-ts/fixtures"
import {
  type AgentEvent,
  AgentScopeError,
  createMsg,
  textOf,
  toolResult,
  toolResultMsg,
  toolResultsOf,
} from "@agentscope-ts/message"
import { InMemoryMemory } from "@agentscope-ts/memory"
import { modelError } from "@agentscope-ts/model"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, test } from "vitest"
import { call, ManualModel, says, text } from "../fixtures/manual-model.ts"
import { eventsOf, expectValid, idle, memoryOf, ofType, rolesOf } from "../fixtures/runs.ts"
import { add, named } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"

const base = { name: "Friday", systemPrompt: "Help." }
const broken = modelError({ code: "network", message: "The connection was lost." })
const ok = says(...text(0, "ok"))

describe("a model that fails", () => {
  test("rejects with the model's error; what was said stays in memory, marked, and the next reply can be given", async () => {
    const model = new ManualModel((sink) => {
      for (const delta of text(0, "Once ", "upon a")) sink.emit(delta)
      throw broken
    }, ok)
    const agent = new ReActAgent({ ...base, model })
    const run = agent.stream("Tell me a story.")
    const events: AgentEvent[] = []
    await expect(async () => {
      for await (const event of run) events.push(event)
    }).rejects.toBe(broken)
    expect(ofType(events, "error")).toMatchObject([{ error: { code: "network", retryable: true } }])
    expect(ofType(events, "model_end")).toMatchObject([{ stopReason: "error" }])
    expect(events.at(-1)?.type).toBe("error")
    expect(memoryOf(agent).map((msg) => [textOf(msg), msg.finishReason])).toEqual([
      ["Tell me a story.", undefined],
      ["Once upon a", "error"],
    ])
    expect((await agent.reply("again")).finishReason).toBe("completed")
    expectValid(model.requests[1]!.messages)
  })

  test("before it said anything leaves only the question", async () => {
    const model = new ManualModel(() => {
      throw broken
    })
    const agent = new ReActAgent({ ...base, model })
    await expect(agent.reply("Hi")).rejects.toBe(broken)
    expect(rolesOf(agent)).toEqual(["user"])
  })

  test("without streaming too", async () => {
    const model = new ManualModel(() => {
      throw broken
    })
    const agent = new ReActAgent({ ...base, model, streaming: false })
    await expect(agent.reply("Hi")).rejects.toBe(broken)
    expect(rolesOf(agent)).toEqual(["user"])
  })

  test("after a tool started: the tool is cancelled, call and result stay, nothing is tried again", async () => {
    const log: string[] = []
    const slow = named("slow", (_, ctx) => {
      log.push("start")
      ctx.signal.addEventListener("abort", () => log.push("abort"))
      return new Promise(() => {})
    })
    const quick = named("quick", () => "done")
    const model = new ManualModel(async (sink) => {
      for (const delta of [...call(0, "c1", "quick"), ...call(1, "c2", "slow"), ...text(2, "and")]) sink.emit(delta)
      await idle()
      throw broken
    }, ok)
    const agent = new ReActAgent({ ...base, model, tools: [slow, quick] })
    await expect(agent.reply("go")).rejects.toBe(broken)
    expect(log).toEqual(["start", "abort"])
    expect(model.requests).toHaveLength(1)
    expect(rolesOf(agent)).toEqual(["user", "assistant", "tool"])
    expect(toolResultsOf(memoryOf(agent)[2]!).map(({ id, state }) => [id, state])).toEqual([
      ["c1", "success"],
      ["c2", "interrupted"],
    ])
    await agent.reply("again")
    expectValid(model.requests[1]!.messages)
  })

  test("keeps a call from starting that waits for one that runs", async () => {
    const ran: string[] = []
    const first = named("first", () => new Promise(() => {}))
    const alone = named("alone", () => ran.push("alone"), { concurrencySafe: false })
    const model = new ManualModel(async (sink) => {
      for (const delta of [...call(0, "c1", "first"), ...call(1, "c2", "alone"), ...text(2, "and")]) sink.emit(delta)
      await idle()
      throw broken
    })
    const agent = new ReActAgent({ ...base, model, tools: [first, alone] })
    await expect(agent.reply("go")).rejects.toBe(broken)
    await idle()
    expect(ran).toEqual([])
    expect(toolResultsOf(memoryOf(agent)[2]!).map(({ state }) => state)).toEqual(["interrupted", "interrupted"])
  })

  test("and is retried by the model: the retry is told", async () => {
    class Flaky extends ManualModel {
      protected override readonly retry = { maxRetries: 2, initialDelayMs: 0, maxDelayMs: 0 }
    }
    const model = new Flaky(() => {
      throw modelError({ code: "overloaded", message: "Busy." })
    }, ok)
    const events = await eventsOf(new ReActAgent({ ...base, model }).stream("Hi"))
    expect(ofType(events, "retry")).toMatchObject([{ attempt: 1, error: { code: "overloaded" } }])
    expect(ofType(events, "reply_end")).toHaveLength(1)
  })
})

test.each([true, false])(
  "FR-15 two results for one call in a history from elsewhere: one is sent, the first, and a warning is told (streaming: %s)",
  async (streaming) => {
    const memory = new InMemoryMemory()
    const use = { type: "tool_use", id: "toolu_1", name: "x", input: {} } as const
    memory.add([
      createMsg({ name: "user", role: "user", content: "go" }),
      createMsg({ name: "Friday", role: "assistant", content: [use] }),
      toolResultMsg([toolResult(use, "failed", { state: "error" })]),
      toolResultMsg([toolResult(use, "ok")]),
    ])
    using model = new ScriptedModel(["ok"])
    const events = await eventsOf(new ReActAgent({ ...base, model, memory, streaming }).stream("continue"))
    expect(ofType(events, "warning")).toMatchObject([{ code: "duplicate_tool_result" }])
    const sent = model.requests[0]!.messages.flatMap(toolResultsOf)
    expect(sent).toMatchObject([{ id: "toolu_1", state: "error" }])
    expectValid(model.requests[0]!.messages)
  },
)

test("FR-33 a tool that never returns is told to stop at its time limit, and the model hears of it", async () => {
  const signals: AbortSignal[] = []
  const hang = named(
    "hang",
    (_, ctx) => {
      signals.push(ctx.signal)
      return new Promise(() => {})
    },
    { timeoutMs: 100 },
  )
  using model = new ScriptedModel([{ toolUses: [{ name: "hang", input: {} }] }, "It hangs."])
  const agent = new ReActAgent({ ...base, model, tools: [hang] })
  expect(textOf(await agent.reply("go"))).toBe("It hangs.")
  expect(signals[0]?.aborted).toBe(true)
  const [result] = memoryOf(agent).flatMap(toolResultsOf)
  expect(result).toMatchObject({ state: "error", metadata: { error: { code: "timeout" }, indeterminate: true } })
})

test("FR-33 what a tool still does after its time limit is told, and never in the history", async () => {
  const late = Promise.withResolvers<string>()
  const wrote = Promise.withResolvers<void>()
  const slow = named("write", () => late.promise.finally(() => wrote.resolve()), { timeoutMs: 20 })
  const wait = named("wait", async () => {
    late.resolve("late output")
    await wrote.promise
    return "waited"
  })
  using model = new ScriptedModel([
    { toolUses: [{ name: "write", input: {} }] },
    { toolUses: [{ name: "wait", input: {} }] },
    "Done.",
  ])
  const agent = new ReActAgent({ ...base, model, tools: [slow, wait] })
  const events = await eventsOf(agent.stream("go"))
  expect(ofType(events, "warning")).toMatchObject([
    { code: "late_tool_result", message: expect.stringMatching(/"write" .* returned after it had been given up/) },
  ])
  const [result] = memoryOf(agent).flatMap(toolResultsOf)
  expect(result).toMatchObject({ state: "error", metadata: { indeterminate: true } })
  expect(textOf(result!)).toContain("find out before you call it again")
  expect(JSON.stringify(memoryOf(agent))).not.toContain("late output")
  expectValid(memoryOf(agent))
})

test("a memory that fails rejects the reply", async () => {
  class Full extends InMemoryMemory {
    override add(): void {
      throw new RangeError("disk full")
    }
  }
  const agent = new ReActAgent({ ...base, model: new ManualModel(ok), memory: new Full() })
  await expect(agent.reply("Hi")).rejects.toThrow("disk full")
  expect(agent.interrupt()).toBe(false)
})

test("a memory that answers by promises is waited for", async () => {
  class Slow extends InMemoryMemory {
    override add(messages: Parameters<InMemoryMemory["add"]>[0]): Promise<void> {
      return idle().then(() => super.add(messages))
    }
  }
  // its get() answers by a promise too
  const memory = new Slow()
  const get = memory.get.bind(memory)
  Object.assign(memory, { get: () => idle().then(() => get()) })
  using model = new ScriptedModel([{ toolUses: [{ name: "add", input: { a: 1, b: 2 } }] }, "3"])
  const agent = new ReActAgent({ ...base, model, memory, tools: [add] })
  await agent.reply("1 + 2?")
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"])
  expect(get().map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"])
})

test.each([[5], [{ text: "x" }], [["Hi"]], [[null]], [null]])("an input that is none is refused: %j", async (input) => {
  using watch = unhandled()
  const agent = new ReActAgent({ ...base, model: new ManualModel() })
  await expect(agent.reply(input as never)).rejects.toMatchObject({ code: "invalid_argument" })
  await expect(agent.observe(input as never)).rejects.toMatchObject({ code: "invalid_argument" })
  await idle()
  expect(watch.errors).toEqual([])
})

test("an option of reply that there is not is refused, with the name that was meant", async () => {
  const agent = new ReActAgent({ ...base, model: new ManualModel() })
  const reply = agent.reply("Hi", { schemas: {} } as never)
  await expect(reply).rejects.toThrow(/ReActAgent "Friday".reply: there is no option "schemas". Did you mean "schema"/)
  expect(AgentScopeError.is(await reply.catch((error: unknown) => error), "invalid_argument")).toBe(true)
})
