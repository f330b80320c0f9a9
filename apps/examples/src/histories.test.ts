// Whatever happens in a conversation, no provider refuses what comes next.
import { agentAsTool, type Hooks, PlanNotebook, ReActAgent } from "@agentscope-ts/agent"
import {
  type AgentEvent,
  approve,
  deny,
  type JsonObject,
  type Msg,
  toolResult,
  toolResultsOf,
  toolUsesOf,
  userMsg,
} from "@agentscope-ts/message"
import { guardHistory, validateHistory } from "@agentscope-ts/model"
import { tool, type ToolContext } from "@agentscope-ts/tool"
import fc from "fast-check"
import { expect, it } from "vitest"
import { z } from "zod"
import { dialects } from "./fixtures/dialects.ts"
import { pick, type Random, RandomModel, upTo, type World } from "./fixtures/random-model.ts"

/** xorshift32: the whole conversation follows from one number. */
function randomOf(seed: number): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ 0x85ebca6b) >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state / 0x1_0000_0000
  }
}

/** A conversation to which anything may happen. */
class Chance implements World {
  readonly random: Random
  readonly tools = ["auto", "pay", "ask", "later", "throws", "slow", "expert", "create_plan", "view_subtasks"]
  readonly problems: string[] = []
  readonly done: string[] = []
  compactions = 0
  agent: ReActAgent
  /** What may happen between two deltas or in a tool of this reply. */
  #between: (() => void) | undefined

  constructor(seed: number) {
    this.random = randomOf(seed)
    this.agent = this.#make()
  }

  between(): void {
    if (this.random() < 0.04) this.#between?.()
  }

  refuse(problem: string): void {
    this.problems.push(problem)
  }

  #make(): ReActAgent {
    const { random } = this
    const input = z.object({ n: z.number() })
    const made = (name: string, execute?: (input: { n: number }, ctx: ToolContext) => unknown, needsApproval = false) =>
      tool({ name, description: name, input, needsApproval, ...(execute && { execute }) })
    const tools = [
      made("auto", async () => {
        this.between()
        return random() < 0.1 ? "x".repeat(2000) : "ok"
      }),
      made("pay", () => "paid", true),
      made("ask"),
      made("later", (_, ctx) => ctx.suspend("later")),
      made("throws", () => {
        throw pick(random, [new Error("no"), "a text", undefined, null])
      }),
      made("slow", async () => {
        this.between()
        await new Promise((resolve) => setImmediate(resolve))
        this.between()
        return undefined
      }),
    ]
    const some = <T>(part: number, value: () => T): T | undefined => (random() < part ? value() : undefined)
    const expert = () =>
      new ReActAgent({
        name: "expert",
        systemPrompt: "Know.",
        model: new RandomModel(pick(random, dialects), this),
        tools: tools.slice(0, 4),
        maxIterations: 2,
      })
    return new ReActAgent({
      name: "Friday",
      systemPrompt: "Help.",
      model: new RandomModel(pick(random, dialects), this),
      tools: random() < 0.3 ? [...tools, agentAsTool(expert, { name: "expert", description: "Knows" })] : tools,
      compaction: some(0.5, () => ({
        triggerTokens: 300 + upTo(random, 900),
        keepRecent: upTo(random, 4),
        spill: false,
      })),
      budget: some(0.2, () => ({ modelCalls: 2 + upTo(random, 20), toolCalls: 2 + upTo(random, 10) })),
      plan: some(0.2, () => new PlanNotebook()),
      print: ({ type }) => void (type === "compaction" && this.compactions++),
      maxIterations: 1 + upTo(random, 5),
      parallelToolCalls: random() < 0.7,
      streaming: random() < 0.8,
      hooks: random() < 0.5 ? this.#hooks() : undefined,
    })
  }

  /** Hooks that now and then change what they see, not always for the better. */
  #hooks(): Hooks {
    const { random } = this
    const rarely = () => random() < 0.15
    return {
      preReply: ({ input }) =>
        rarely() ? { ...input, messages: [...input.messages, userMsg("and be quick")] } : undefined,
      preReasoning: ({ input }) => {
        if (!rarely()) return undefined
        // a window of the newest, wherever that cuts
        const [system, ...rest] = input.messages as [Msg, ...Msg[]]
        return { ...input, messages: [system, ...rest.slice(-1 - upTo(random, 4))] }
      },
      postReasoning: ({ output }) => {
        if (!rarely()) return undefined
        const content = pick(random, [
          output.content.toReversed(),
          output.content.slice(1),
          [...output.content, { type: "text", text: "edited \uD83D" } as const],
          output.content.map((block) => (block.type === "tool_use" ? { ...block, input: { n: 0 } } : block)),
        ])
        return content.length > 0 ? { ...output, content } : undefined
      },
      preActing: ({ input }) => (rarely() ? { toolUse: { ...input.toolUse, input: { n: 7 } } } : undefined),
      postActing: ({ output }) =>
        rarely() ? { ...output, output: [{ type: "text", text: "hidden" }], id: "another" } : undefined,
    }
  }

  async step(): Promise<void> {
    const { random } = this
    const what = pick(random, [
      "say",
      "say",
      "say",
      "answer",
      "answer",
      "observe",
      "go on",
      "switch",
      "leave",
      "forget",
    ])
    this.done.push(what)
    if (what === "observe") return this.agent.observe(userMsg("by the way", { name: "Bob" }))
    if (what === "switch") return this.#switchProvider()
    if (what === "forget") return this.#forget()
    const abort = new AbortController()
    const run = this.agent.stream(this.#input(what), { signal: abort.signal })
    const disturb = pick(random, ["nothing", "nothing", "interrupt", "interrupt by", "abort", "steer", "steer"])
    this.#between = () => {
      this.done.push(disturb)
      if (disturb === "interrupt") run.interrupt()
      if (disturb === "interrupt by") run.interrupt(pick(random, ["Stop.", ""]))
      if (disturb === "abort") abort.abort(new Error("given up"))
      if (disturb === "steer") run.steer("Also this.")
    }
    try {
      if (what === "leave") {
        let left = upTo(random, 8)
        for await (const _ of run) if (left-- === 0) break
      } else if (random() < 0.3) {
        for await (const event of run) this.#hear(event)
      }
      await run.reply
    } catch (error) {
      this.done.push(`failed: ${(error as { code?: string }).code ?? String(error)}`)
    } finally {
      this.#between = undefined
    }
  }

  #hear({ type }: AgentEvent): void {
    if (type === "tool_execution_start") this.between()
  }

  #input(what: string): Parameters<ReActAgent["reply"]>[0] {
    const { random, agent } = this
    if (what === "go on") return undefined
    if (what !== "answer") return pick(random, ["Hello", "What is next?", "😀"])
    const results = []
    const approvals = []
    for (const call of agent.pending) {
      const how = upTo(random, 3)
      if (how === 0) continue
      if (how === 1) approvals.push(deny(call, "no"))
      else if (call.kind === "approval") approvals.push(approve(call))
      else results.push(toolResult(call.toolUse, "given"))
    }
    if (results.length + approvals.length === 0) return "Never mind."
    return { results, approvals }
  }

  /** The conversation goes on with another model, after a save and a load. */
  #switchProvider(): void {
    const state = JSON.parse(JSON.stringify(this.agent.stateDict())) as JsonObject
    this.agent = this.#make()
    this.agent.loadStateDict(state, { strict: false })
  }

  /** A program trims the memory, wherever that cuts. */
  #forget(): void {
    if (this.random() < 0.3) void this.agent.memory.delete({ to: upTo(this.random, 3) })
  }

  /** What stands in memory goes to any provider; what is open waits for somebody. */
  check(): void {
    expect(this.problems).toEqual([])
    const messages = this.agent.memory.get() as readonly Msg[]
    for (const dialect of dialects) {
      const problems = validateHistory(guardHistory(messages, dialect), dialect)
      expect(problems, `${dialect.provider} after ${this.done.join(", ")}`).toEqual([])
    }
    const waiting = new Set(this.agent.pending.map(({ toolUse }) => toolUse.id))
    const answered = new Set(messages.flatMap((msg) => toolResultsOf(msg)).map(({ id }) => id))
    const last = messages.findLast(({ role }) => role === "assistant")
    for (const msg of messages) {
      if (msg === last && waiting.size > 0) continue
      for (const { id } of toolUsesOf(msg)) expect(answered, `after ${this.done.join(", ")}`).toContain(id)
    }
  }
}

const numRuns = process.env["AGENTSCOPE_SOAK"] ? 10_000 : 1000

it("interrupts, suspensions, compactions, provider switches and hook edits leave valid histories", async () => {
  let compactions = 0
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 3, max: 12 }), async (seed, steps) => {
      const chance = new Chance(seed)
      for (let i = 0; i < steps; i++) {
        await chance.step()
        chance.check()
      }
      compactions += chance.compactions
    }),
    { numRuns, seed: 20_261_201 },
  )
  expect(compactions).toBeGreaterThan(numRuns / 20)
}, 600_000)
