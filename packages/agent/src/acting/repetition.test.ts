import { InMemoryMemory } from "@agentscope-ts/memory"
import { approve, type JsonObject, textOf, toolResult, type ToolUseBlock } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { tool } from "@agentscope-ts/tool"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { eventsOf, memoryOf, ofType, expectValid } from "../fixtures/runs.ts"
import { named } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"
import { RepeatWatch } from "./repetition.ts"

const base = { name: "Friday", systemPrompt: "Help.", maxIterations: 100 }
const script = (count: number, input: (i: number) => JsonObject, name = "bash") =>
  Array.from({ length: count }, (_, i) => ({ toolUses: [{ name, input: input(i) }] }))

describe("FR-32 the same call again and again", () => {
  test.each([
    ["exactly", (): JsonObject => ({ command: "echo noop" }), 6],
    [
      "with its keys in another order",
      (i: number): JsonObject => (i % 2 ? { a: 1, b: [{ c: 1, d: 2 }] } : { b: [{ d: 2, c: 1 }], a: 1 }),
      6,
    ],
    [
      "with its numbers in another order",
      (i: number): JsonObject => (i % 2 ? { a: 0.1, bc: 0.2, d: 1e21 } : { d: 1e21, bc: 0.2, a: 0.1 }),
      6,
    ],
    ["with other words about it", (i: number): JsonObject => ({ command: "echo noop", description: `Try ${i}` }), 9],
    ["with nothing but words", (): JsonObject => ({ reason: "again" }), 6],
  ])("%s: the model is told, then the reply stops with its own reason", async (_, input, stopsAt) => {
    using model = new ScriptedModel(script(stopsAt, input))
    const agent = new ReActAgent({ ...base, model, tools: [named("bash", () => "noop")] })
    const run = agent.stream("go")
    const events = await eventsOf(run)
    const reply = await run.reply
    expect(reply.finishReason).toBe("repetition")
    expect(textOf(reply)).toContain(`"bash" ${stopsAt} times`)
    const hinted = model.requests.map(({ messages }) =>
      textOf(messages.at(-1)!).includes("3 times with the same arguments"),
    )
    expect(hinted.indexOf(true)).toBe(3)
    expect(ofType(events, "warning").map(({ code }) => code)).toEqual(Array(stopsAt - 3).fill("repetition"))
    expectValid(memoryOf(agent))
    expect(JSON.stringify(memoryOf(agent))).not.toContain("system-hint")
  })

  test("also when it fails each time, is not valid, or does not exist", async () => {
    for (const name of ["broken", "none", "strict"]) {
      using model = new ScriptedModel(script(6, () => ({ a: "x" }), name))
      const broken = named("broken", () => {
        throw new Error("no")
      })
      const agent = new ReActAgent({ ...base, model, tools: [broken] })
      expect((await agent.reply("go")).finishReason).toBe("repetition")
    }
  })

  test("rounds of several calls, and circles of several rounds", async () => {
    const both = {
      toolUses: [
        { name: "bash", input: { a: 1 } },
        { name: "bash", input: { a: 2 } },
      ],
    }
    const circle = Array.from({ length: 12 }, (_, i) => ({ toolUses: [{ name: "bash", input: { a: i % 2 } }] }))
    for (const steps of [Array.from({ length: 6 }, () => both), circle.slice(0, 11)]) {
      using model = new ScriptedModel(steps)
      const agent = new ReActAgent({ ...base, model, tools: [named("bash", () => "noop")] })
      expect((await agent.reply("go")).finishReason).toBe("repetition")
    }
  })

  test("polling whose result changes goes on; so do other arguments, and rounds that do something new", async () => {
    let polled = 0
    const poll = named("poll", () => (++polled < 20 ? `${polled * 5} %` : "done"))
    const same = named("same", () => "ok")
    const scripts = [
      script(20, () => ({ job: 1 }), "poll"),
      script(20, (i) => ({ page: i }), "same"),
      Array.from({ length: 20 }, (_, i) => ({
        toolUses: [
          { name: "same", input: {} },
          { name: "same", input: { i } },
        ],
      })),
    ]
    for (const steps of scripts) {
      using model = new ScriptedModel([...steps, "done"])
      const agent = new ReActAgent({ ...base, model, tools: [poll, same] })
      expect((await agent.reply("go")).finishReason).toBe("completed")
    }
  })

  test("times in a result are no news", async () => {
    let count = 0
    const results = [
      () => `[2026-12-01T10:00:0${count++}.123Z] noop`,
      () => `it is 10:0${count++ % 10}`,
      () => `1 failed in 0.0${++count}s (${count} ms)`,
      () => ({ at: 1_796_120_000_000 + count++, ok: true }),
    ]
    for (const result of results) {
      using model = new ScriptedModel(script(9, () => ({})))
      const agent = new ReActAgent({ ...base, model, tools: [named("bash", result)] })
      expect((await agent.reply("go")).finishReason).toBe("repetition")
    }
  })

  test("news that never end are told, and end the reply at last", async () => {
    let count = 0
    using model = new ScriptedModel(script(30, () => ({ command: "a" })))
    const agent = new ReActAgent({ ...base, model, tools: [named("bash", () => `run ${++count}`)] })
    const reply = await agent.reply("go")
    expect(reply.finishReason).toBe("repetition")
    expect(textOf(reply)).toContain("30 times with the same arguments in a row")
    const hinted = model.requests.map(({ messages }) => textOf(messages.at(-1)!).includes("15 times with the same"))
    expect(hinted.indexOf(true)).toBe(15)
  })

  test("whoever answers the calls in between, a person or a program, in this process or the next", async () => {
    const asked = tool({ name: "bash", description: "Run", input: {}, needsApproval: true, execute: () => "noop" })
    const outside = tool({ name: "bash", description: "Run", input: {} })
    for (const one of [asked, outside]) {
      using model = new ScriptedModel(script(6, () => ({})))
      let agent = new ReActAgent({ ...base, model, tools: [one] })
      let reply = await agent.reply("go")
      for (let i = 0; i < 6; i++) {
        expect(reply.finishReason).toMatch(/approval_required|tool_suspended/)
        const next = new ReActAgent({ ...base, model, tools: [one] })
        next.loadStateDict(agent.stateDict())
        agent = next
        reply = await agent.resume({
          approvals: agent.pending.filter(({ kind }) => kind === "approval").map((call) => approve(call)),
          results: agent.pending
            .filter(({ kind }) => kind === "external")
            .map((call) => toolResult(call.toolUse, "ok")),
        })
      }
      expect(reply.finishReason).toBe("repetition")
      expectValid(memoryOf(agent))
    }
  })

  test("a model that listens goes on, and the next reply counts anew", async () => {
    using model = new ScriptedModel([...script(5, () => ({})), "ok", ...script(5, () => ({})), "ok"])
    const agent = new ReActAgent({ ...base, model, memory: new InMemoryMemory(), tools: [named("bash", () => "noop")] })
    expect((await agent.reply("go")).finishReason).toBe("completed")
    expect((await agent.reply("go")).finishReason).toBe("completed")
  })

  test("how often is an option; Infinity is never", async () => {
    const tools = [named("bash", () => "noop")]
    using three = new ScriptedModel(script(3, () => ({})))
    expect((await new ReActAgent({ ...base, model: three, tools, maxRepeats: 3 }).reply("go")).finishReason).toBe(
      "repetition",
    )
    using never = new ScriptedModel([...script(50, () => ({})), "done"])
    const agent = new ReActAgent({ ...base, model: never, tools, maxRepeats: Number.POSITIVE_INFINITY })
    expect((await agent.reply("go")).finishReason).toBe("completed")
    expect(() => new ReActAgent({ ...base, model: never, maxRepeats: 1 })).toThrow("maxRepeats must be")
  })
})

const call = (input: JsonObject): ToolUseBlock => ({ type: "tool_use", id: "1", name: "t", input })

test("calls none of which comes six times are never stopped, whatever else is called", () => {
  const value = fc.integer({ min: 0, max: 9 })
  const round = fc.array(fc.record({ value, result: fc.constantFrom("a", "b") }), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(fc.array(round, { maxLength: 60 }), (rounds) => {
      const watch = new RepeatWatch(6)
      const seen = new Map<string, number>()
      for (const calls of rounds) {
        const keys = calls.map((one) => JSON.stringify(one))
        for (const key of new Set(keys)) seen.set(key, (seen.get(key) ?? 0) + 1)
        const uses = calls.map(({ value }) => call({ value }))
        const found = watch.add(
          uses,
          calls.map(({ result }, i) => toolResult(uses[i]!, result)),
        )
        if (found?.stops) expect(Math.min(...keys.map((key) => seen.get(key) ?? 0))).toBeGreaterThanOrEqual(6)
      }
    }),
  )
})
