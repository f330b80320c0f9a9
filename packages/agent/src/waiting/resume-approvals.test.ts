import { approve, deny, type PendingCall, textOf, toolResult, toolResultsOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { tool, when } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { eventsOf, memoryOf, ofType } from "../fixtures/runs.ts"
import { ask, inAnotherProcess, refunds, stopped } from "../fixtures/stopped.ts"
import { askExpert, named, refundTool } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"

describe("approvals", () => {
  test("an approved call runs, once, and the model goes on", async () => {
    const { agent, reply, first, refunded } = await stopped(refunds(80).toolUses)
    expect(reply.finishReason).toBe("approval_required")
    expect(refunded).toEqual([])
    const events = await eventsOf(agent.stream({ approvals: [approve(first)] }))
    expect(refunded).toEqual([80])
    expect(events.map(({ type }) => type).filter((type) => type.startsWith("tool"))).toEqual([
      "tool_execution_start",
      "tool_result",
    ])
    expect(toolResultsOf(memoryOf(agent)[2]!).map((result) => textOf(result))).toEqual(["refunded 80"])
  })

  test("a call starts when it is approved, not before; one that is refused, or that somebody else runs, never does", async () => {
    const { refund } = refundTool()
    const model = new ScriptedModel([
      { toolUses: [...refunds(1, 2).toolUses, ask("Who?"), { name: "none", input: {} }] },
      "done",
    ])
    const agent = new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, tools: [askExpert, refund] })
    expect(ofType(await eventsOf(agent.stream("go")), "tool_execution_start")).toEqual([])
    const [first, second, third] = agent.pending as [PendingCall, PendingCall, PendingCall]
    const answers = { approvals: [approve(first), deny(second)], results: [toolResult(third.toolUse, "Ann")] }
    const events = await eventsOf(agent.stream(answers))
    expect(ofType(events, "tool_execution_start")).toMatchObject([{ toolUse: first.toolUse }])
    expect(ofType(events, "tool_result")).toHaveLength(3)
  })

  test("with another input, which the result notes; history keeps what the model sent", async () => {
    const { agent, make, first, refunded } = await stopped(refunds(80).toolUses)
    const again = inAnotherProcess(agent, make)
    await again.resume({ approvals: [approve(first, { input: { amount: 20 } })] })
    expect(refunded).toEqual([20])
    expect(memoryOf(again)[1]?.content).toMatchObject([{ input: { amount: 80 } }])
    expect(toolResultsOf(memoryOf(again)[2]!)).toMatchObject([
      { metadata: { input: { amount: 20 } }, state: "success" },
    ])
  })

  test("a denied call does not run, and the model hears why", async () => {
    const { agent, first, refunded } = await stopped(refunds(80).toolUses)
    await agent.resume({ approvals: [deny(first, "too much")] })
    expect(refunded).toEqual([])
    const [result] = toolResultsOf(memoryOf(agent)[2]!)
    expect(result?.state).toBe("denied")
    expect(textOf(result!)).toContain("too much")
  })

  test("a part: the approved call runs now, its result waits with the others", async () => {
    const { agent, make, first, second, refunded } = await stopped(refunds(1, 2).toolUses)
    const part = await agent.resume({ approvals: [approve(second)] })
    expect(part).toMatchObject({ finishReason: "approval_required", pending: [first] })
    expect(refunded).toEqual([2])
    const again = inAnotherProcess(agent, make)
    await again.resume({ approvals: [approve(first)] })
    expect(refunded).toEqual([2, 1])
    expect(toolResultsOf(memoryOf(again)[2]!).map((result) => textOf(result))).toEqual(["refunded 1", "refunded 2"])
  })

  test("an external tool that has to be approved first waits for its result afterwards", async () => {
    const sign = tool({ name: "sign", description: "Sign", needsApproval: true, input: z.object({}) })
    const { agent, first } = await stopped([{ name: "sign", input: {} }], { tools: [sign] })
    expect(first.kind).toBe("approval")
    const then = await agent.resume({ approvals: [approve(first)] })
    expect(then).toMatchObject({ finishReason: "tool_suspended", pending: [{ kind: "external" }] })
    const results = then.pending.map(({ toolUse }) => toolResult(toolUse, "signed"))
    expect((await agent.resume({ results })).finishReason).toBe("completed")
  })

  test("an external call can be denied", async () => {
    const { agent, first } = await stopped([ask("Why?")])
    await agent.resume({ approvals: [deny(first, "the expert is away")] })
    expect(toolResultsOf(memoryOf(agent)[2]!)).toMatchObject([{ state: "denied" }])
  })

  test("rules to remember live in the agent's saved state", async () => {
    const last = [refunds(80), "a", refunds(80), "b"]
    const { agent, make, first, refunded } = await stopped(refunds(80).toolUses, {}, last)
    expect(first.suggestedRules?.length).toBeGreaterThan(0)
    expect((await agent.resume({ approvals: [approve(first, { remember: first.suggestedRules })] })).finishReason).toBe(
      "completed",
    )
    expect(refunded).toEqual([80, 80])
    const again = inAnotherProcess(agent, make)
    expect((await again.reply("Once more.")).finishReason).toBe("completed")
    expect(refunded).toEqual([80, 80, 80])
  })

  test("rules that are remembered come after the operator's deny and ask", async () => {
    const { refund, refunded } = refundTool()
    const approval = { ask: [when(refund, ({ amount }) => amount > 500)] }
    const options = { tools: [refund], approval }
    const { agent, first } = await stopped(refunds(80).toolUses, options, [refunds(90), refunds(900)])
    const next = await agent.resume({ approvals: [approve(first, { remember: ["refund"] })] })
    expect(refunded).toEqual([80, 90])
    expect(next).toMatchObject({
      finishReason: "approval_required",
      pending: [{ toolUse: { input: { amount: 900 } } }],
    })
  })

  test("rules add up", async () => {
    const { refund } = refundTool()
    const wipe = named("wipe", () => "wiped", { needsApproval: true })
    const wipes = { toolUses: [{ name: "wipe", input: {} }] }
    const both = { toolUses: [...refunds(7).toolUses, ...wipes.toolUses] }
    const { agent, first } = await stopped(refunds(6).toolUses, { tools: [refund, wipe] }, [wipes, both, "done"])
    const next = await agent.resume({ approvals: [approve(first, { remember: ["refund"] })] })
    const approvals = next.pending.map((call) => approve(call, { remember: ["wipe"] }))
    expect((await agent.resume({ approvals })).finishReason).toBe("completed")
    expect(agent.stateDict()["rules"]).toMatchObject([{ rule: "refund" }, { rule: "wipe" }])
  })

  test("a rule that cannot be read is refused, and nothing is changed", async () => {
    const { agent, first, refunded } = await stopped(refunds(80).toolUses)
    await expect(agent.resume({ approvals: [approve(first, { remember: ["((("] })] })).rejects.toMatchObject({
      code: "invalid_rule",
    })
    expect(agent.pending).toEqual([first])
    expect(refunded).toEqual([])
  })
})
