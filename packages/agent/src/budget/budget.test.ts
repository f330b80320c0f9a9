import { ambient, approve, replaceAmbient, textOf, toolResultsOf } from "@agentscope-ts/message"
import { ScriptedModel, type ScriptedStep } from "@agentscope-ts/testing"
import { describe, expect, test } from "vitest"
import { ManualModel, stalls, text } from "../fixtures/manual-model.ts"
import { expectValid, gate, idle, memoryOf, rolesOf } from "../fixtures/runs.ts"
import { add, named, refundTool } from "../fixtures/tools.ts"
import { Budget, type BudgetLimits, ReActAgent, type ReActOptions } from "../index.ts"

const usage = { inputTokens: 30, outputTokens: 10 }
const adding: ScriptedStep = { toolUses: [{ name: "add", input: { a: 1, b: 2 } }], usage }
const make = (steps: ScriptedStep[], options: Partial<ReActOptions> = {}) => {
  const model = new ScriptedModel(steps)
  return { model, agent: new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, tools: [add], ...options }) }
}

/** A clock that only moves when told, in the place of the real one. */
function clock() {
  let now = 1_000
  const sleepers: { at: number; wake: () => void }[] = []
  const restore = replaceAmbient({
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        sleepers.push({ at: now + ms, wake: resolve })
        signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true })
      }),
  })
  return {
    pass(ms: number) {
      now += ms
      for (const { at, wake } of sleepers) if (at <= now) wake()
    },
    [Symbol.dispose]: restore,
  }
}

describe("a reply that reaches a limit ends with budget_exceeded", () => {
  test.each<[keyof BudgetLimits, BudgetLimits]>([
    ["modelCalls", { modelCalls: 2 }],
    ["tokens", { tokens: 80 }],
    ["toolCalls", { toolCalls: 1 }],
  ])("%s", async (name, budget) => {
    const { agent, model } = make([adding, adding], { budget })
    const reply = await agent.reply("Count.")
    expect(reply.finishReason).toBe("budget_exceeded")
    expect(textOf(reply)).toMatch(/^The budget of \d+ (model calls|tokens|tool calls) is used up\.$/)
    expect(reply.usage).toMatchObject({ inputTokens: 60, outputTokens: 20 })
    model.assertDone()
    expect(memoryOf(agent).at(-1)).toMatchObject({ finishReason: "budget_exceeded" })
    expectValid(memoryOf(agent))
    expect(name).toBeDefined()
  })

  test("calls over the limit of tool calls do not run, and the model's history says so", async () => {
    const ran: string[] = []
    const count = named("count", () => ran.push("x"))
    const toolUses = Array.from({ length: 3 }, () => ({ name: "count", input: {} }))
    const { agent } = make([{ toolUses }], { tools: [count], budget: { toolCalls: 2 } })
    await agent.reply("go")
    expect(ran).toHaveLength(2)
    expect(
      memoryOf(agent)
        .flatMap(toolResultsOf)
        .map(({ state }) => state),
    ).toEqual(["success", "success", "error"])
  })

  test("a call that waits for an approval counts once", async () => {
    const { refund } = refundTool()
    const budget = new Budget({ toolCalls: 2 })
    const { agent } = make([{ toolUses: [{ name: "refund", input: { amount: 1 } }] }, "ok"], {
      tools: [refund],
      budget,
    })
    const { pending } = await agent.reply("go")
    await agent.resume({ approvals: pending.map((call) => approve(call)) })
    expect(budget.spent.toolCalls).toBe(1)
  })

  test("nothing is left at all: no call is made", async () => {
    const { agent, model } = make([], { budget: { modelCalls: 0 } })
    expect((await agent.reply("x")).finishReason).toBe("budget_exceeded")
    expect(model.requests).toEqual([])
    expect(rolesOf(agent)).toEqual(["user", "assistant"])
  })

  test("time: what is going on is stopped, what was said stays", async () => {
    using time = clock()
    const model = new ManualModel(stalls(...text(0, "Once upon")))
    const agent = new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, budget: { timeMs: 500 } })
    const reply = agent.reply("Tell me a story.")
    await idle()
    time.pass(500)
    expect(await reply).toMatchObject({ finishReason: "budget_exceeded" })
    expect(textOf(await reply)).toBe("The budget of 500 ms is used up.")
    expect(memoryOf(agent).map((msg) => msg.finishReason)).toEqual([undefined, "interrupted", "budget_exceeded"])
    expect((await agent.reply("More.")).finishReason).toBe("budget_exceeded")
  })

  test("time, during a tool", async () => {
    using time = clock()
    const { agent } = make([{ toolUses: [{ name: "hang", input: {} }] }], {
      tools: [named("hang", () => new Promise(() => {}))],
      budget: { timeMs: 500 },
    })
    const reply = agent.reply("go")
    await idle()
    time.pass(501)
    expect((await reply).finishReason).toBe("budget_exceeded")
    expectValid(memoryOf(agent))
  })
})

describe("a pool", () => {
  test("is shared by agents, and says what was spent", async () => {
    const budget = new Budget({ modelCalls: 3 })
    const one = make([adding, "3"], { budget })
    const two = make(["x"], { budget })
    await one.agent.reply("1 + 2?")
    expect(budget.spent).toMatchObject({ modelCalls: 2, toolCalls: 1, tokens: 40, costUsd: 0 })
    await two.agent.reply("?")
    expect((await one.agent.reply("?")).finishReason).toBe("budget_exceeded")
  })

  test("plain limits are a pool of the agent; those of a call are for that reply alone", async () => {
    const { agent } = make(["a", "b", "c"], { budget: { modelCalls: 3 } })
    const limits = { modelCalls: 1 }
    for (let i = 0; i < 3; i++) expect((await agent.reply("?", { budget: limits })).finishReason).toBe("completed")
    expect((await agent.reply("?")).finishReason).toBe("budget_exceeded")
  })

  test("costs count where the model's price is known", async () => {
    const budget = new Budget({ costUsd: 1 })
    budget.countUsage({ inputTokens: 1, outputTokens: 1, timeMs: 1, costUsd: 0.4 })
    budget.countUsage({ inputTokens: 1, outputTokens: 1, timeMs: 1 })
    expect(budget.reached("model")).toBeUndefined()
    budget.countUsage({ inputTokens: 1, outputTokens: 1, timeMs: 1, costUsd: 0.6 })
    expect(budget.reached("model")).toBe("costUsd")
    expect(budget.spent).toMatchObject({ tokens: 6, costUsd: 1 })
  })

  test("time runs during replies, once for several at a time", async () => {
    using time = clock()
    const budget = new Budget({ timeMs: 10_000 })
    const during = gate()
    const slow = named("slow", () => during.promise)
    const steps: ScriptedStep[] = [{ toolUses: [{ name: "slow", input: {} }] }, "ok"]
    const replies = [1, 2].map(() => make(steps, { tools: [slow], budget }).agent.reply("go"))
    await idle()
    time.pass(300)
    expect(budget.spent.timeMs).toBe(300)
    during.resolve()
    await Promise.all(replies)
    time.pass(1_000)
    expect(budget.spent.timeMs).toBe(300)
    expect(budget.leftMs).toBe(9_700)
  })

  test("no timer is left after a reply", async () => {
    const { agent } = make(["ok"], { budget: { timeMs: 3_600_000 } })
    const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
    await agent.reply("?")
    expect(process.getActiveResourcesInfo().filter((name) => name === "Timeout").length).toBe(before)
    expect(ambient().now()).toBeGreaterThan(0)
  })

  test("wrong limits are refused", () => {
    expect(() => new Budget({ token: 5 } as BudgetLimits)).toThrow(/Did you mean "tokens"/)
    expect(() => new Budget({ tokens: -1 })).toThrow(/at least 0/)
    expect(() => new Budget({ timeMs: "1s" as never })).toThrow(/timeMs must be a number/)
    expect(() => make([], { budget: { tokens: Number.NaN } })).toThrow(/tokens/)
  })
})
