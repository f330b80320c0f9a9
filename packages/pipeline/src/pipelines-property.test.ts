import type { ReActAgent } from "@agentscope-ts/agent"
import { type AgentEvent, type Msg, textOf, toolResult, userMsg } from "@agentscope-ts/message"
import { guardHistory, validateHistory } from "@agentscope-ts/model"
import fc from "fast-check"
import { expect, test } from "vitest"
import { askExpert, eventsOf, memoryTexts, scripted } from "./fixtures/agents.ts"
import {
  type AnyStep,
  FanoutPipeline,
  ForPipeline,
  IfElsePipeline,
  MsgHub,
  SequentialPipeline,
  streamMessages,
  SwitchPipeline,
  WhilePipeline,
} from "./index.ts"

/** A plan of pipelines; `waits`: the agent first asks an expert. */
type Plan =
  | { readonly kind: "agent"; readonly waits: boolean }
  | { readonly kind: "sequence"; readonly of: readonly Plan[] }
  | { readonly kind: "fanout"; readonly of: readonly Plan[]; readonly concurrent: boolean }
  | { readonly kind: "if" | "switch"; readonly holds: boolean; readonly of: Plan; readonly other: Plan | undefined }
  | { readonly kind: "for" | "while"; readonly times: number; readonly of: Plan }

const { tree } = fc.letrec<{ tree: Plan }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ kind: fc.constant("agent" as const), waits: fc.boolean() }),
    fc.record({ kind: fc.constant("sequence" as const), of: fc.array(tie("tree"), { maxLength: 3 }) }),
    fc.record({
      kind: fc.constant("fanout" as const),
      of: fc.array(tie("tree"), { maxLength: 3 }),
      concurrent: fc.boolean(),
    }),
    fc.record({
      kind: fc.constantFrom("if" as const, "switch" as const),
      holds: fc.boolean(),
      of: tie("tree"),
      other: fc.option(tie("tree"), { nil: undefined }),
    }),
    fc.record({ kind: fc.constantFrom("for" as const, "while" as const), times: fc.nat(2), of: tie("tree") }),
  ),
}))

/** One message of the model: what the agent was told that it did not know, and its name behind. */
interface Said {
  readonly text: string
}
/** What must be said, and by whom. */
interface Expected {
  /** What goes on in the place of the input; `undefined`: nobody was asked. */
  readonly out: readonly Said[] | undefined
  /** Who spoke, in order, in a fan-out side by side. */
  readonly turns: readonly string[]
}

/** Builds the pipelines of a plan, and says what they must do, from the plan alone. */
class World {
  readonly agents: ReActAgent[] = []
  /** What each agent must remember, in order. */
  readonly expectedMemory = new Map<ReActAgent, Set<Said>>()
  readonly #waits: boolean

  constructor(waits: boolean) {
    this.#waits = waits
  }

  build(plan: Plan): { step: AnyStep; run(input: readonly Said[]): Expected } {
    switch (plan.kind) {
      case "agent":
        return this.#agent(plan.waits && this.#waits)
      case "sequence": {
        const parts = plan.of.map((part) => this.build(part))
        const step = new SequentialPipeline(parts.map((part) => part.step))
        const run = (input: readonly Said[]) => {
          const turns: string[] = []
          let out: Expected["out"]
          for (const part of parts) {
            const came = part.run(out ?? input)
            turns.push(...came.turns)
            out = came.out ?? out
          }
          return { out, turns }
        }
        return { step, run }
      }
      case "fanout": {
        const parts = plan.of.map((part) => this.build(part))
        const step = new FanoutPipeline(
          parts.map((part) => part.step),
          { concurrent: plan.concurrent },
        )
        const run = (input: readonly Said[]) => {
          const came = parts.map((part) => part.run(input))
          // a branch in which nobody was asked gives the last of its input back
          const out = came.flatMap((each) => each.out ?? input.slice(-1))
          return { out, turns: came.flatMap(({ turns }) => turns) }
        }
        return { step, run }
      }
      case "if":
      case "switch": {
        const [yes, no] = [this.build(plan.of), plan.other && this.build(plan.other)]
        const chosen = plan.holds ? yes : no
        const step =
          plan.kind === "if"
            ? new IfElsePipeline({ condition: () => plan.holds, whenTrue: yes.step, whenFalse: no?.step })
            : new SwitchPipeline({
                select: async () => (plan.holds ? "yes" : "no"),
                cases: { yes: yes.step },
                otherwise: no?.step,
              })
        return { step, run: (input) => chosen?.run(input) ?? { out: undefined, turns: [] } }
      }
      case "for":
      case "while": {
        const body = this.build(plan.of)
        const { times } = plan
        const step =
          plan.kind === "for"
            ? new ForPipeline({ times, body: body.step })
            : new WhilePipeline({ condition: async (_, round) => round < times, body: body.step })
        const run = (input: readonly Said[]) => {
          const turns: string[] = []
          let out: Expected["out"]
          for (let i = 0; i < times; i++) {
            const came = body.run(out ?? input)
            turns.push(...came.turns)
            out = came.out ?? out
          }
          return { out, turns }
        }
        return { step, run }
      }
    }
  }

  #agent(waits: boolean) {
    const name = `a${this.agents.length}`
    const agent = scripted(
      name,
      Array.from({ length: 200 }, (_, i) => ({ messages }: { messages: readonly Msg[] }) => {
        expect(validateHistory(guardHistory(messages), { provider: "any" })).toEqual([])
        if (waits && i % 2 === 0) {
          // not the same question again: that would be told to the model
          return { toolUses: [{ id: `${name}-${i}`, name: "ask_expert", input: { q: `${i}` } }] }
        }
        return `${asked(messages, name).join("+")}>${name}`
      }),
      { tools: [askExpert] },
    )
    this.agents.push(agent)
    // its own message that comes back to it, or one that it was told before, is nothing new: it is remembered once
    const memory = new Set<Said>()
    this.expectedMemory.set(agent, memory)
    const run = (input: readonly Said[]): Expected => {
      const news = [...new Set(input)].filter((said) => !memory.has(said))
      const said = { text: `${news.map(({ text }) => text).join("+")}>${name}` }
      for (const each of [...news, said]) memory.add(each)
      return { out: [said], turns: [name] }
    }
    return { step: agent, run }
  }
}

/** What an agent was told since it last spoke. */
function asked(messages: readonly Msg[], name: string): string[] {
  const isOwn = (msg: Msg) => msg.role === "assistant" && msg.name === name && textOf(msg) !== ""
  return messages
    .slice(messages.findLastIndex(isOwn) + 1)
    .filter((msg) => msg.role !== "system" && msg.role !== "tool" && textOf(msg) !== "")
    .map((msg) => textOf(msg))
}

const textsOf = (said: unknown) => (Array.isArray(said) ? said : [said]).map((msg) => textOf(msg as Msg))

/** Answers all that waits until nothing does. */
async function toTheEnd(pipeline: SequentialPipeline<readonly AnyStep[]>, input: Msg, oneByOne: boolean) {
  let said = await pipeline.reply(input)
  for (let rounds = 0; pipeline.pending.length > 0 && rounds < 500; rounds++) {
    const calls = oneByOne ? pipeline.pending.slice(-1) : pipeline.pending
    said = await pipeline.reply({ results: calls.map(({ toolUse }) => toolResult(toolUse, "")) })
  }
  return said
}

const x: Said = { text: "x" }

test("any tree of pipelines asks each agent with what came before it, in order, and tells no one else", async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (plan) => {
      const world = new World(false)
      const { step, run } = world.build(plan)
      const expected = run([x])
      const streamed = new SequentialPipeline([step] as readonly AnyStep[]).stream(userMsg("x"))
      const events = await eventsOf(streamed)
      expect(textsOf(await streamed.reply)).toEqual((expected.out ?? [x]).map(({ text }) => text))
      const spoke = events.flatMap((event) => (event.type === "reply_end" ? [event.agent] : []))
      const isSideBySide = JSON.stringify(plan).includes('"concurrent":true')
      const order = (turns: readonly string[]) => (isSideBySide ? turns.toSorted() : turns)
      expect(order(spoke)).toEqual(order(expected.turns))
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i))
      expectOwnEvents(events)
      for (const agent of world.agents) {
        const memory = memoryTexts(agent).map((text) => text.slice(text.indexOf(": ") + 2))
        expect(memory).toEqual([...world.expectedMemory.get(agent)!].map(({ text }) => text))
      }
    }),
    { numRuns: 300 },
  )
})

/** The events of one reply are of one agent, from its start to its end. */
function expectOwnEvents(events: readonly AgentEvent[]): void {
  for (const [, own] of Map.groupBy(events, ({ replyId }) => replyId)) {
    expect(new Set(own.map(({ agent }) => agent)).size).toBe(1)
    expect([own[0]!.type, own.at(-1)!.type]).toEqual(["reply_start", "reply_end"])
  }
}

test("a tree that waits at any places comes to the same end as one that never waits, answered in any portions", async () => {
  await fc.assert(
    fc.asyncProperty(tree, fc.boolean(), async (plan, oneByOne) => {
      const world = new World(true)
      const { step, run } = world.build(plan)
      const expected = run([x])
      const pipeline = new SequentialPipeline([step] as readonly AnyStep[])
      expect(textsOf(await toTheEnd(pipeline, userMsg("x"), oneByOne))).toEqual(
        (expected.out ?? [x]).map(({ text }) => text),
      )
      expect(pipeline.pending).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test("streamMessages tells what each agent says, once, and a hub tells it to each other agent once", async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (plan) => {
      const world = new World(false)
      const { step, run } = world.build(plan)
      const { turns } = run([x])
      const ids = new Set<string>()
      const said: string[] = []
      await using _hub = await MsgHub.open({ participants: world.agents })
      for await (const msg of streamMessages(new SequentialPipeline([step]), userMsg("x"))) {
        expect(ids.has(msg.id)).toBe(false)
        ids.add(msg.id)
        said.push(msg.name)
      }
      expect(said.toSorted()).toEqual(turns.toSorted())
      for (const agent of world.agents) {
        const memory = agent.memory.get() as readonly Msg[]
        const known = memory.map(({ id }) => id)
        expect(new Set(known).size).toBe(known.length)
        expect([...ids].filter((id) => !known.includes(id))).toEqual([])
      }
    }),
    { numRuns: 300 },
  )
})
