import { replaceAmbient, textOf } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { ledgerOf } from "./budget.ts"
import { agentOf, asks, heldOf, nothing, usage } from "../fixtures/budgets.ts"
import { MeasuredModel, took } from "../fixtures/measured-model.ts"
import { named } from "../fixtures/tools.ts"
import { Budget, type BudgetLimits, ReActAgent } from "../index.ts"

describe("a lease", () => {
  test("is taken out of the pool, spent for both, and what is left comes back", () => {
    const pool = new Budget({ tokens: 100, modelCalls: 10 })
    {
      using lease = pool.lease({ tokens: 60 })
      expect(lease.limits).toEqual({ tokens: 60 })
      expect(heldOf(pool).tokens).toBe(60)
      lease.countUsage(usage)
      expect([lease.spent.tokens, pool.spent.tokens, heldOf(pool).tokens]).toEqual([40, 40, 20])
      expect(pool.lease({ tokens: 60 }).limits.tokens).toBe(40)
    }
    expect([pool.spent.tokens, heldOf(pool).tokens]).toEqual([40, 40])
  })

  test("is never more than is left, at any height", () => {
    const root = new Budget({ tokens: 100 })
    const middle = root.lease({ modelCalls: 5 })
    const low = middle.lease({ tokens: 80 })
    expect(heldOf(root).tokens).toBe(80)
    expect(heldOf(middle).tokens).toBe(80)
    expect(middle.lease({ tokens: 50 }).limits.tokens).toBe(20)
    expect(root.lease({ tokens: 1 }).limits.tokens).toBe(0)
    const lowest = low.lease({ tokens: 1000, modelCalls: 9 })
    expect(lowest.limits).toEqual({ tokens: 80, modelCalls: 5 })
    lowest.countUsage(usage)
    expect([lowest, low, middle, root].map(({ spent }) => spent.tokens)).toEqual([40, 40, 40, 40])
    expect([low, middle, root].map((budget) => heldOf(budget).tokens)).toEqual([40, 40 + 20, 60])
  })

  test("that overdraws, as nobody knew the maximum, takes nothing back from others", () => {
    const root = new Budget({ tokens: 100 })
    const [one, two] = [root.lease({ tokens: 30 }), root.lease({ tokens: 70 })]
    one.countUsage(usage)
    expect([root.spent.tokens, heldOf(root).tokens]).toEqual([40, 70])
    one.release()
    two.countUsage(usage)
    two.release()
    expect([root.spent.tokens, heldOf(root).tokens]).toEqual([80, 0])
  })

  test("gives back once; nothing more can be spent from it, and what is still counted counts above", async () => {
    const root = new Budget({ tokens: 100 })
    const lease = root.lease({ tokens: 30 })
    lease.release()
    lease.release()
    lease[Symbol.dispose]()
    root.release()
    expect(heldOf(root)).toEqual(nothing)
    expect(lease.reached("model")).toBe("tokens")
    const reply = await agentOf("late", [], { budget: lease }).reply("?")
    expect([reply.finishReason, textOf(reply)]).toEqual([
      "budget_exceeded",
      "The budget of 30 tokens was leased, and has been given back.",
    ])
    lease.countUsage(usage)
    expect([root.spent.tokens, heldOf(root).tokens]).toEqual([40, 0])
    expect((await agentOf("on", ["ok"], { budget: root }).reply("?")).finishReason).toBe("completed")
  })

  test("given back while a call of it is under way keeps what that may take until it ends", async () => {
    const root = new Budget({ tokens: 1000 })
    const lease = root.lease({ tokens: 500 })
    const model = new MeasuredModel(took(40, 60), { params: { maxTokens: 100 } })
    const reply = new ReActAgent({ name: "x", systemPrompt: "x", model, budget: lease }).reply("?")
    await Promise.resolve()
    for (let i = 0; i < 20 && model.active === 0; i++) await Promise.resolve()
    lease.release()
    expect(heldOf(root).tokens).toBeGreaterThan(100)
    expect(heldOf(root).tokens).toBeLessThan(200)
    await reply
    expect([root.spent.tokens, heldOf(root).tokens]).toEqual([100, 0])
  })

  test("without limits counts apart and spends from the pool directly", async () => {
    const root = new Budget({ modelCalls: 3 })
    const [one, two] = [root.lease(), root.lease()]
    await agentOf("one", [asks("add"), "ok"], { budget: one }).reply("?")
    await agentOf("two", ["ok"], { budget: two }).reply("?")
    expect([one, two, root].map(({ spent }) => spent.modelCalls)).toEqual([2, 1, 3])
    expect(one.reached("model")).toBe("modelCalls")
  })

  test("of time is a limit of its own; the clock of the pool runs with it", async () => {
    let now = 0
    const restore = replaceAmbient({ now: () => now })
    try {
      const root = new Budget({ timeMs: 1000 })
      const lease = root.lease({ timeMs: 5000 })
      expect(lease.limits.timeMs).toBe(1000)
      const short = root.lease({ timeMs: 300 })
      const slow = named("slow", () => {
        now += 400
      })
      const agent = agentOf("x", [asks("slow"), "never"], { budget: short, tools: [slow] })
      expect((await agent.reply("?")).finishReason).toBe("budget_exceeded")
      expect([short, root, lease].map(({ spent }) => spent.timeMs)).toEqual([400, 400, 0])
    } finally {
      restore()
    }
  })

  test("random leases, spendings and releases never let children take more than there is", () => {
    let seed = 1
    const random = (below: number) => (seed = (seed * 48_271) % 0x7fffffff) % below
    for (let round = 0; round < 300; round++) {
      const root = new Budget({ tokens: 1000, modelCalls: 50 })
      const open: Budget[] = [root]
      const all: Budget[] = [root]
      for (let step = 0; step < 40; step++) {
        const at = open[random(open.length)] as Budget
        const choice = random(4)
        if (choice === 0) {
          const limits: BudgetLimits = {}
          if (random(2)) limits.tokens = random(500)
          if (random(3) === 0) limits.modelCalls = random(20)
          const lease = at.lease(limits)
          open.push(lease)
          all.push(lease)
        } else if (choice === 1 && at !== root) {
          at.release()
          open.splice(open.indexOf(at), 1)
        } else {
          const most = Math.min(
            ...ledgerOf(at)
              .holders("tokens")
              .map((ledger) => ledger.left("tokens")),
          )
          const tokens = random(Math.max(1, Math.min(100, most + 1)))
          if (tokens <= most) at.countUsage({ inputTokens: tokens, outputTokens: 0, timeMs: 0 })
        }
        for (const budget of all) {
          const { held, spent, limits } = ledgerOf(budget)
          expect(held.tokens).toBeGreaterThanOrEqual(0)
          if (!open.includes(budget)) continue
          expect(spent.tokens + held.tokens).toBeLessThanOrEqual((limits.tokens ?? 1000) + 1e-9)
        }
      }
      // the lowest first or last: all the same
      for (const lease of open.slice(1).sort(() => random(3) - 1)) lease.release()
      expect(heldOf(root)).toEqual(nothing)
    }
  })
})
