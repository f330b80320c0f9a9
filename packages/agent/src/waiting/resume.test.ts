import {
  approve,
  type JsonObject,
  textOf,
  toolResult,
  toolResultMsg,
  toolResultsOf,
  userMsg,
} from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { tool } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { eventsOf, expectValid, gate, idle, memoryOf, ofType, rolesOf } from "../fixtures/runs.ts"
import { ask, inAnotherProcess, refunds, stopped } from "../fixtures/stopped.ts"
import { askExpert, named } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"

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
