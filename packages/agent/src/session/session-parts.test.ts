import { type Msg, textOf, toolResultsOf, userMsg } from "@agentscope-ts/message"
import { LongTermMemory } from "@agentscope-ts/memory"
import type { SessionStore } from "@agentscope-ts/state"
import { ScriptedModel, type ScriptedStep } from "@agentscope-ts/testing"
import { tool } from "@agentscope-ts/tool"
import { expect, test } from "vitest"
import { Disk } from "../fixtures/sessions.ts"
import { PlanNotebook, ReActAgent } from "../index.ts"

const create_plan = {
  id: "p1",
  name: "create_plan",
  input: {
    name: "Move",
    description: "Move house",
    expected_outcome: "Moved",
    subtasks: [{ name: "Pack", description: "Boxes", expected_outcome: "Packed" }],
  },
}
const finish_subtask = { id: "f1", name: "finish_subtask", input: { subtask_idx: 0, subtask_outcome: "Packed." } }
const pay = { id: "y1", name: "pay", input: {} }
const payTool = tool({
  name: "pay",
  description: "Pays",
  input: { type: "object", properties: {} },
  execute: () => "paid",
})

/** Answers by how far the conversation is. */
const byHistory = (steps: readonly ScriptedStep[]) =>
  Array.from({ length: 9 }, () => ({ messages }: { readonly messages: readonly Msg[] }) => {
    return steps[messages.filter(({ role }) => role === "assistant").length] as ScriptedStep
  })

const planner = (store: SessionStore, streaming: boolean) =>
  new ReActAgent({
    name: "Friday",
    systemPrompt: "Help.",
    model: new ScriptedModel(byHistory([{ toolUses: [create_plan, pay, finish_subtask] }, "Done."])),
    tools: [payTool],
    plan: new PlanNotebook(),
    session: { store, id: "s" },
    streaming,
  })
const input = userMsg("Plan it.")

test.each([true, false])(
  "no step of a plan is made twice, whenever the process is killed (streaming: %s)",
  async (streaming) => {
    const dry = new Disk()
    await planner(dry.process(), streaming).reply(input)
    for (let at = 2; at <= dry.writes * 2 + 1; at++) {
      const disk = new Disk()
      const first = disk.process(at >> 1, at % 2 === 0)
      void planner(first, streaming).reply(input)
      await first.killed
      const agent = planner(disk.process(), streaming)
      const { cutOff } = await agent.restore()
      const past = agent.memory.get() as readonly Msg[]
      if (cutOff || past.length === 0) await agent.reply(cutOff ? undefined : input)
      const [created, , finished] = toolResultsOf((agent.memory.get() as readonly Msg[])[2] as Msg)
      expect(agent.plan?.history, `killed at ${at}`).toEqual([])
      expect(agent.plan?.currentPlan?.subtasks.map(({ state }) => state)).toEqual(["done"])
      expect([created, finished].map((result) => result && textOf(result).split("\n")[0])).toEqual([
        "The plan was created.",
        "Subtask 0 is done.",
      ])
    }
  },
)

test("what was said before a kill is in the long-term memory when the reply has been gone on with, once", async () => {
  const record = (store: SessionStore, recorded: string[]) => {
    const memory = new ListMemory(recorded)
    return new ReActAgent({
      name: "Friday",
      systemPrompt: "Help.",
      model: new ScriptedModel(byHistory([{ text: "I pay.", toolUses: [pay] }, "Done.", "Again."])),
      tools: [payTool],
      longTermMemory: memory,
      longTermMemoryMode: "static",
      session: { store, id: "s" },
    })
  }
  const dry = new Disk()
  await record(dry.process(), []).reply("My name is Ada.")
  for (let at = 2; at <= dry.writes * 2 + 1; at++) {
    const disk = new Disk()
    const recorded: string[] = []
    const first = disk.process(at >> 1, at % 2 === 0)
    void record(first, recorded).reply("My name is Ada.")
    await first.killed
    const agent = record(disk.process(), recorded)
    const { found, cutOff } = await agent.restore()
    if (cutOff || !found) await agent.reply(cutOff ? undefined : "My name is Ada.")
    await agent.reply("More.")
    const before = recorded.slice(0, -2)
    expect([...new Set(recorded)], `killed at ${at}`).toEqual(["My name is Ada.", "I pay.", "Done.", "More.", "Again."])
    // where the last save was lost nobody knows that it was recorded
    if (before.length > 3) expect(before.slice(0, 3)).toEqual(before.slice(3))
  }
})

class ListMemory extends LongTermMemory {
  readonly #recorded: string[]

  constructor(recorded: string[]) {
    super()
    this.#recorded = recorded
  }

  async record(messages: readonly Msg[]): Promise<void> {
    this.#recorded.push(...messages.filter(({ role }) => role !== "tool").map((msg) => textOf(msg)))
  }

  async retrieve(): Promise<readonly []> {
    return []
  }
}
