import { approve, textOf, toolResultsOf } from "@agentscope-ts/message"
import type { ScriptedStep } from "@agentscope-ts/testing"
import { Toolkit } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { ledgerOf } from "./budget.ts"
import { agentOf, asks, heldOf, nothing, usage } from "../fixtures/budgets.ts"
import { MeasuredModel, took } from "../fixtures/measured-model.ts"
import { expectValid, idle, memoryOf } from "../fixtures/runs.ts"
import { add, named, refundTool } from "../fixtures/tools.ts"
import { AgentBase, agentAsTool, Budget, ReActAgent, type RunContext } from "../index.ts"

const resultsOf = (agent: ReActAgent) => memoryOf(agent).flatMap(toolResultsOf)

describe("a sub-agent", () => {
  test("spends from the budgets of the reply and the agent that ask for it, and each counts once", async () => {
    const shared = new Budget({ tokens: 1000 })
    const expert = agentOf("expert", [asks("add"), { text: "3", usage }], { tools: [add], budget: shared })
    const ofReply = new Budget({ toolCalls: 10 })
    const boss = agentOf("boss", [asks(), { text: "ok", usage }], {
      tools: [agentAsTool(expert, { description: "Knows" })],
      budget: shared,
    })
    expect((await boss.reply("?", { budget: ofReply })).finishReason).toBe("completed")
    expect(shared.spent).toMatchObject({ tokens: 160, modelCalls: 4, toolCalls: 2 })
    expect(ofReply.spent).toMatchObject({ tokens: 160, modelCalls: 4, toolCalls: 2 })
  })

  test("of the same pool as the one that asks, with a lease of it, is not held twice", async () => {
    const pool = new Budget({ tokens: 1000 })
    const model = new MeasuredModel(took(40, 100), { input: 40, params: { maxTokens: 600 } })
    const expert = new ReActAgent({ name: "expert", systemPrompt: "x", model, budget: pool })
    const ended = await expert.reply("?", { budget: pool.lease({ tokens: 900 }) })
    expect([ended.finishReason, pool.spent.tokens, heldOf(pool).tokens]).toEqual(["completed", 140, 760])
    const other = await expert.reply("?", { budget: pool.lease({ modelCalls: 5 }) })
    expect([other.finishReason, heldOf(pool).modelCalls]).toEqual(["budget_exceeded", 5])
  })

  test("also where its events are not forwarded, and through a third", async () => {
    const lowest = agentOf("lowest", [{ text: "3", usage }])
    const middle = agentOf("middle", [asks("lowest"), { text: "ok", usage }], {
      tools: [agentAsTool(lowest, { description: "x", forwardEvents: false })],
    })
    const budget = new Budget({ tokens: 1000 })
    const boss = agentOf("boss", [asks("middle"), { text: "ok", usage }], {
      tools: [agentAsTool(middle, { description: "x", forwardEvents: false })],
      budget,
    })
    await boss.reply("?")
    expect(budget.spent).toMatchObject({ tokens: 200, modelCalls: 5, toolCalls: 2 })
    // asked by nobody it spends from nothing of theirs
    await agentOf("other", [asks("middle")], {})
      .reply("?")
      .catch(() => {})
    expect(budget.spent.modelCalls).toBe(5)
  })

  test("of a class of one's own, too, by the usage that it tells", async () => {
    class Own extends AgentBase {
      protected override async run(_: unknown, context: RunContext) {
        context.addUsage(usage)
        return { id: "1", name: "own", role: "assistant", content: [], timestamp: "" } as const
      }
    }
    const budget = new Budget({ tokens: 100 })
    const own = new Own({ name: "expert" })
    await own.reply("?", { budget })
    expect(budget.spent.tokens).toBe(40)
    const boss = agentOf("boss", [asks(), "ok"], { tools: [agentAsTool(own, { description: "x" })], budget })
    await boss.reply("?")
    expect(budget.spent.tokens).toBe(120)
  })

  test("that ends on the budget of the one that asks is an error result there, and both end", async () => {
    const expert = agentOf("expert", [asks("add"), asks("add"), asks("add")], { tools: [add] })
    const boss = agentOf("boss", [asks()], {
      tools: [agentAsTool(expert, { description: "x" })],
      budget: { modelCalls: 3 },
    })
    const reply = await boss.reply("?")
    expect([reply.finishReason, textOf(reply)]).toEqual(["budget_exceeded", "The budget of 3 model calls is used up."])
    expect(resultsOf(boss)).toMatchObject([{ state: "error", metadata: { finishReason: "budget_exceeded" } }])
    expect(textOf(resultsOf(boss)[0]!)).toContain("budget of 3 model calls")
    expectValid(memoryOf(boss))
    expectValid(memoryOf(expert))
  })

  test("with limits gets a lease for each call: beyond it ends, and the one that asked goes on", async () => {
    const expert = () => agentOf("expert", [asks("add"), asks("add"), asks("add")], { tools: [add] })
    const budget = new Budget({ modelCalls: 10 })
    const boss = agentOf(
      "boss",
      [{ toolUses: [1, 2, 3].map(() => ({ name: "expert", input: { message: "?" } })) }, "ok"],
      {
        tools: [agentAsTool(expert, { description: "x", budget: { modelCalls: 2 } })],
        budget,
      },
    )
    const reply = await boss.reply("?")
    expect(reply.finishReason).toBe("completed")
    expect(resultsOf(boss).map(({ state, metadata }) => [state, metadata?.["finishReason"]])).toEqual(
      [1, 2, 3].map(() => ["error", "budget_exceeded"]),
    )
    expect(budget.spent.modelCalls).toBe(8)
    expect(heldOf(budget)).toEqual(nothing)
  })

  test("has the limits also where nothing limits the one that asks, or nobody does", async () => {
    const tool = agentAsTool(() => agentOf("expert", [asks("add"), "ok"], { tools: [add] }), {
      description: "x",
      budget: { modelCalls: 1 },
    })
    const boss = agentOf("boss", [asks(), "ok"], { tools: [tool] })
    await boss.reply("?")
    expect(resultsOf(boss)).toMatchObject([{ metadata: { finishReason: "budget_exceeded" } }])
    const { result } = new Toolkit({ tools: [tool] }).execute({
      type: "tool_use",
      id: "1",
      name: "expert",
      input: { message: "?" },
    })
    expect((await result).metadata).toMatchObject({ finishReason: "budget_exceeded" })
    expect(() => agentAsTool(agentOf("x", []), { description: "x", budget: { tokns: 1 } as never })).toThrow(/tokens/)
  })

  test("gives its lease back however the call ends", async () => {
    const budget = new Budget({ modelCalls: 100 })
    const hangs = named("hang", () => new Promise(() => {}))
    const limits = { modelCalls: 50 }
    const hanging = agentOf("expert", [asks("hang")], { tools: [hangs] })
    const boss = agentOf("boss", [asks()], {
      tools: [agentAsTool(hanging, { description: "x", budget: limits })],
      budget,
    })
    const reply = boss.reply("?")
    while (ledgerOf(budget).held.modelCalls === 0) await idle()
    await idle()
    boss.interrupt()
    expect((await reply).finishReason).toBe("interrupted")
    await idle()
    const failing = agentOf("expert", [{ error: new Error("down") }])
    const other = agentOf("boss", [asks(), "ok"], {
      tools: [agentAsTool(failing, { description: "x", budget: limits })],
      budget,
    })
    await other.reply("?")
    expect(heldOf(budget)).toEqual(nothing)
  })

  test("20 sub-agents at once never take more than the pool of the one that asks", async () => {
    const model = new MeasuredModel(took(40, 100), { input: 40, params: { maxTokens: 100 } })
    const make = () => new ReActAgent({ name: "expert", systemPrompt: "x", model })
    const budget = new Budget({ tokens: 1000 })
    const toolUses = Array.from({ length: 20 }, () => ({ name: "expert", input: { message: "?" } }))
    const boss = agentOf(
      "boss",
      [
        { toolUses, usage: { inputTokens: 0, outputTokens: 0 } },
        { text: "ok", usage: { inputTokens: 0, outputTokens: 0 } },
      ],
      {
        tools: [agentAsTool(make, { description: "x" })],
        budget,
      },
    )
    const reply = await boss.reply("?")
    expect(budget.spent.tokens).toBeLessThanOrEqual(1000)
    expect(model.requests).toHaveLength(7)
    expect(reply.finishReason).toBe("completed")
    expect(heldOf(budget)).toEqual(nothing)
  })

  test("FR-34 that two supervisors share spends from the one that asks; nothing of either stays in it", async () => {
    const expert = agentOf(
      "expert",
      [
        { text: "1", usage },
        { text: "2", usage },
        { text: "3", usage },
      ],
      {
        budget: { tokens: 1000 },
      },
    )
    const tool = agentAsTool(expert, { description: "x" })
    const pools = [new Budget({ tokens: 500 }), new Budget({ tokens: 500 })]
    const bosses = pools.map((budget, i) =>
      agentOf(`boss ${i}`, [asks(), { text: "ok", usage }], { tools: [tool], budget }),
    )
    await Promise.all(
      bosses.map(async (boss, i) => {
        // the one conversation of the instance takes one call at a time
        for (let n = 0; n < i; n++) await new Promise((resolve) => setTimeout(resolve, 5))
        return boss.reply("?")
      }),
    )
    expect(pools.map(({ spent }) => spent.tokens)).toEqual([120, 120])
    await expert.reply("and on its own?")
    expect(pools.map(({ spent }) => spent.tokens)).toEqual([120, 120])
    expect(bosses.map((boss) => memoryOf(boss).length)).toEqual([4, 4])
  })
})

describe("calls of tools", () => {
  test("that run side by side are counted before they run", async () => {
    const ran: number[] = []
    const work = named("work", async () => {
      ran.push(1)
      await idle()
    })
    const toolUses = Array.from({ length: 8 }, () => ({ name: "work", input: {} }))
    const budget = new Budget({ toolCalls: 5 })
    const agents = [1, 2, 3].map(() => agentOf("x", [{ toolUses }], { tools: [work], budget }))
    const replies = await Promise.all(agents.map((agent) => agent.reply("?")))
    expect(ran).toHaveLength(5)
    expect(replies.map(({ finishReason }) => finishReason)).toEqual(replies.map(() => "budget_exceeded"))
    expect(agents.flatMap(resultsOf).filter(({ state }) => state === "error")).toHaveLength(19)
    for (const result of agents.flatMap(resultsOf).slice(-3)) {
      expect(textOf(result)).toBe("The budget of 5 tool calls is used up. The call did not run.")
    }
    for (const agent of agents) expectValid(memoryOf(agent))
  })

  test("that was counted when it came to wait runs though the limit is reached", async () => {
    const { refund, refunded } = refundTool()
    const budget = new Budget({ toolCalls: 1 })
    const agent = agentOf("x", [{ toolUses: [{ name: "refund", input: { amount: 1 } }] }, "ok"], {
      tools: [refund],
      budget,
    })
    const { pending } = await agent.reply("go")
    expect((await agent.resume({ approvals: pending.map((call) => approve(call)) })).finishReason).toBe("completed")
    expect(refunded).toEqual([1])
    expect(budget.spent.toolCalls).toBe(1)
  })
})

describe("what was spent is state", () => {
  test("of the agent that made its budget of limits", async () => {
    const make = (steps: readonly ScriptedStep[]) => agentOf("x", steps, { budget: { modelCalls: 2 } })
    const agent = make(["a"])
    await agent.reply("?")
    const saved = JSON.parse(JSON.stringify(agent.stateDict()))
    const again = make(["b"])
    again.loadStateDict(saved)
    expect((await again.reply("?")).finishReason).toBe("completed")
    expect((await again.reply("?")).finishReason).toBe("budget_exceeded")
  })

  test("a pool that is shared is the program's, and can be saved beside its agents", async () => {
    const budget = new Budget({ tokens: 100, timeMs: 50_000 })
    const agent = agentOf("x", [{ text: "a", usage }], { budget })
    await agent.reply("?")
    const other = new Budget({ tokens: 100, timeMs: 50_000 })
    agentOf("x", [], { budget: other }).loadStateDict(agent.stateDict())
    expect(other.spent.tokens).toBe(0)
    other.loadStateDict(JSON.parse(JSON.stringify(budget.stateDict())))
    expect(other.spent).toEqual(budget.spent)
    expect(other.spent.tokens).toBe(40)
  })

  test("a state without any, from an agent without limits, is taken leniently, and leaves the pool as it is; one that is wrong is refused", () => {
    const agent = agentOf("x", [], { budget: { modelCalls: 2 } })
    const before = agentOf("x", []).stateDict()
    expect(() => agent.loadStateDict(before)).toThrow(/"spent" is missing/)
    agent.loadStateDict(before, { strict: false })
    const budget = new Budget({ tokens: 5 })
    budget.countUsage(usage)
    for (const spent of [null, 3, {}, { ...budget.spent, tokens: -1 }, { ...budget.spent, timeMs: "1" }]) {
      expect(() => budget.loadStateDict({ spent })).toThrow(/number of at least 0/)
    }
    expect(budget.spent.tokens).toBe(40)
  })
})
