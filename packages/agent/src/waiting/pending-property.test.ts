import {
  type Approval,
  approve,
  deny,
  type JsonObject,
  type PendingCall,
  type Resume,
  textOf,
  type ToolResultBlock,
  toolResult,
  toolResultMsg,
  toolResultsOf,
  toolUsesOf,
  userMsg,
} from "@agentscope-ts/message"
import { ScriptedModel, type ScriptedToolUse } from "@agentscope-ts/testing"
import { tool } from "@agentscope-ts/tool"
import fc from "fast-check"
import { expect, test } from "vitest"
import { z } from "zod"
import { expectValid, memoryOf } from "../fixtures/runs.ts"
import { ReActAgent } from "../index.ts"

type Kind = "auto" | "pay" | "ask" | "later" | "sign"
type Step =
  | { readonly do: "say" | "observe" | "ask again" | "save and load" | "interrupt" | "replay" }
  | { readonly do: "answer"; readonly how: readonly number[]; readonly asMessage: boolean; readonly also: boolean }
  | { readonly do: "answer wrongly"; readonly how: number }

/** One conversation of a scripted model, of which everything is written down that should be. */
class World {
  readonly #plan: Kind[][]
  readonly #parallel: boolean
  agent: ReActAgent
  #calls = 0
  /** How often each call ran, by the number that it carries. */
  readonly ran = new Map<number, number>()
  /** What was answered, and accepted. */
  readonly given: Resume[] = []
  /** The calls that may run: those that need nobody, and those that somebody approved. */
  readonly mayRun = new Set<number>()
  readonly expected = new Map<number, string>()

  constructor(plan: Kind[][], parallel: boolean) {
    this.#plan = [...plan]
    this.#parallel = parallel
    this.agent = this.#make()
  }

  #make(): ReActAgent {
    const input = z.object({ n: z.number(), edited: z.boolean().optional() })
    const execute = ({ n }: { n: number }) => {
      this.ran.set(n, (this.ran.get(n) ?? 0) + 1)
      return `ran ${n}`
    }
    const description = "A tool"
    const tools = [
      tool({ name: "auto", description, input, execute }),
      tool({ name: "pay", description, input, needsApproval: true, execute }),
      tool({ name: "ask", description, input }),
      tool({ name: "later", description, input, execute: (_, ctx) => ctx.suspend("later") }),
      tool({ name: "sign", description, input, needsApproval: true }),
    ]
    const model = new ScriptedModel(
      Array.from(
        { length: 200 },
        () =>
          ({ messages }) =>
            this.#answer(messages),
      ),
    )
    const { name, systemPrompt } = { name: "Friday", systemPrompt: "Help." }
    return new ReActAgent({ name, systemPrompt, model, tools, maxIterations: 30, parallelToolCalls: this.#parallel })
  }

  #answer(messages: Parameters<typeof expectValid>[0]) {
    // the model never sees a call without its result, or a result without its call
    expectValid(messages)
    const kinds = this.#plan.shift() ?? []
    // a server that numbers its calls anew in every answer, and sometimes twice
    const toolUses = kinds.map((name, i): ScriptedToolUse => {
      const n = this.#calls++
      if (name === "auto") this.mayRun.add(n)
      return { id: `c${i % 2}`, name, input: { n } }
    })
    return kinds.length > 0 ? { text: "Let me see.", toolUses } : "Done."
  }

  saveAndLoad(): void {
    const state = JSON.parse(JSON.stringify(this.agent.stateDict())) as JsonObject
    this.agent = this.#make()
    this.agent.loadStateDict(state)
    expect(JSON.parse(JSON.stringify(this.agent.stateDict()))).toEqual(state)
  }

  /** An answer to a waiting call; `undefined` leaves it waiting. */
  answerTo(call: PendingCall, how: number): { result: ToolResultBlock } | { approval: Approval } | undefined {
    const n = call.toolUse.input["n"] as number
    if (how === 0) return undefined
    if (how === 1) {
      this.expected.set(n, "no")
      return { approval: deny(call, "no") }
    }
    if (call.kind === "external") {
      this.expected.set(n, `given ${n}`)
      return { result: toolResult(call.toolUse, `given ${n}`) }
    }
    if (call.toolUse.name === "pay") {
      this.mayRun.add(n)
      this.expected.set(n, `ran ${n}`)
    }
    return { approval: approve(call, how === 3 ? { input: { ...call.toolUse.input, edited: true } } : {}) }
  }

  check(): void {
    const { agent } = this
    const messages = memoryOf(agent)
    const waits = agent.pending.length > 0
    // the last message of a waiting round is the one with the calls
    if (waits) expect(toolUsesOf(messages.at(-1)!).length).toBeGreaterThanOrEqual(agent.pending.length)
    expectValid(waits ? messages.slice(0, -1) : messages)
    const calls = messages.flatMap(toolUsesOf)
    const results = messages.flatMap(toolResultsOf)
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
    expect(new Set(results.map(({ id }) => id)).size).toBe(results.length)
    expect(calls.map(({ input }) => input["n"])).toEqual(Array.from({ length: this.#calls }, (_, n) => n))
    const open = waits ? toolUsesOf(messages.at(-1)!).length : 0
    expect(results.length).toBe(calls.length - open)
    for (const result of results) {
      const n = calls.find(({ id }) => id === result.id)?.input["n"] as number
      const expected = this.expected.get(n)
      if (result.state === "interrupted") expect(expected).toBeUndefined()
      else expect(textOf(result)).toContain(expected ?? `ran ${n}`)
    }
    for (const [n, times] of this.ran) {
      expect(times).toBe(1)
      expect(this.mayRun.has(n)).toBe(true)
    }
    // what may run has run: calls are never put off for others
    expect(new Set(this.ran.keys())).toEqual(this.mayRun)
  }
}

const wrong: readonly ((call: PendingCall) => Resume)[] = [
  ({ toolUse }) => ({ results: [toolResult({ ...toolUse, id: "nope" }, "x")] }),
  (call) => ({ approvals: [{ ...approve(call), toolUseId: "nope" }] }),
  (call) => ({ approvals: [deny(call), deny(call)] }),
  ({ toolUse }) => ({ results: [toolResult(toolUse, "x"), toolResult(toolUse, "y")] }),
  (call) => ({ approvals: [deny(call)], results: [toolResult(call.toolUse, "x")] }),
  (call) => ({ approvals: [{ ...deny(call), digest: "other" }] }),
  (call) => (call.kind === "approval" ? { results: [toolResult(call.toolUse, "x")] } : { approvals: [approve(call)] }),
  ({ toolUse }) => ({ results: [toolResult(toolUse, "x", { state: "suspended" })] }),
]

async function refused(agent: ReActAgent, answers: Resume): Promise<void> {
  const before = JSON.stringify(agent.stateDict())
  await expect(agent.resume(answers)).rejects.toThrow(/waits|twice|another input|tool result/)
  expect(JSON.stringify(agent.stateDict())).toBe(before)
}

async function take(world: World, step: Step): Promise<void> {
  const { agent } = world
  switch (step.do) {
    case "say":
      return void (await agent.reply("Go on."))
    case "observe":
      return agent.observe("It rains.")
    case "ask again":
      // nothing said, and nothing answered
      if (agent.pending.length > 0) expect((await agent.resume({})).pending).toEqual(agent.pending)
      return
    case "interrupt":
      expect(agent.interrupt()).toBe(false)
      return
    case "save and load":
      return world.saveAndLoad()
    case "replay":
      for (const answers of world.given) await refused(agent, answers)
      return
    case "answer wrongly": {
      const call = agent.pending[step.how % Math.max(1, agent.pending.length)]
      if (call) await refused(agent, wrong[step.how % wrong.length]!(call))
      return
    }
    case "answer": {
      const all = agent.pending.map((call, i) => world.answerTo(call, step.how[i % step.how.length]!))
      const results = all.flatMap((each) => (each && "result" in each ? [each.result] : [])).toReversed()
      const approvals = all.flatMap((each) => (each && "approval" in each ? [each.approval] : [])).toReversed()
      if (results.length + approvals.length === 0) return
      world.given.push({ results, approvals })
      if (step.asMessage && approvals.length === 0) {
        const message = toolResultMsg(results)
        return void (await agent.reply(step.also ? [message, userMsg("And now?")] : message))
      }
      return void (await agent.resume({ results, approvals }))
    }
  }
}

const kind = fc.constantFrom<Kind>("auto", "pay", "ask", "later", "sign")
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Step>({ do: "say" }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      how: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 }),
      asMessage: fc.boolean(),
      also: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("answer wrongly" as const), how: fc.nat(100) }) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        "observe" as const,
        "ask again" as const,
        "save and load" as const,
        "interrupt" as const,
        "replay" as const,
      )
      .map((name): Step => ({ do: name })),
  },
)

test("whatever is said, answered, saved and loaded in whatever order: no call and no result is lost or doubled", {
  timeout: 300_000,
}, async () => {
  const numRuns = process.env["AGENTSCOPE_SOAK"] ? 20_000 : 400
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(kind, { maxLength: 4 }), { minLength: 1, maxLength: 8 }),
      fc.array(step, { minLength: 1, maxLength: 14 }),
      fc.boolean(),
      async (plan, steps, parallel) => {
        const world = new World(plan, parallel)
        await world.agent.reply("Begin.")
        world.check()
        for (const each of steps) {
          await take(world, each)
          world.check()
        }
      },
    ),
    { numRuns },
  )
})
