import { ReActAgent } from "@agentscope-ts/agent"
import { type AgentEvent, approve, deny, textOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { tool } from "@agentscope-ts/tool"
import { describe, expect, it } from "vitest"
import type { Decide } from "./approval.ts"
import { Turn } from "./turn.ts"

const ran: unknown[] = []
const act = tool({
  name: "act",
  description: "Acts",
  input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  needsApproval: true,
  execute: ({ n }) => {
    ran.push(n)
    return `acted ${n}`
  },
})
const make = (steps: ConstructorParameters<typeof ScriptedModel>[0], decide: Decide) => {
  ran.length = 0
  const agent = new ReActAgent({ name: "Friday", systemPrompt: "s", model: new ScriptedModel(steps), tools: [act] })
  const events: AgentEvent[] = []
  const decisions: string[] = []
  const turn = new Turn(
    agent,
    (event) => events.push(event),
    decide,
    (call, { decision }) => decisions.push(`${call.toolUse.id} ${decision}`),
  )
  return { agent, turn, events, decisions }
}
const two = {
  toolUses: [
    { id: "a", name: "act", input: { n: 1 } },
    { id: "b", name: "act", input: { n: 2 } },
  ],
}

describe("a turn", () => {
  it("asks about each call that waits, and goes on to the answer", async () => {
    const { turn, decisions, events } = make([two, "Done."], (call) =>
      Promise.resolve(call.toolUse.id === "a" ? approve(call) : deny(call, "no")),
    )
    const reply = await turn.answer("go")
    expect(reply && textOf(reply)).toBe("Done.")
    expect(ran).toEqual([1])
    expect(decisions).toEqual(["a approve", "b deny"])
    expect(events.filter(({ type }) => type === "reply_end")).toHaveLength(2)
  })

  it("runs the input that the person put in", async () => {
    const { turn } = make([two, "Done."], (call) => Promise.resolve(approve(call, { input: { n: 7 } })))
    await turn.answer("go")
    expect(ran).toEqual([7, 7])
  })

  it("ends without an answer when the person stops while being asked; what waits is closed by the next question", async () => {
    const { agent, turn } = make([two, "Something else."], () => Promise.resolve(undefined))
    expect(await turn.answer("go")).toBeUndefined()
    expect(agent.pending).toHaveLength(2)
    expect(textOf(await agent.reply("new"))).toBe("Something else.")
    expect(ran).toEqual([])
  })

  it("is interrupted once, before it begins too", async () => {
    const { turn } = make(["never"], () => Promise.resolve(undefined))
    expect(turn.interrupt()).toBe(true)
    expect(turn.interrupt()).toBe(false)
    expect(await turn.answer("go")).toMatchObject({ finishReason: "interrupted" })
  })

  it("runs nothing that was approved after an interrupt", async () => {
    const { turn } = make([two], (call) => {
      turn.interrupt()
      return Promise.resolve(approve(call))
    })
    expect(await turn.answer("go")).toBeUndefined()
    expect(ran).toEqual([])
  })
})
