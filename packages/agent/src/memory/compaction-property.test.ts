import { approve, type Msg, textOf, toolResultsOf, toolUsesOf } from "@agentscope-ts/message"
import { type Dialect, guardHistory, modelError, validateHistory } from "@agentscope-ts/model"
import { ScriptedModel } from "@agentscope-ts/testing"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { base } from "../fixtures/long-talks.ts"
import { eventsOf, expectValid, memoryOf, ofType } from "../fixtures/runs.ts"
import { notes } from "../fixtures/summaries.ts"
import { named } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"

const dialects: readonly Dialect[] = [
  { provider: "any" },
  {
    provider: "anthropic",
    toolCallId: { pattern: /^[\w-]+$/ },
    toolName: /^[\w-]{1,64}$/,
    thinking: "signed",
    toolUses: "last",
    trailingBlanks: false,
  },
  { provider: "mistral", toolCallId: { pattern: /^[a-z0-9]{9}$/i }, thinking: "none" },
  { provider: "openai", toolCallId: { maxLength: 64 }, toolName: /^[\w-]{1,64}$/, thinking: "none" },
]

type Step =
  | {
      readonly do: "say"
      readonly words: number
      readonly rounds: readonly (readonly number[])[]
      readonly interruptAt: number | undefined
    }
  | { readonly do: "answer" }
  | { readonly do: "save and load" }
interface Plan {
  readonly steps: readonly Step[]
  readonly triggerTokens: number
  readonly keepRecent: number
  readonly failEvery: number
}

const round = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      words: fc.integer({ min: 1, max: 200 }),
      rounds: fc.array(round, { maxLength: 4 }),
      interruptAt: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined, freq: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom<Step>({ do: "answer" }, { do: "save and load" }) },
)
const plan: fc.Arbitrary<Plan> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 10 }),
  triggerTokens: fc.integer({ min: 150, max: 1200 }),
  keepRecent: fc.integer({ min: 0, max: 12 }),
  failEvery: fc.integer({ min: 2, max: 6 }),
})

/** Says what comes out, so that a test which never compacts does not pass for one that does. */
async function run({ steps, triggerTokens, keepRecent, failEvery }: Plan): Promise<number> {
  let script: string[][] = []
  let summaries = 0
  let compactions = 0
  const model = new ScriptedModel(
    Array.from({ length: 1000 }, () => (request) => {
      if (request.messages[0] && textOf(request.messages[0]).startsWith("You keep the notes")) {
        if (++summaries % failEvery === 0) return { error: modelError({ code: "server_error", message: "no" }) }
        return notes(`notes ${summaries}`)
      }
      expectValid(request.messages.slice(1))
      const calls = script.shift()
      return calls && request.toolChoice !== "none"
        ? { text: "Look:", toolUses: calls.map((name) => ({ name, input: { n: Math.random() } })) }
        : "done"
    }),
  )
  const tools = [
    named("short", () => "ok"),
    named("long", () => "word ".repeat(150)),
    named("fail", () => {
      throw new Error("no")
    }),
    named("pay", () => "paid", { needsApproval: true }),
  ]
  const names = ["short", "long", "fail", "pay"]
  const compaction = { triggerTokens, keepRecent, spill: false } as const
  const make = () => new ReActAgent({ ...base, model, tools, maxRepeats: Number.POSITIVE_INFINITY, compaction })
  let agent = make()
  const check = (): void => {
    const history = memoryOf(agent)
    const waiting = agent.pending.map(({ toolUse }) => toolUse.id)
    const there = new Set(history.flatMap((msg) => toolUsesOf(msg).map(({ id }) => id)))
    for (const id of waiting) expect(there.has(id), "a call that waits is in the history").toBe(true)
    for (const dialect of dialects) expect(validateHistory(guardHistory(history, dialect), dialect)).toEqual([])
    if (waiting.length === 0) expectValid(history)
    // a summary comes first, and once
    expect(history.filter(isSummary).length).toBeLessThanOrEqual(1)
    expect(history.slice(1).some(isSummary)).toBe(false)
  }
  for (const step of steps) {
    if (step.do === "save and load") {
      const state = JSON.parse(JSON.stringify(agent.stateDict())) as ReturnType<typeof agent.stateDict>
      agent = make()
      agent.loadStateDict(state)
    } else if (step.do === "answer") {
      const approvals = agent.pending.map((call) => approve(call))
      const ids = approvals.map(({ toolUseId }) => toolUseId)
      if (ids.length > 0) {
        const events = await eventsOf(agent.stream({ approvals }))
        compactions += ofType(events, "compaction").length
        const results = ofType(events, "message").flatMap(({ msg }) => toolResultsOf(msg))
        for (const id of ids) expect(results.find((result) => result.id === id)).toMatchObject({ state: "success" })
      }
    } else {
      script = step.rounds.map((round) => round.map((n) => names[n] ?? "short"))
      const run = agent.stream("word ".repeat(step.words))
      let count = 0
      for await (const event of run) {
        if (event.type === "compaction") compactions++
        if (++count === step.interruptAt) run.interrupt()
      }
    }
    check()
  }
  return compactions
}

const isSummary = (msg: Msg) => msg.metadata?.["compaction"] !== undefined

describe("FR-16 after any compaction the history is one that every provider takes", () => {
  test("generated conversations with rounds, waiting calls, interrupts, failing summaries and restarts", async () => {
    let compactions = 0
    const property = fc.asyncProperty(plan, async (given) => {
      compactions += await run(given)
    })
    await fc.assert(property, { numRuns: Number(process.env["SEEDS"] ?? 100) })
    expect(compactions).toBeGreaterThan(100)
  }, 120_000)
})
