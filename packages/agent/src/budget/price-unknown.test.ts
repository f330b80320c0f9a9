import { ScriptedModel } from "@agentscope-ts/testing"
import { expect, test } from "vitest"
import { MeasuredModel, took } from "../fixtures/measured-model.ts"
import { eventsOf, ofType } from "../fixtures/runs.ts"
import { add } from "../fixtures/tools.ts"
import { type BudgetLimits, ReActAgent } from "../index.ts"

const make = (model: ReActAgent["model"], budget: BudgetLimits) =>
  new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, tools: [add], budget })
const warningsOf = async (agent: ReActAgent) => ofType(await eventsOf(agent.stream("1 + 2?")), "warning")
const scripted = (usage: { inputTokens: number; outputTokens: number; costUsd?: number }) =>
  new ScriptedModel([
    { toolUses: [{ name: "add", input: { a: 1, b: 2 } }], usage },
    { text: "3", usage },
  ])

test("a limit of money for a model whose price nobody knows is warned of, once a reply, with what to do", async () => {
  const agent = make(scripted({ inputTokens: 30, outputTokens: 10 }), { costUsd: 1 })
  expect(await warningsOf(agent)).toMatchObject([{ code: "price_unknown" }])
  const acme = make(new MeasuredModel([took(1, 1), took(1, 1)], { model: "acme-1" }), { costUsd: 1 })
  for (const _ of [1, 2]) {
    const [warning, ...more] = await warningsOf(acme)
    expect(more).toEqual([])
    expect(warning?.message).toMatch(/"acme-1".*price: \{ inputPerMTok, outputPerMTok \}/)
  }
})

test("no warning where the model has a price, the provider says what it cost, or no money is limited", async () => {
  const price = { inputPerMTok: 0, outputPerMTok: 0 }
  expect(await warningsOf(make(new MeasuredModel(took(1, 1), { price }), { costUsd: 1 }))).toEqual([])
  expect(await warningsOf(make(scripted({ inputTokens: 30, outputTokens: 10, costUsd: 0.1 }), { costUsd: 1 }))).toEqual(
    [],
  )
  expect(await warningsOf(make(scripted({ inputTokens: 30, outputTokens: 10 }), { tokens: 100_000 }))).toEqual([])
})
