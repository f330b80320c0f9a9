import {
  approve,
  deny,
  type JsonObject,
  type PendingCall,
  textOf,
  toolResult,
  toolResultMsg,
  toolResultsOf,
  userMsg,
} from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { tool, when } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { eventsOf, expectValid, gate, idle, memoryOf, ofType, rolesOf } from "./fixtures/runs.ts"
import { add, askExpert, named, refundTool } from "./fixtures/tools.ts"
import { ReActAgent, type ReActOptions } from "./index.ts"

const ask = (question: string) => ({ name: "ask_expert", input: { question } })
const refunds = (...amounts: number[]) => ({
  toolUses: amounts.map((amount) => ({ name: "refund", input: { amount } })),
})

/** An agent that has stopped at these calls. */
async function stopped(
  toolUses: { name: string; input: JsonObject }[],
  options: Partial<ReActOptions> = {},
  last: ConstructorParameters<typeof ScriptedModel>[0] = ["done"],
) {
  const { refund, refunded } = refundTool()
  const model = new ScriptedModel([{ toolUses }, ...last])
  const make = () =>
    new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, tools: [add, askExpert, refund], ...options })
  const agent = make()
  const reply = await agent.reply("go")
  const [first, second] = reply.pending as [PendingCall, PendingCall]
  return { agent, make, reply, first, second, refunded, model }
}
const inAnotherProcess = (agent: ReActAgent, make: () => ReActAgent) => {
  const again = make()
  again.loadStateDict(JSON.parse(JSON.stringify(agent.stateDict())))
  return again
}

describe("results from outside", () => {
  test("go into memory as the round's results, in call order, and the agent goes on", async () => {
    const { agent, reply, first, model } = await stopped([ask("Why?"), { name: "add", input: { a: 1, b: 2 } }])
    expect(reply.finishReason).toBe("tool_suspended")
    expect(rolesOf(agent)).toEqual(["user", "assistant"])
    const later = await agent.resume({ results: [toolResult(first.toolUse, "Because.")] })
    expect(later.finishReason).toBe("completed")
    expect(agent.pending).toEqual([])
    expect(toolResultsOf(memoryOf(agent)[2]!).map((result) => textOf(result))).toEqual(["Because.", "3"])
    expectValid(model.requests[1]!.messages)
  })

  test("in another process, from plain JSON", async () => {
    const { agent, make, first } = await stopped([ask("Why?")])
    const again = inAnotherProcess(agent, make)
    expect(again.pending).toEqual([first])
    expect((await again.resume({ results: [toolResult(first.toolUse, "Because.")] })).finishReason).toBe("completed")
    expect(rolesOf(again)).toEqual(["user", "assistant", "tool", "assistant"])
  })

  test("a part is stored, the rest stays pending, across processes", async () => {
    const { agent, make, reply, first, second, model } = await stopped([ask("One?"), ask("Two?")])
    const part = await agent.resume({ results: [toolResult(second.toolUse, "2")] })
    expect(part).toMatchObject({ finishReason: "tool_suspended", pending: [first], id: reply.id })
    expect(model.requests.length).toBe(1)
    const again = inAnotherProcess(agent, make)
    expect((await again.resume({ results: [toolResult(first.toolUse, "1")] })).finishReason).toBe("completed")
    expect(toolResultsOf(memoryOf(again)[2]!).map((result) => textOf(result))).toEqual(["1", "2"])
  })

  test("a tool message counts as results", async () => {
    const { agent, first } = await stopped([ask("Why?")])
    expect((await agent.reply(toolResultMsg([toolResult(first.toolUse, "Because.")]))).finishReason).toBe("completed")
    expect(rolesOf(agent)).toEqual(["user", "assistant", "tool", "assistant"])
  })

  test("results and something new at once: what is left open is closed", async () => {
    const { agent, first } = await stopped([ask("One?"), ask("Two?")])
    await agent.reply([toolResultMsg([toolResult(first.toolUse, "1")]), userMsg("Never mind the other.")])
    expect(rolesOf(agent)).toEqual(["user", "assistant", "tool", "user", "assistant"])
    expect(toolResultsOf(memoryOf(agent)[2]!).map(({ state }) => state)).toEqual(["success", "interrupted"])
    expectValid(memoryOf(agent))
  })

  test("a new message closes what is pending as interrupted", async () => {
    const { agent, first } = await stopped([ask("Why?"), { name: "add", input: { a: 1, b: 2 } }])
    const events = await eventsOf(agent.stream("Forget it."))
    expect(ofType(events, "tool_result")).toMatchObject([
      { toolUse: { id: first.toolUse.id }, result: { state: "interrupted" } },
    ])
    expect(rolesOf(agent)).toEqual(["user", "assistant", "tool", "user", "assistant"])
    expect(toolResultsOf(memoryOf(agent)[2]!).map(({ state }) => state)).toEqual(["interrupted", "success"])
    await expect(agent.resume({ results: [toolResult(first.toolUse, "late")] })).rejects.toMatchObject({
      code: "unknown_pending",
    })
  })

  test("nothing said and nothing answered: the agent still waits", async () => {
    const { agent, first, model } = await stopped([ask("Why?")])
    for (const input of [undefined, [], { results: [] }]) {
      expect(await agent.reply(input)).toMatchObject({ finishReason: "tool_suspended", pending: [first] })
    }
    expect(model.requests.length).toBe(1)
  })

  test("answers without any answer change nothing: the agent still waits", async () => {
    const { agent, first, model } = await stopped([ask("Who?")])
    for (const nothing of [{}, { results: [] }, { approvals: [] }]) {
      expect((await agent.resume(nothing)).finishReason).toBe("tool_suspended")
      expect((await agent.reply(nothing)).pending).toEqual([first])
    }
    expect(model.requests).toHaveLength(1)
  })

  test("a tool that suspends itself says why", async () => {
    const lookup = tool({
      name: "lookup",
      description: "Look up",
      input: z.object({}),
      execute: (_, ctx) => ctx.suspend("fetched by night"),
    })
    const { reply } = await stopped([{ name: "lookup", input: {} }], { tools: [lookup] })
    expect(reply.pending).toMatchObject([{ kind: "external", reason: "fetched by night" }])
  })
})

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

describe("answers that do not fit change nothing", () => {
  const cases: [string, (first: PendingCall, second: PendingCall) => Parameters<ReActAgent["resume"]>[0]][] = [
    ["an unknown id", (first) => ({ results: [toolResult({ ...first.toolUse, id: "nope" }, "x")] })],
    ["the same id twice", (first) => ({ results: [toolResult(first.toolUse, "x"), toolResult(first.toolUse, "y")] })],
    [
      "a good answer beside an unknown one",
      (first) => ({
        results: [toolResult(first.toolUse, "x")],
        approvals: [{ toolUseId: "nope", digest: "", decision: "approve" }],
      }),
    ],
    ["an approval of another input", (_, second) => ({ approvals: [{ ...approve(second), digest: "other" }] })],
    ["a result where an approval is wanted", (_, second) => ({ results: [toolResult(second.toolUse, "x")] })],
    ["an approval where a result is wanted", (first) => ({ approvals: [approve(first)] })],
  ]
  test.each(cases)("%s", async (_, answers) => {
    const { agent, first, second, refunded } = await stopped([ask("Why?"), refunds(5).toolUses[0]!])
    const before = JSON.stringify(agent.stateDict())
    await expect(agent.resume(answers(first, second))).rejects.toMatchObject({ code: "unknown_pending" })
    expect(JSON.stringify(agent.stateDict())).toBe(before)
    expect(refunded).toEqual([])
    expect(agent.pending).toEqual([first, second])
  })

  const written = (parts: JsonObject) => (first: PendingCall) =>
    ({ results: [{ ...toolResult(first.toolUse, "x"), ...parts }] }) as never
  const said = (parts: JsonObject) => () => ({ ...userMsg("x"), ...parts }) as never
  test.each<[string, (first: PendingCall, second: PendingCall) => never, string]>([
    ["a result with a block of no kind", written({ output: [{ type: "bogus" }] }), "results[0].output[0]"],
    ["a result with no block", written({ output: [null] }), "results[0].output[0]"],
    ["a result with a text block without text", written({ output: [{ type: "text" }] }), "results[0].output[0]"],
    ["a result with a picture from nowhere", written({ output: [{ type: "image" }] }), "results[0].output[0]"],
    ["a result of no tool", written({ name: 7 }), "results[0]"],
    ["a message with no role", said({ role: "bogus" }), "messages[0]"],
    ["a message with a block of no kind", said({ content: [{ type: "bogus" }] }), "messages[0].content[0]"],
    ["a message with a text for a block", said({ content: ["hi"] }), "messages[0].content[0]"],
    [
      "a message without a name",
      () => ({ role: "user", content: [{ type: "text", text: "hi" }] }) as never,
      "has no name",
    ],
    [
      "a reason that is no text",
      (_, second) => ({ approvals: [{ ...deny(second), reason: {} }] }) as never,
      "a decision",
    ],
  ])("%s, which would spoil every request to come", async (_, answers, place) => {
    const { agent, first, second } = await stopped([ask("Why?"), refunds(5).toolUses[0]!])
    const before = JSON.stringify(agent.stateDict())
    const refused = expect.objectContaining({ code: "invalid_argument", message: expect.stringContaining(place) })
    await expect(agent.resume(answers(first, second))).rejects.toEqual(refused)
    expect(JSON.stringify(agent.stateDict())).toBe(before)
    expect((await agent.reply("Never mind.")).finishReason).toBe("completed")
  })

  test("answers when nothing waits, also as a tool message", async () => {
    using model = new ScriptedModel([])
    const agent = new ReActAgent({ name: "Friday", systemPrompt: "Help.", model })
    const result = { type: "tool_result", id: "c1", name: "x", output: [], state: "success" } as const
    await expect(agent.resume({ results: [result] })).rejects.toMatchObject({ code: "unknown_pending" })
    await expect(agent.reply(toolResultMsg([result]))).rejects.toMatchObject({ code: "unknown_pending" })
    expect(memoryOf(agent)).toEqual([])
  })

  test("FR-15 a client that sends the same result again is refused; memory holds one", async () => {
    const { agent, first } = await stopped([ask("Why?")])
    const results = [toolResult(first.toolUse, "Because.")]
    await agent.resume({ results })
    await expect(agent.resume({ results })).rejects.toMatchObject({ code: "unknown_pending" })
    expect(memoryOf(agent).flatMap(toolResultsOf)).toHaveLength(1)
  })
})

describe("while calls wait", () => {
  test("what is observed and steered joins when the round is closed, also in another process", async () => {
    const { agent, make, first, model } = await stopped([ask("Why?")])
    await agent.observe(userMsg("It rains.", { name: "radio" }))
    expect(rolesOf(agent)).toEqual(["user", "assistant"])
    const again = inAnotherProcess(agent, make)
    await again.resume({ results: [toolResult(first.toolUse, "Because.")] })
    expect(model.requests[1]?.messages.map(({ name }) => name)).toEqual(["system", "user", "Friday", "tool", "radio"])
    expect(again.stateDict()["inbox"]).toEqual([])
    expectValid(model.requests[1]!.messages)
  })

  test("what is steered in during a round that comes to wait is answered when it is closed", async () => {
    const note = named("note", () => void agent.steer("In French, please."))
    using model = new ScriptedModel([{ toolUses: [{ name: "note", input: {} }, ask("Why?")] }, "Fini."])
    const make = () => new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, tools: [note, askExpert] })
    const agent: ReActAgent = make()
    const reply = await agent.reply("go")
    const again = inAnotherProcess(agent, make)
    await again.resume({ results: reply.pending.map(({ toolUse }) => toolResult(toolUse, "Because.")) })
    expect(textOf(model.requests[1]!.messages.at(-1)!)).toBe("In French, please.")
    expectValid(memoryOf(again))
  })

  test("what is observed during a reply does not come between a call and its result", async () => {
    const during = gate()
    const slow = named("slow", () => during.promise)
    using model = new ScriptedModel([{ toolUses: [{ name: "slow", input: {} }] }, "ok"])
    const agent = new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, tools: [slow] })
    const reply = agent.reply("go")
    await idle()
    await agent.observe("It rains.")
    during.resolve()
    await reply
    await agent.observe("It stops.")
    expect(memoryOf(agent).map((msg) => msg.role === "tool" || textOf(msg))).toEqual([
      "go",
      "",
      true,
      "It rains.",
      "ok",
      "It stops.",
    ])
  })

  test("an interrupt during an approved call closes the whole round", async () => {
    const during = gate()
    const slow = named("slow", () => (during.resolve(), new Promise(() => {})), { needsApproval: true })
    const { agent, first } = await stopped([{ name: "slow", input: {} }, ask("Why?")], { tools: [slow, askExpert] }, [])
    const reply = agent.resume({ approvals: [approve(first)] })
    await during.promise
    agent.interrupt("Leave it.")
    expect((await reply).finishReason).toBe("interrupted")
    expect(agent.pending).toEqual([])
    expect(rolesOf(agent)).toEqual(["user", "assistant", "tool", "user", "assistant"])
    expect(toolResultsOf(memoryOf(agent)[2]!).map(({ state }) => state)).toEqual(["interrupted", "interrupted"])
  })

  test("hooks before a call run once; hooks after it see results from outside too", async () => {
    const log: string[] = []
    const { agent, first, second } = await stopped([ask("Why?"), refunds(5).toolUses[0]!], {
      hooks: {
        preActing: ({ input }) => void log.push(`pre ${input.toolUse.name}`),
        postActing: ({ output }) => ({ ...output, output: [{ type: "text", text: `${output.state}!` }] }),
      },
    })
    await agent.resume({ results: [toolResult(first.toolUse, "secret")], approvals: [approve(second)] })
    expect(log).toEqual(["pre ask_expert", "pre refund"])
    expect(toolResultsOf(memoryOf(agent)[2]!).map((result) => textOf(result))).toEqual(["success!", "success!"])
  })

  test("state that is no state of pending calls is refused, and so is loading during a reply", async () => {
    const { agent, make } = await stopped([ask("Why?")])
    const state = agent.stateDict()
    expect(() => make().loadStateDict({ ...state, round: { message: 1 } })).toThrow(/round/)
    expect(() => make().loadStateDict({ ...state, rules: "refund" })).toThrow(/rules/)
    const round = state["round"] as JsonObject
    const [pending] = round["pending"] as [JsonObject]
    const broken: Partial<Record<string, unknown>>[] = [
      { results: [] },
      { results: [null, null] },
      { results: [{ type: "tool_result" }] },
      { results: ["x"] },
      { pending: [] },
      { pending: [pending, pending] },
      { pending: [{ ...pending, kind: "odd" }] },
      { pending: [{ ...pending, digest: undefined }] },
      { pending: [{ ...pending, toolUse: { id: "other", input: {} } }] },
      { message: { content: 1 } },
    ]
    for (const change of broken) {
      const agent = make()
      expect(() => agent.loadStateDict({ ...state, round: { ...round, ...change } as JsonObject })).toThrow(/round/)
      expect(agent.pending).toEqual([])
      expect(memoryOf(agent)).toEqual([])
    }
    const two = await stopped([ask("Why?"), { name: "add", input: { a: 1, b: 2 } }])
    const mixed = two.agent.stateDict()["round"] as JsonObject
    for (const change of [
      { results: [null, { a: 1 }] },
      { message: { ...(mixed["message"] as JsonObject), name: 7 } },
    ]) {
      const changed = { ...two.agent.stateDict(), round: { ...mixed, ...change } as JsonObject }
      expect(() => two.make().loadStateDict(changed)).toThrow(/round/)
    }
    for (const rules of [["refund"], [null], [{ rule: "((", tools: {} }], [{ rule: "refund" }]]) {
      expect(() => make().loadStateDict({ ...state, rules })).toThrow(/rules/)
    }
    expect(() => make().loadStateDict({ ...state, inbox: [{ no: "message" }] })).toThrow(/inbox/)
    const during = gate()
    const slow = named("slow", () => during.promise)
    const model = new ScriptedModel([{ toolUses: [{ name: "slow", input: {} }] }, "ok"])
    const busy = new ReActAgent({ name: "Friday", systemPrompt: "Help.", model, tools: [slow] })
    const reply = busy.reply("go")
    await idle()
    expect(() => busy.loadStateDict(state)).toThrow(/is answering/)
    during.resolve()
    expect((await reply).finishReason).toBe("completed")
  })
})
