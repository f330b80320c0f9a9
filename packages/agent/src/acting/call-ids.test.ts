import { approve, deny, type PendingCall, textOf, toolResult, toolResultsOf, toolUsesOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, test } from "vitest"
import { ManualModel, says, text } from "../fixtures/manual-model.ts"
import { expectValid, memoryOf } from "../fixtures/runs.ts"
import { askExpert, named, refundTool } from "../fixtures/tools.ts"
import { ReActAgent, type ReActOptions } from "../index.ts"

const agentOf = (model: ReActOptions["model"], options: Partial<ReActOptions> = {}) =>
  new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, tools: [askExpert], ...options })
const ask = (id: string, question: string) => ({ id, name: "ask_expert", input: { question } })
const idsOf = (agent: ReActAgent) => memoryOf(agent).flatMap((msg) => toolUsesOf(msg).map(({ id }) => id))
const resultsOf = (agent: ReActAgent) =>
  memoryOf(agent).flatMap((msg) => toolResultsOf(msg).map((each) => textOf(each)))

describe("a server that gives calls of one answer the same id", () => {
  test("each waits, is answered and is saved by an id of its own", async () => {
    const step = { toolUses: [ask("c", "One?"), ask("c", "Two?"), ask("c_2", "Three?")] }
    const model = new ScriptedModel([step, "done"])
    const agent = agentOf(model)
    const { pending } = await agent.reply("go")
    expect(pending.map(({ toolUse }) => toolUse.id)).toEqual(["c", "c_3", "c_2"])
    const [one, two, three] = pending as [PendingCall, PendingCall, PendingCall]
    expect((await agent.resume({ results: [toolResult(two.toolUse, "2")] })).pending).toEqual([one, three])
    const again = agentOf(model)
    again.loadStateDict(JSON.parse(JSON.stringify(agent.stateDict())))
    const results = [toolResult(three.toolUse, "3"), toolResult(one.toolUse, "1")]
    expect((await again.resume({ results })).finishReason).toBe("completed")
    expect(resultsOf(again)).toEqual(["1", "2", "3"])
    expectValid(memoryOf(again))
  })

  test("an approval counts for the one that it was given for", async () => {
    const { refund, refunded } = refundTool()
    const toolUses = [7, 7000].map((amount) => ({ id: "c", name: "refund", input: { amount } }))
    const agent = agentOf(new ScriptedModel([{ toolUses }, "done"]), { tools: [refund] })
    const [small, large] = (await agent.reply("go")).pending as [PendingCall, PendingCall]
    await expect(
      agent.resume({ approvals: [{ ...approve(large), toolUseId: small.toolUse.id }] }),
    ).rejects.toMatchObject({ code: "unknown_pending" })
    await agent.resume({ approvals: [approve(small), deny(large, "no")] })
    expect(refunded).toEqual([7])
  })

  test.each([1, 2, 3])("calls that start while the model speaks keep their results (%i)", async (n) => {
    const ran: unknown[] = []
    const tools = [named("note", (input) => (ran.push(input), JSON.stringify(input)))]
    const orders = [
      [0, 1],
      [1, 0],
      [1, 0],
    ]
    const values = n === 3 ? [1, 1] : [1, 2]
    const starts = values.map((_, index) => ({ type: "tool_use_start" as const, index, id: "c", name: "note" }))
    const ends = (orders[n - 1] as number[]).map((index) => ({
      type: "block_end" as const,
      index,
      block: { type: "tool_use" as const, id: "c", name: "note", input: { n: values[index] as number } },
    }))
    const model = new ManualModel(says(...starts, ...ends), says(...text(0, "done")))
    const agent = agentOf(model, { tools })
    await agent.reply("go")
    expect(new Set(idsOf(agent)).size).toBe(2)
    expect(ran).toHaveLength(2)
    expect(resultsOf(agent)).toEqual(values.map((value) => `{"n":${value}}`))
    expectValid(memoryOf(agent))
  })
})

describe("a server that numbers its calls anew in every answer", () => {
  test("FR-15 a result that is sent again does not answer the next call", async () => {
    const steps = [{ toolUses: [ask("call_0", "Transfer?")] }, { toolUses: [ask("call_0", "Transfer again?")] }, "done"]
    const agent = agentOf(new ScriptedModel(steps))
    const [first] = (await agent.reply("go")).pending as [PendingCall]
    const results = [toolResult(first.toolUse, "yes")]
    const [second] = (await agent.resume({ results })).pending as [PendingCall]
    await expect(agent.resume({ results })).rejects.toMatchObject({ code: "unknown_pending" })
    expect(agent.pending).toEqual([second])
    await agent.resume({ results: [toolResult(second.toolUse, "no")] })
    expect(resultsOf(agent)).toEqual(["yes", "no"])
    expect(idsOf(agent)).toEqual(["call_0", "call_0_2"])
    expectValid(memoryOf(agent))
  })

  test("nor does an approval; and in another process the ids of before are known", async () => {
    const { refund, refunded } = refundTool()
    const step = { toolUses: [{ id: "call_0", name: "refund", input: { amount: 5 } }] }
    const make = () => agentOf(new ScriptedModel([step, "done"]), { tools: [refund] })
    const agent = make()
    const [first] = (await agent.reply("go")).pending as [PendingCall]
    await agent.resume({ approvals: [approve(first)] })
    const again = make()
    again.loadStateDict(JSON.parse(JSON.stringify(agent.stateDict())))
    await again.reply("once more")
    await expect(again.resume({ approvals: [approve(first)] })).rejects.toMatchObject({ code: "unknown_pending" })
    expect(refunded).toEqual([5])
    expect(idsOf(again)).toEqual(["call_0", "call_0_2"])
  })
})

test("a hook that gives a call another id does not part it from its answer", async () => {
  const { refund, refunded } = refundTool()
  const toolUses = [{ id: "c", name: "refund", input: { amount: 5 } }]
  const agent = agentOf(new ScriptedModel([{ toolUses }, "done"]), {
    tools: [refund],
    hooks: { preActing: ({ input }) => ({ toolUse: { ...input.toolUse, id: "x", input: { amount: 4 } } }) },
  })
  const [waiting] = (await agent.reply("go")).pending as [PendingCall]
  expect(waiting.toolUse).toMatchObject({ id: "c", input: { amount: 4 } })
  expect((await agent.resume({ approvals: [approve(waiting)] })).finishReason).toBe("completed")
  expect(refunded).toEqual([4])
  expectValid(memoryOf(agent))
})

test("ids that a hook doubles are told apart", async () => {
  const agent = agentOf(new ScriptedModel([{ toolUses: [ask("c", "One?")] }, "done"]), {
    hooks: { postReasoning: ({ output }) => ({ ...output, content: [...output.content, ...output.content] }) },
  })
  expect((await agent.reply("go")).pending.map(({ toolUse }) => toolUse.id)).toEqual(["c", "c_2"])
})
