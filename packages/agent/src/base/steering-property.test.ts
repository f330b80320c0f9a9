import {
  type AgentEvent,
  AgentScopeError,
  approve,
  foldEvent,
  type Msg,
  toolResult,
  toolUsesOf,
  userMsg,
} from "@agentscope-ts/message"
import { ScriptedModel, type ScriptedStep } from "@agentscope-ts/testing"
import fc from "fast-check"
import { expect, test } from "vitest"
import { z } from "zod"
import { expectValid, memoryOf } from "../fixtures/runs.ts"
import { add, askExpert, named, refundTool } from "../fixtures/tools.ts"
import { agentAsTool, type AgentRun, type Hooks, type HookType, ReActAgent } from "../index.ts"

const toolNames = ["add", "ask_expert", "refund", "slow", "breaks", "Helper"] as const
const hookTypes: HookType[] = [
  "preReply",
  "postReply",
  "preReasoning",
  "postReasoning",
  "preActing",
  "postActing",
  "prePrint",
  "postPrint",
]
const does = ["interrupt", "interrupt with", "steer", "observe", "abort", "leave", "nothing"] as const

interface Turn {
  /** The rounds of calls before the answer. */
  readonly rounds: readonly (readonly (typeof toolNames)[number][])[]
  readonly structured: boolean
  /** What is done at which event. */
  readonly at: number
  readonly what: (typeof does)[number]
  readonly hook: { readonly type: HookType; readonly how: "sync" | "async" | "scribbles" | "throws" } | undefined
}

const turns: fc.Arbitrary<Turn[]> = fc.array(
  fc.record({
    rounds: fc.array(fc.array(fc.constantFrom(...toolNames), { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
    structured: fc.boolean(),
    at: fc.nat(40),
    what: fc.constantFrom(...does),
    hook: fc.option(
      fc.record({
        type: fc.constantFrom(...hookTypes),
        how: fc.constantFrom("sync", "async", "scribbles", "throws"),
      }),
      { nil: undefined },
    ),
  }),
  { minLength: 1, maxLength: 4 },
)

/** Writes into everything that it can reach. */
function scribble(value: unknown, depth = 0): void {
  if (typeof value !== "object" || value === null || depth > 6) return
  const isData = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
  if (!isData) return
  for (const [key, member] of Object.entries(value)) {
    if (typeof member === "string") (value as Record<string, unknown>)[key] = "scribbled"
    else scribble(member, depth + 1)
  }
}

function world() {
  let plan: (readonly string[])[] = []
  let structured = false
  const answer: ScriptedStep = ({ messages }) => {
    expectValid(messages)
    expect(JSON.stringify(messages)).not.toContain("scribbled")
    const names = plan.shift()
    if (names === undefined) return structured ? { structured: { mood: "good" } } : { thinking: "Hm.", text: "Done." }
    const input = { a: 1, b: 2, question: "?", amount: 3, message: "Help me." }
    return { text: "Let me see.", toolUses: names.map((name) => ({ name, input })) }
  }
  const help: ScriptedStep[] = Array.from({ length: 400 }, (_, i) =>
    i % 2 ? "Helped." : { text: "Well.", toolUses: [{ name: "add", input: { a: 1, b: 1 } }] },
  )
  const helper = new ReActAgent({ name: "Helper", systemPrompt: "x", model: new ScriptedModel(help), tools: [add] })
  const slow = named("slow", async (_, ctx) => {
    ctx.emit("working")
    await new Promise((resolve) => setImmediate(resolve))
    return "slowly"
  })
  const breaks = named("breaks", () => {
    throw new RangeError("broken")
  })
  let hear: (event: AgentEvent) => void = () => {}
  const agent = new ReActAgent({
    name: "Friday",
    systemPrompt: "Help.",
    model: new ScriptedModel(Array.from({ length: 400 }, () => answer)),
    tools: [add, askExpert, refundTool().refund, slow, breaks, agentAsTool(helper, { description: "Helps" })],
    print: (event) => hear(event),
  })
  return {
    agent,
    helper,
    take(turn: Turn, listener: (event: AgentEvent) => void) {
      plan = [...turn.rounds]
      structured = turn.structured
      hear = listener
    },
  }
}

function hooksOf({ hook }: Turn): Hooks {
  if (hook === undefined) return {}
  const { type, how } = hook
  const bodies = {
    sync: () => undefined,
    async: async () => undefined,
    scribbles: async (call: { input: unknown; output?: unknown }) => {
      await Promise.resolve()
      scribble(call.input)
      scribble(call.output)
    },
    throws: () => {
      throw new RangeError(type)
    },
  }
  return { [type]: bodies[how] }
}

function act(turn: Turn, agent: ReActAgent, giveUp: AbortController): void {
  if (turn.what === "interrupt") agent.interrupt()
  if (turn.what === "interrupt with") agent.interrupt("Stop it.")
  if (turn.what === "steer") agent.steer("And be quick.")
  // a print hook that takes its time may well print when the reply is over
  if (turn.what === "observe" && !turn.hook?.type.endsWith("Print")) void agent.observe("It rains.")
  if (turn.what === "abort") giveUp.abort(new RangeError("given up"))
}

/** The events as far as the consumer stays, and whether the reply came to an end that it may come to. */
async function follow(run: AgentRun<unknown>, turn: Turn): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  try {
    for await (const event of run) {
      events.push(event)
      if (turn.what === "leave" && events.length > turn.at) break
    }
    await run.reply
  } catch (error) {
    const isHooks = error instanceof RangeError || AgentScopeError.is(error)
    if (!isHooks) throw error
    await run.reply.catch(() => {})
  }
  return events
}

/** What is heard after the end is in no stream. */
const isLast = ({ type }: AgentEvent) => type === "reply_end" || type === "error"
const fold = (before: readonly Msg[], events: readonly AgentEvent[]) => events.reduce(foldEvent, before)

test("whatever is done at whichever event: the history is valid, and what the stream says is what memory holds", async () => {
  await fc.assert(
    fc.asyncProperty(turns, async (all) => {
      const { agent, helper, take } = world()
      for (const turn of all) {
        const giveUp = new AbortController()
        let count = 0
        take(turn, (event) => {
          if (count++ === turn.at && !isLast(event)) act(turn, agent, giveUp)
        })
        for (const [type, hook] of Object.entries(hooksOf(turn)))
          agent.registerHook(type as HookType, "h", hook as never)
        const before = [memoryOf(agent), memoryOf(helper)].map((messages) => [...messages]) as [Msg[], Msg[]]
        const [call, ...others] = agent.pending
        const input = call
          ? turn.at % 2
            ? {
                results: others
                  .filter(({ kind }) => kind === "external")
                  .map(({ toolUse }) => toolResult(toolUse, "ok")),
                approvals: agent.pending.filter(({ kind }) => kind === "approval").map((waits) => approve(waits)),
              }
            : userMsg("Something else.")
          : "Go."
        const options = { signal: giveUp.signal, ...(turn.structured && { schema: z.object({ mood: z.string() }) }) }
        const events = await follow(agent.stream(input, options), turn)
        agent.clearHooks()

        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i))
        expect(events.every(({ replyId, agent: name, path }) => replyId && name && Array.isArray(path))).toBe(true)
        expect(JSON.stringify([memoryOf(agent), memoryOf(helper)])).not.toContain("scribbled")
        const history = memoryOf(agent)
        if (agent.pending.length === 0) expectValid(history)
        else expect(toolUsesOf(history.at(-1)!).length).toBeGreaterThanOrEqual(agent.pending.length)
        expectValid(memoryOf(helper))
        if (turn.what === "leave") continue
        expect(
          fold(
            before[0],
            events.filter(({ path }) => path.length === 0),
          ),
        ).toEqual(history)
        const below = events.filter(({ path }) => path.length === 1)
        expect(below.every(({ agent: name, path }) => name === "Helper" && path[0] === "Friday")).toBe(true)
        expect(fold(before[1], below)).toEqual(memoryOf(helper))
      }
    }),
    { numRuns: process.env["AGENTSCOPE_SOAK"] ? 10_000 : 300 },
  )
})
