// However a reply ends, its history is one that every provider takes, and the conversation goes on from it.
import { ReActAgent, type ReActOptions, type ReplyOptionsWithSchema } from "@agentscope-ts/agent"
import { AgentScopeError, approve, type FinishReason, type Reply, textOf, toolResult } from "@agentscope-ts/message"
import { guardHistory, modelError, validateHistory } from "@agentscope-ts/model"
import { ScriptedModel, type ScriptedStep } from "@agentscope-ts/testing"
import { tool } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { dialects } from "./fixtures/dialects.ts"

/** What the tools of a case may do to the agent that calls them. */
interface Hands {
  agent?: ReActAgent
  readonly abort: AbortController
}

interface Ending {
  readonly steps: readonly ScriptedStep[]
  /** How it ends: a finish reason, or the code of the error. */
  readonly ends: FinishReason | { readonly code: string }
  readonly agent?: Partial<ReActOptions>
  readonly reply?: ReplyOptionsWithSchema
  readonly structured?: unknown
  /** It is interrupted at its first words. */
  readonly speaks?: true
  /** The calls of the round still wait. */
  readonly waits?: true
}

const uses = (...names: string[]) => names.map((name) => ({ name, input: {} }))
const acting = (...names: string[]): ScriptedStep => ({ text: "One moment.", toolUses: uses(...names) })
const schema = z.object({ city: z.string() })
const answer = { city: "Rome" }
const network = modelError({ code: "network", message: "gone" })

const endings: Readonly<Record<string, Ending>> = {
  "completed, in words": { steps: ["Hello."], ends: "completed" },
  "completed, after tools of which one fails": { steps: [acting("work", "fail"), "Done."], ends: "completed" },
  "structured, by the finish tool": {
    steps: [{ structured: answer }],
    ends: "completed",
    reply: { schema },
    structured: answer,
  },
  "structured, in words": { steps: ['{"city":"Rome"}'], ends: "completed", reply: { schema }, structured: answer },
  "structured, beside another tool": {
    steps: [{ toolUses: uses("work"), structured: answer }],
    ends: "completed",
    reply: { schema },
    structured: answer,
  },
  "structured, after an answer that did not fit": {
    steps: [{ structured: { city: 1 } }, { structured: answer }],
    ends: "completed",
    reply: { schema },
    structured: answer,
  },
  "structured, and given up": { steps: ["no", "no", "no"], ends: { code: "malformed_response" }, reply: { schema } },
  suspended: { steps: [acting("work", "ask")], ends: "tool_suspended", waits: true },
  "approval needed": { steps: [acting("work", "pay", "ask")], ends: "approval_required", waits: true },
  "interrupted, while the model speaks": { steps: ["Once upon a time there was"], ends: "interrupted", speaks: true },
  "interrupted, while it speaks beside a call": { steps: [acting("work", "hang")], ends: "interrupted", speaks: true },
  "interrupted, in a tool": { steps: [acting("work", "interrupts", "work")], ends: "interrupted" },
  "interrupted, while a structured answer is due": {
    steps: [acting("interrupts")],
    ends: "interrupted",
    reply: { schema },
  },
  "iteration limit, with a summary": {
    steps: [acting("work"), "So far."],
    ends: "max_iterations",
    agent: { maxIterations: 1 },
  },
  "iteration limit, in words of the agent's own": {
    steps: [acting("work"), acting("work")],
    ends: "max_iterations",
    agent: { maxIterations: 1 },
  },
  "iteration limit, with a schema": {
    steps: [acting("work"), "So far."],
    ends: "max_iterations",
    agent: { maxIterations: 1 },
    reply: { schema },
  },
  repetition: { steps: [acting("work"), acting("work")], ends: "repetition", agent: { maxRepeats: 2 } },
  "budget, of model calls": { steps: [acting("work")], ends: "budget_exceeded", reply: { budget: { modelCalls: 1 } } },
  "budget, of tool calls in the middle of a round": {
    steps: [acting("work", "work", "work")],
    ends: "budget_exceeded",
    reply: { budget: { toolCalls: 2 } },
  },
  "budget, of tool calls with a schema": {
    steps: [acting("work", "work")],
    ends: "budget_exceeded",
    reply: { budget: { toolCalls: 1 }, schema },
  },
  "budget, of tokens": {
    steps: [{ toolUses: uses("work"), usage: { inputTokens: 90, outputTokens: 20 } }],
    ends: "budget_exceeded",
    reply: { budget: { tokens: 100 } },
  },
  "budget, before anything is said": { steps: [], ends: "budget_exceeded", reply: { budget: { modelCalls: 0 } } },
  "budget, of time in a tool": {
    steps: [acting("work", "hang")],
    ends: "budget_exceeded",
    reply: { budget: { timeMs: 15 } },
  },
  "error, before anything is said": { steps: [{ error: network }], ends: { code: "network" } },
  "error, in the middle of an answer": { steps: [{ text: "Once upon", error: network }], ends: { code: "network" } },
  "error, after calls began": {
    steps: [{ text: "Well.", toolUses: uses("work", "hang"), error: network }],
    ends: { code: "network" },
  },
  "error, of a hook after the model": {
    steps: [acting("work")],
    ends: { code: "mine" },
    agent: {
      hooks: {
        postReasoning: ({ input }) => {
          if (input.messages.some((msg) => textOf(msg) === "Go.") && input.messages.length === 2) throw mine()
        },
      },
    },
  },
  "error, of a refusal without words": { steps: [{ stopReason: "refusal" }], ends: { code: "content_filtered" } },
  "given up by its signal, in a tool": { steps: [acting("work", "aborts", "work")], ends: { code: "mine" } },
}

const mine = () => new AgentScopeError({ code: "mine", message: "Mine." })

function make(steps: readonly ScriptedStep[], options: Partial<ReActOptions>, hands: Hands): ReActAgent {
  const made = (name: string, execute?: () => unknown, needsApproval = false) =>
    tool({ name, description: name, input: z.looseObject({}), needsApproval, ...(execute && { execute }) })
  const tools = [
    made("work", () => "done"),
    made("fail", () => {
      throw new Error("no")
    }),
    made("hang", () => new Promise(() => {})),
    made("ask"),
    made("pay", () => "paid", true),
    made("interrupts", () => hands.agent?.interrupt("Stop.")),
    made("aborts", () => hands.abort.abort(mine())),
  ]
  const agent = new ReActAgent({
    name: "Friday",
    systemPrompt: "Help.",
    model: new ScriptedModel(steps),
    tools,
    ...options,
  })
  hands.agent = agent
  return agent
}

const memoryOf = async (agent: ReActAgent) => [...(await agent.memory.get())]

/** Every provider takes the history as it stands, or with the calls closed that wait. */
async function expectTaken(agent: ReActAgent, waits: boolean): Promise<void> {
  const messages = await memoryOf(agent)
  for (const dialect of dialects) {
    const sent = guardHistory(messages, dialect)
    expect(validateHistory(sent, dialect), dialect.provider).toEqual([])
  }
  if (!waits) expect(guardHistory(messages).map(({ id }) => id)).toEqual(messages.map(({ id }) => id))
}

async function end(
  { steps, agent: options, reply, ends, structured, waits, speaks }: Ending,
  variant: Partial<ReActOptions>,
  after: readonly ScriptedStep[],
) {
  const hands: Hands = { abort: new AbortController() }
  let said = false
  const print: ReActOptions["print"] = ({ type }) => {
    if (!said && type === "text_delta") said = hands.agent?.interrupt("Stop.") ?? false
  }
  const agent = make([...steps, ...after], { ...variant, ...options, ...(speaks && { print }) }, hands)
  const asked: Promise<Reply<unknown>> = agent.reply("Go.", { ...reply, signal: hands.abort.signal })
  if (typeof ends === "object") await expect(asked).rejects.toMatchObject(ends)
  else {
    const given = await asked
    expect(given.finishReason).toBe(ends)
    expect(given.structured).toEqual(structured)
    expect(textOf(given).trim()).not.toBe("")
    expect(given.pending.length > 0).toBe(waits === true)
  }
  expect(agent.pending.length > 0).toBe(waits === true)
  await expectTaken(agent, waits === true)
  return agent
}

const variants: Readonly<Record<string, Partial<ReActOptions>>> = {
  "as usual": {},
  "without streaming": { streaming: false },
  "one call after the other": { parallelToolCalls: false },
  "with hooks": { hooks: { preActing: () => {}, postActing: () => {}, postReply: () => {} } },
  "with compaction": { compaction: { triggerTokens: 50_000 } },
}

describe.each(Object.entries(variants))("%s", (_, variant) => {
  test.each(Object.entries(endings))("a reply that ends so is gone on with: %s", async (_name, ending) => {
    // something new
    const agent = await end(ending, variant, ["Again."])
    expect(await agent.reply("And now?")).toMatchObject({ finishReason: "completed", pending: [] })
    await expectTaken(agent, false)

    // nothing new: what waits still waits, all else is gone on with
    const silent = await end(ending, variant, ["Again."])
    const next = await silent.reply()
    expect(next.finishReason).toBe(ending.waits ? ending.ends : "completed")
    await expectTaken(silent, ending.waits === true)

    // another process
    const saved = JSON.parse(JSON.stringify((await end(ending, variant, [])).stateDict()))
    const loaded = make(["Again."], { ...variant, ...ending.agent }, { abort: new AbortController() })
    loaded.loadStateDict(saved)
    if (ending.waits) {
      const results = loaded.pending.flatMap(({ kind, toolUse }) =>
        kind === "external" ? [toolResult(toolUse, "ok")] : [],
      )
      const approvals = loaded.pending.flatMap((call) => (call.kind === "approval" ? [approve(call)] : []))
      expect((await loaded.resume({ results, approvals })).finishReason).toBe("completed")
    } else expect((await loaded.reply("And now?")).finishReason).toBe("completed")
    await expectTaken(loaded, false)
  })
})

test("a reply with a schema that a budget ends has words, and no structured value", async () => {
  const agent = make([acting("work")], {}, { abort: new AbortController() })
  const reply = await agent.reply("Go.", { schema, budget: { modelCalls: 1 } })
  expect([reply.finishReason, reply.structured, textOf(reply)]).toEqual([
    "budget_exceeded",
    undefined,
    "The budget of 1 model calls is used up.",
  ])
})
