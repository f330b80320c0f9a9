import { AgentScopeError, type Reply, textOf } from "@agentscope-ts/message"
import { modelError, withFallback, RateLimiter, withRateLimit } from "@agentscope-ts/model"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, test } from "vitest"
import { ManualModel, stalls, text } from "../fixtures/manual-model.ts"
import { MeasuredModel, took } from "../fixtures/measured-model.ts"
import { eventsOf, expectValid, idle, memoryOf, ofType } from "../fixtures/runs.ts"
import { add } from "../fixtures/tools.ts"
import { Budget, type BudgetLimits, ReActAgent, type ReActOptions } from "../index.ts"
import { ledgerOf } from "./budget.ts"

const agentOf = (model: ReActOptions["model"], budget?: Budget | BudgetLimits, options: Partial<ReActOptions> = {}) =>
  new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, budget, ...options })
/** Nothing is held any more. */
const expectFree = (budget: Budget) => {
  const { held, calls } = ledgerOf(budget)
  expect({ ...held, calls }).toEqual({ tokens: 0, costUsd: 0, modelCalls: 0, toolCalls: 0, calls: 0 })
}
const price = { inputPerMTok: 1, outputPerMTok: 10 }
const reasons = (replies: readonly Reply<unknown>[]) => replies.map(({ finishReason }) => finishReason)

describe("what a call may take at most is held before it is made", () => {
  test("one that does not fit into what is left is not made", async () => {
    const model = new MeasuredModel(took(60, 100), { input: 60, params: { maxTokens: 100 } })
    const budget = new Budget({ tokens: 300 })
    const agent = agentOf(model, budget)
    expect((await agent.reply("?")).finishReason).toBe("completed")
    const reply = await agent.reply("?")
    expect(reply.finishReason).toBe("budget_exceeded")
    expect(textOf(reply)).toMatch(
      /^The budget of 300 tokens is not enough to go on: the next model call may take \d+ tokens, and 140 tokens are left\.$/,
    )
    expect(model.requests).toHaveLength(1)
    expect(budget.spent).toMatchObject({ tokens: 160, modelCalls: 1 })
    expectFree(budget)
    expectValid(memoryOf(agent))
  })

  test("and counts no model call, nor is the start of one told", async () => {
    const model = new MeasuredModel(took(1, 1), { params: { maxTokens: 1000 } })
    const budget = new Budget({ tokens: 500 })
    const events = await eventsOf(agentOf(model, budget).stream("?"))
    expect(ofType(events, "model_start")).toEqual([])
    expect(budget.spent.modelCalls).toBe(0)
  })

  test.each<[string, BudgetLimits, keyof BudgetLimits, number]>([
    ["tokens", { tokens: 1000 }, "tokens", 7],
    ["money", { costUsd: 0.0105 }, "costUsd", 10],
    ["both", { tokens: 1000, costUsd: 0.0105 }, "tokens", 7],
    ["model calls", { modelCalls: 7 }, "modelCalls", 7],
  ])("20 agents at once never take more than one pool has: %s", async (_, limits, kind, calls) => {
    const budget = new Budget(limits)
    const model = new MeasuredModel(took(40, 100), { input: 40, params: { maxTokens: 100 }, price })
    const replies = await Promise.all(Array.from({ length: 20 }, () => agentOf(model, budget).reply("?")))
    expect(budget.spent[kind]).toBeLessThanOrEqual(limits[kind] ?? 0)
    expect(reasons(replies).filter((reason) => reason === "completed")).toHaveLength(model.requests.length)
    expect(new Set(reasons(replies))).toEqual(new Set(["completed", "budget_exceeded"]))
    expect(model.requests).toHaveLength(calls)
    expect(model.peak).toBeGreaterThan(1)
    expectFree(budget)
  })

  test("20 agents at once, whose answers are shorter than they might be, wait for what comes free", async () => {
    const budget = new Budget({ tokens: 2000 })
    const model = new MeasuredModel(took(40, 10), { input: 40, params: { maxTokens: 500 } })
    const replies = await Promise.all(Array.from({ length: 20 }, () => agentOf(model, budget).reply("?")))
    expect(new Set(reasons(replies))).toEqual(new Set(["completed"]))
    expect(budget.spent.tokens).toBe(1000)
    expect(model.peak).toBeLessThanOrEqual(3)
    expectFree(budget)
  })

  test("of a ScriptedModel with maxTokens, too", async () => {
    class Limited extends ScriptedModel {
      override readonly params = { maxTokens: 50 }
    }
    const step = { text: "ok", usage: { inputTokens: 20, outputTokens: 50 } }
    const model = new Limited(Array.from({ length: 20 }, () => step))
    const budget = new Budget({ tokens: 500 })
    await Promise.all(
      Array.from({ length: 20 }, () => agentOf(model, budget).reply("Say something, please: anything will do.")),
    )
    expect(budget.spent.tokens).toBeLessThanOrEqual(500)
    expect(model.requests.length).toBeGreaterThanOrEqual(5)
    expectFree(budget)
  })

  test("one that waits can be interrupted and given up", async () => {
    const budget = new Budget({ tokens: 200 })
    const first = agentOf(
      new MeasuredModel(stalls(...text(0, "Well")), { input: 40, params: { maxTokens: 100 } }),
      budget,
    )
    const running = first.reply("?")
    await idle()
    const model = new MeasuredModel(took(40, 10), { input: 40, params: { maxTokens: 100 } })
    const [second, third] = [agentOf(model, budget), agentOf(model, budget)]
    const controller = new AbortController()
    const [waiting, failing] = [second.reply("?"), third.reply("?", { signal: controller.signal })]
    await idle()
    second.interrupt()
    controller.abort("no more")
    expect((await waiting).finishReason).toBe("interrupted")
    await expect(failing).rejects.toBe("no more")
    expect(model.requests).toEqual([])
    first.interrupt()
    await running
    expect((await second.reply("?")).finishReason).toBe("completed")
    expectFree(budget)
  })
})

describe("where the answer has no limit of its own", () => {
  test("a known model is limited to what is left, down to an answer that is worth its input", async () => {
    const facts = { maxOutputTokens: 10_000 }
    const model = new MeasuredModel([took(100, 4000), took(100, 700), took(100, 5)], { input: 100, facts })
    const budget = new Budget({ tokens: 5000 })
    const agent = agentOf(model, budget)
    const ends = [await agent.reply("?"), await agent.reply("?"), await agent.reply("?")]
    expect(reasons(ends)).toEqual(["completed", "completed", "budget_exceeded"])
    const [first = 0, second = 0] = model.requests.map(({ params }) => params?.maxTokens)
    expect(first).toBe(4900)
    expect(second).toBeGreaterThan(700)
    expect(second).toBeLessThanOrEqual(800)
    expectFree(budget)
  })

  test("an answer that its limit cuts off ends with budget_exceeded; it is not told as complete", async () => {
    const facts = { maxOutputTokens: 10_000 }
    const model = new MeasuredModel(
      (sink) => {
        sink.emit({ type: "text_delta", index: 0, text: "Once upon" })
        sink.finish({ stopReason: "length", usage: { inputTokens: 100, outputTokens: 900 } })
      },
      { input: 100, facts },
    )
    const agent = agentOf(model, { tokens: 1000 })
    const reply = await agent.reply("?")
    expect([textOf(reply), reply.finishReason]).toEqual(["Once upon", "budget_exceeded"])
    expect(memoryOf(agent).at(-1)?.finishReason).toBe("budget_exceeded")
  })

  test("and so does one in which it said nothing", async () => {
    const model = new MeasuredModel((sink) => sink.finish({ stopReason: "length" }), {
      facts: { maxOutputTokens: 10_000 },
    })
    const reply = await agentOf(model, { tokens: 1000 }).reply("?")
    expect(reply.finishReason).toBe("budget_exceeded")
    expect(textOf(reply)).toMatch(/^The budget left room for \d+ tokens/)
  })

  test("a model that thinks keeps the room for its thinking, or is not asked", async () => {
    const options = { input: 100, facts: { maxOutputTokens: 64_000 }, params: { reasoning: { budgetTokens: 4000 } } }
    const model = new MeasuredModel(took(100, 50), options)
    await agentOf(model, { tokens: 10_000 }).reply("?")
    expect(model.requests[0]?.params).toEqual({ reasoning: { budgetTokens: 4000 }, maxTokens: 5900 })
    expect((await agentOf(model, { tokens: 4300 }).reply("?")).finishReason).toBe("budget_exceeded")
    expect(model.requests).toHaveLength(1)
  })

  test("several at once of a known model share what is left, and need not wait for each other", async () => {
    const model = new MeasuredModel(took(100, 50), { input: 100, facts: { maxOutputTokens: 128_000 } })
    const budget = new Budget({ tokens: 100_000 })
    const replies = await Promise.all(Array.from({ length: 5 }, () => agentOf(model, budget).reply("?")))
    expect(new Set(reasons(replies))).toEqual(new Set(["completed"]))
    expect(model.peak).toBeGreaterThanOrEqual(4)
    const limits = model.requests.map(({ params }) => params?.maxTokens ?? Number.POSITIVE_INFINITY)
    expect(limits.reduce((sum, limit) => sum + limit)).toBeLessThan(100_000)
    expect(Math.min(...limits)).toBeGreaterThanOrEqual(4096)
    expectFree(budget)
  })

  test("a limit of money limits the answer as well", async () => {
    const model = new MeasuredModel(took(100, 50), { input: 100, facts: { maxOutputTokens: 64_000, price } })
    await agentOf(model, { costUsd: 0.02 }).reply("?")
    const { maxTokens = 0 } = model.requests[0]?.params ?? {}
    expect(maxTokens).toBe(Math.floor((0.02 - 0.0001) / 0.00001))
  })

  test("of an unknown model nothing can be said: it is asked as long as something is left", async () => {
    const model = new MeasuredModel(took(30, 10))
    const budget = new Budget({ tokens: 1_000_000 })
    await agentOf(model, budget).reply("?")
    expect(model.requests[0]?.params?.maxTokens).toBeUndefined()
    const small = new Budget({ tokens: 41 })
    const agent = agentOf(model, small)
    expect(reasons([await agent.reply("?"), await agent.reply("?"), await agent.reply("?")])).toEqual([
      "completed",
      "completed",
      "budget_exceeded",
    ])
    expectFree(small)
  })

  test("several of an unknown model come one after the other when a pool is nearly empty", async () => {
    const model = new MeasuredModel(took(30, 10))
    const budget = new Budget({ tokens: 100 })
    await Promise.all(Array.from({ length: 20 }, () => agentOf(model, budget).reply("?")))
    expect([model.peak, model.requests.length, budget.spent.tokens]).toEqual([1, 3, 120])
  })

  test("nothing is said to a model whose calls alone are limited", async () => {
    const model = new MeasuredModel(took(1, 1), { facts: { maxOutputTokens: 1000 } })
    await agentOf(model, { modelCalls: 1, toolCalls: 1, timeMs: 1e6 }).reply("?")
    expect(model.requests[0]?.params).toEqual({})
  })
})

describe("what was held is let go for what was spent", () => {
  const limits = { tokens: 1000 }
  const options = { input: 50, params: { maxTokens: 100 } }

  test("without a usage an estimate counts", async () => {
    const budget = new Budget(limits)
    const said = "x".repeat(400)
    await agentOf(
      new MeasuredModel((sink) => {
        sink.emit({ type: "text_delta", index: 0, text: said })
        sink.finish({ stopReason: "stop" })
      }, options),
      budget,
    ).reply("?")
    expect(budget.spent.tokens).toBeGreaterThan(104)
    expect(budget.spent.tokens).toBeLessThan(130)
    expectFree(budget)
  })

  test("a call that was refused took nothing; one that timed out may have", async () => {
    for (const [code, least] of [
      ["invalid_request", 0],
      ["rate_limited", 0],
      ["network", 0],
      ["timeout", 5],
    ] as const) {
      const budget = new Budget(limits)
      const failing = new MeasuredModel(() => {
        throw modelError({ code, message: "no" })
      }, options)
      await expect(agentOf(failing, budget).reply("?")).rejects.toMatchObject({ code })
      expect(budget.spent.tokens).toBeGreaterThanOrEqual(least)
      expect(budget.spent.tokens).toBeLessThan(20)
      if (least === 0) expect(budget.spent.tokens).toBe(0)
      expectFree(budget)
    }
  })

  test("an answer that breaks off, or is interrupted or given up, counts as far as it came", async () => {
    const half = text(0, "x".repeat(200))
    const breaks = new MeasuredModel((sink) => {
      for (const delta of half) sink.emit(delta)
      throw modelError({ code: "network", message: "gone" })
    }, options)
    const budget = new Budget(limits)
    await expect(agentOf(breaks, budget).reply("?")).rejects.toMatchObject({ code: "network" })
    expect(budget.spent.tokens).toBeGreaterThan(54)
    expectFree(budget)
    for (const stop of ["interrupt", "abort"]) {
      const pool = new Budget(limits)
      const agent = agentOf(new MeasuredModel(stalls(...half), options), pool)
      const controller = new AbortController()
      const reply = agent.reply("?", { signal: controller.signal })
      await idle()
      await idle()
      expect(ledgerOf(pool).held.tokens).toBeGreaterThan(100)
      if (stop === "abort") controller.abort("no")
      else agent.interrupt()
      await reply.catch(() => {})
      expect(pool.spent.tokens).toBeGreaterThan(54)
      expect(pool.spent.tokens).toBeLessThan(100)
      expectFree(pool)
    }
  })

  test("one that was tried again is held once, and counts once", async () => {
    const budget = new Budget({ tokens: 300 })
    const model = new MeasuredModel(
      [
        () => {
          throw modelError({ code: "overloaded", message: "busy", details: { retryAfterMs: 1 } })
        },
        took(50, 20),
      ],
      { ...options, maxRetries: 1 },
    )
    expect((await agentOf(model, budget).reply("?")).finishReason).toBe("completed")
    expect(budget.spent).toMatchObject({ tokens: 70, modelCalls: 1 })
    expectFree(budget)
  })

  describe("a question that is asked again, as its answer did not do,", () => {
    const malformed = took(50, 90, "")
    const broken: typeof malformed = (sink) =>
      sink.finish({ stopReason: "malformed_tool_call", usage: { inputTokens: 50, outputTokens: 90 } })

    test("is held anew and counts, too", async () => {
      const budget = new Budget({ tokens: 1000 })
      const model = new MeasuredModel([broken, took(60, 20)], options)
      expect((await agentOf(model, budget, { tools: [add] }).reply("?")).finishReason).toBe("completed")
      expect(model.requests).toHaveLength(2)
      expect(budget.spent).toMatchObject({ tokens: 220, modelCalls: 1 })
      expectFree(budget)
    })

    test("is not asked when that does not fit", async () => {
      const budget = new Budget({ tokens: 200 })
      const model = new MeasuredModel([broken, took(60, 20)], options)
      const agent = agentOf(model, budget, { tools: [add] })
      const reply = await agent.reply("?")
      expect(reply.finishReason).toBe("budget_exceeded")
      expect(reply.usage).toMatchObject({ inputTokens: 50, outputTokens: 90 })
      expect(model.requests).toHaveLength(1)
      expect(budget.spent.tokens).toBe(140)
      expectFree(budget)
      expectValid(memoryOf(agent))
    })
  })

  test("behind a limit of rates and a fallback as well; who waits for either holds up nobody", async () => {
    const budget = new Budget({ tokens: 1000 })
    const limiter = new RateLimiter({ maxConcurrent: 1 })
    const failing = new MeasuredModel(() => {
      throw modelError({ code: "overloaded", message: "busy" })
    }, options)
    const spare = new MeasuredModel(took(50, 20), options)
    const model = withFallback([withRateLimit(failing, limiter), withRateLimit(spare, limiter)])
    const replies = await Promise.all(Array.from({ length: 10 }, () => agentOf(model, budget).reply("?")))
    expect(new Set(reasons(replies))).toEqual(new Set(["completed"]))
    expect(budget.spent.tokens).toBe(700)
    expectFree(budget)
  })

  test("the reply that ends when time is up lets go, too", async () => {
    const budget = new Budget({ tokens: 1000, timeMs: 20 })
    const model = new ManualModel(stalls(...text(0, "Well")))
    expect((await agentOf(model, budget).reply("?")).finishReason).toBe("budget_exceeded")
    expectFree(budget)
  })
})

test("a reply that is stopped while its input is counted makes no call and holds nothing", async () => {
  const budget = new Budget({ tokens: 130 })
  const agents: ReActAgent[] = []
  class Counting extends MeasuredModel {
    override countTokens() {
      agents[0]?.interrupt()
      return Promise.resolve(20)
    }
  }
  const model = new Counting(took(20, 10), { params: { maxTokens: 100 } })
  agents.push(agentOf(model, budget))
  expect((await agents[0]?.reply("?"))?.finishReason).toBe("interrupted")
  expect(model.requests).toEqual([])
  expect(budget.spent.tokens).toBe(0)
  expectFree(budget)
})

test("a hook, a tool and a listener that throw leave nothing held", async () => {
  const budget = new Budget({ tokens: 10_000 })
  const model = new MeasuredModel(took(50, 10), { params: { maxTokens: 100 } })
  const fails = () => {
    throw new AgentScopeError({ code: "mine", message: "no" })
  }
  for (const hooks of [{ preReasoning: fails }, { postReasoning: fails }, { postReply: fails }]) {
    await expect(agentOf(model, budget, { hooks }).reply("?")).rejects.toMatchObject({ code: "mine" })
    expectFree(budget)
  }
})
