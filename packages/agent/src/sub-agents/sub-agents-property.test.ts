import { approve, deny, type PendingCall, type Resume, textOf, toolResult, toolUsesOf } from "@agentscope-ts/message"
import { type Dialect, guardHistory, validateHistory } from "@agentscope-ts/model"
import { ScriptedModel, type ScriptedStep } from "@agentscope-ts/testing"
import { type AnyTool, tool } from "@agentscope-ts/tool"
import fc from "fast-check"
import { expect, test } from "vitest"
import { z } from "zod"
import { expectValid, memoryOf } from "../fixtures/runs.ts"
import { agentAsTool, ReActAgent } from "../index.ts"

const dialects: readonly Dialect[] = [
  { provider: "openai", toolCallId: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 40 } },
  { provider: "anthropic", toolCallId: { pattern: /^[a-zA-Z0-9_-]+$/ }, thinking: "signed", toolUses: "last" },
  { provider: "mistral", toolCallId: { pattern: /^[a-zA-Z0-9]{9}$/ } },
  { provider: "gemini", toolName: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/ },
]

type Leaf = "auto" | "pay" | "ask" | "later"
type Call = { readonly leaf: Leaf } | { readonly node: Node; readonly session: boolean }
interface Node {
  readonly shared: boolean
  readonly rounds: readonly (readonly Call[])[]
}
type Step =
  | { readonly do: "say" | "ask again" | "save and load" | "replay" }
  | { readonly do: "answer"; readonly how: readonly number[]; readonly until?: number }
  | { readonly do: "say and interrupt"; readonly until: number }
  | { readonly do: "answer wrongly"; readonly how: number }

/** A tree of agents whose calls all have the same few ids, and what became of it. */
class World {
  readonly #root: Node
  readonly #names = new Map<Node, string>()
  readonly ran: string[] = []
  readonly approved: string[] = []
  readonly given: Resume[] = []
  /** What was approved may have been stopped before it ran. */
  wasInterrupted = false
  /** Every agent that was made. */
  made: ReActAgent[] = []
  top: ReActAgent

  constructor(root: Node) {
    this.#root = root
    this.top = this.#make(root)
  }

  saveAndLoad(): void {
    const state = JSON.parse(JSON.stringify(this.top.stateDict())) as never
    this.check()
    const { pending } = this.top
    this.made = []
    this.top = this.#make(this.#root)
    this.top.loadStateDict(state)
    expect(this.top.pending).toEqual(pending)
  }

  #name(node: Node): string {
    const name = this.#names.get(node) ?? `agent_${this.#names.size}`
    this.#names.set(node, name)
    return name
  }

  #make(node: Node): ReActAgent {
    const name = this.#name(node)
    const input = z.looseObject({})
    const run = (kind: string) => (_: object, ctx: { toolUseId: string }) => {
      this.ran.push(`${name} ${kind}`)
      return `${kind} ${ctx.toolUseId}`
    }
    const tools: AnyTool[] = [
      tool({ name: "auto", description: "A tool", input, execute: run("auto") }),
      tool({ name: "pay", description: "A tool", input, needsApproval: true, execute: run("pay") }),
      tool({ name: "ask", description: "A tool", input }),
      tool({ name: "later", description: "A tool", input, execute: (_, ctx) => ctx.suspend("later") }),
    ]
    for (const { node: child } of node.rounds.flat().filter((call) => "node" in call)) {
      const options = { description: "Ask", name: this.#name(child) }
      tools.push(agentAsTool(child.shared ? this.#make(child) : () => this.#make(child), options))
    }
    const step = ({ messages }: { messages: readonly { role: string }[] }): ScriptedStep => {
      const k = messages.filter(({ role }) => role === "assistant").length
      const round = node.rounds[k]
      if (round === undefined || round.length === 0) return `${name} is done`
      return { toolUses: round.map((call, i) => ({ id: `c${i}`, ...this.#use(call, k) })) }
    }
    const model = new ScriptedModel(Array.from({ length: 60 }, () => step as never))
    const agent = new ReActAgent({ name, systemPrompt: "Help.", model, tools, maxRepeats: Number.POSITIVE_INFINITY })
    this.made.push(agent)
    return agent
  }

  #use(call: Call, k: number) {
    if ("leaf" in call) return { name: call.leaf, input: { k } }
    return { name: this.#name(call.node), input: { message: `round ${k}`, ...(call.session && { session_id: "s" }) } }
  }

  answerTo(call: PendingCall, how: number): Resume | undefined {
    if (how === 0) return undefined
    if (call.kind === "external") return { results: [toolResult(call.toolUse, `answer ${how}`)] }
    if (how === 1) return { approvals: [deny(call)] }
    this.approved.push(call.path?.at(-1) ?? this.top.name)
    return { approvals: [approve(call)] }
  }

  check(): void {
    for (const agent of this.made) {
      const messages = [...memoryOf(agent)]
      if (agent.pending.length > 0) continue
      expectValid(messages)
      for (const dialect of dialects) {
        expect(validateHistory(guardHistory(messages, dialect), dialect)).toEqual([])
      }
    }
    const { pending } = this.top
    expect(new Set(pending.map(({ toolUse }) => toolUse.id)).size).toBe(pending.length)
    for (const { path } of pending) expect(path?.[0] ?? this.top.name).toBe(this.top.name)
    // nothing that needs a person runs without one, or twice
    const count = (list: readonly string[], name: string) => list.filter((each) => each === name).length
    for (const name of this.#names.values()) {
      const [ran, approved] = [count(this.ran, `${name} pay`), count(this.approved, name)]
      if (this.wasInterrupted) expect(ran).toBeLessThanOrEqual(approved)
      else expect(ran).toBe(approved)
    }
  }
}

const wrong: readonly ((call: PendingCall) => Resume)[] = [
  ({ toolUse }) => ({ results: [toolResult({ ...toolUse, id: `${toolUse.id}/x` }, "x")] }),
  (call) => ({ approvals: [deny(call), deny(call)] }),
  (call) => ({ approvals: [{ ...deny(call), digest: "other" }] }),
  (call) => (call.kind === "approval" ? { results: [toolResult(call.toolUse, "x")] } : { approvals: [approve(call)] }),
]

async function refused(world: World, answers: Resume): Promise<void> {
  const states = () => JSON.stringify(world.made.map((agent) => agent.stateDict()))
  const before = states()
  await expect(world.top.resume(answers)).rejects.toMatchObject({ code: "unknown_pending" })
  expect(states()).toBe(before)
}

const merged = (all: readonly (Resume | undefined)[]): Resume => ({
  results: all.flatMap((each) => each?.results ?? []).toReversed(),
  approvals: all.flatMap((each) => each?.approvals ?? []).toReversed(),
})

/** Lets the agent at the top answer, interrupted at some event, whoever it is of. */
async function interrupted(world: World, input: string | Resume, until: number): Promise<void> {
  const run = world.top.stream(input)
  let n = 0
  for await (const _ of run) if (n++ === until && run.interrupt()) world.wasInterrupted = true
  await run.reply
}

async function take(world: World, step: Step): Promise<void> {
  const { top } = world
  switch (step.do) {
    case "say and interrupt":
      return interrupted(world, "Go on, but stop.", step.until)
    case "say":
      return void (await top.reply("Go on."))
    case "ask again":
      if (top.pending.length > 0) expect((await top.resume({})).pending).toEqual(top.pending)
      return
    case "save and load":
      return world.saveAndLoad()
    case "replay":
      for (const answers of world.given) await refused(world, answers)
      return
    case "answer wrongly": {
      const call = top.pending[step.how % Math.max(1, top.pending.length)]
      if (call) await refused(world, wrong[step.how % wrong.length]!(call))
      return
    }
    case "answer": {
      const answers = merged(top.pending.map((call, i) => world.answerTo(call, step.how[i % step.how.length]!)))
      if ((answers.results?.length ?? 0) + (answers.approvals?.length ?? 0) === 0) return
      world.given.push(answers)
      if (step.until === undefined) return void (await top.resume(answers))
      return interrupted(world, answers, step.until)
    }
  }
}

const leaf = fc.constantFrom<Leaf>("auto", "pay", "ask", "later").map((kind): Call => ({ leaf: kind }))
const { node } = fc.letrec<{ node: Node; call: Call }>((tie) => ({
  call: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.record({ node: tie("node"), session: fc.boolean() }) as fc.Arbitrary<Call>,
  ),
  node: fc.record({
    shared: fc.boolean(),
    rounds: fc.array(fc.array(tie("call"), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  }) as fc.Arbitrary<Node>,
}))
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 })
      .map((how): Step => ({ do: "answer", how })),
  },
  { weight: 1, arbitrary: fc.nat(100).map((how): Step => ({ do: "answer wrongly", how })) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "say" }) },
  { weight: 1, arbitrary: fc.nat(60).map((until): Step => ({ do: "say and interrupt", until })) },
  { weight: 1, arbitrary: fc.nat(60).map((until): Step => ({ do: "answer", how: [3, 2], until })) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom<"ask again" | "save and load" | "replay">("ask again", "save and load", "replay")
      .map((name): Step => ({ do: name })),
  },
)

test("random trees of agents, answered in parts, saved and loaded: every history is valid, and nothing is lost or runs twice", {
  timeout: 300_000,
}, async () => {
  const numRuns = process.env["AGENTSCOPE_SOAK"] ? 10_000 : 300
  await fc.assert(
    fc.asyncProperty(node, fc.array(step, { minLength: 1, maxLength: 12 }), async (root, steps) => {
      const world = new World(root)
      await world.top.reply("Begin.")
      world.check()
      for (const each of steps) {
        await take(world, each)
        world.check()
      }
      // whatever still waits can be answered
      for (let n = 0; world.top.pending.length > 0; n++) {
        expect(n).toBeLessThan(200)
        await take(world, { do: "answer", how: [3] })
        world.check()
      }
      const last = memoryOf(world.top).at(-1)!
      if (!world.wasInterrupted) {
        expect([last.role, toolUsesOf(last), textOf(last)]).toEqual(["assistant", [], `${world.top.name} is done`])
      }
      // no agent that was asked and has answered waits for anything
      for (const agent of world.made) expect(agent.pending).toEqual([])
    }),
    { numRuns },
  )
})
