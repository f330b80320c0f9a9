import { readFile } from "node:fs/promises"
import { type Msg, textOf, toolResultsOf, userMsg } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import type { Spill } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { agentWith, base, compaction, talk, tens, textsOf } from "../fixtures/long-talks.ts"
import { eventsOf, expectValid, memoryOf, ofType, rolesOf } from "../fixtures/runs.ts"
import { notes } from "../fixtures/summaries.ts"
import { add, named } from "../fixtures/tools.ts"
import { Budget, ReActAgent } from "../index.ts"

describe("a history that has become too long", () => {
  test("has its older part replaced by a summary, before the model is called", async () => {
    using writer = new ScriptedModel([notes("They count questions.")])
    using model = new ScriptedModel(["answer 10"])
    const agent = agentWith(talk(10), { model, compaction: { ...compaction, model: writer } })
    const events = await eventsOf(agent.stream("question 10"))
    const [told] = ofType(events, "compaction")
    expect(told?.removed).toBe(7)
    expect(told?.summary).toMatchObject({ role: "user", name: "summary", metadata: { compaction: { messages: 7 } } })
    const memory = memoryOf(agent)
    expect(memory[0]).toBe(told?.summary)
    expect(textsOf(memory.slice(1))).toEqual(["answer 7", "question 8", "answer 9", "question 10", "answer 10"])
    expect(textOf(memory[0] as Msg)).toContain("They count questions.")
    expect(textsOf(model.requests[0]?.messages ?? []).slice(2)).toEqual(textsOf(memory.slice(1, 5)))
    const asked = textOf(writer.requests[0]?.messages.at(-1) as Msg)
    for (let i = 0; i < 7; i++) expect(asked).toContain(`${i % 2 === 0 ? "question" : "answer"} ${i}`)
    expect(asked).not.toContain("answer 7")
    expectValid(memory)
  })

  test("is left alone below the trigger, the system prompt and tools counted", async () => {
    using model = new ScriptedModel(["ok"])
    const short = agentWith(talk(8), { model, compaction })
    expect(ofType(await eventsOf(short.stream("hi")), "compaction")).toEqual([])
    using more = new ScriptedModel([notes("short"), "ok"])
    const withTools = agentWith(talk(8), {
      model: more,
      tools: [add],
      compaction: { ...compaction, triggerTokens: 180 },
    })
    expect(ofType(await eventsOf(withTools.stream("hi")), "compaction")).toHaveLength(1)
  })

  test("is summed up again with the summary before", async () => {
    using model = new ScriptedModel([notes("First notes."), "ok", "ok", "ok", notes("Second notes."), "ok"])
    const agent = agentWith(talk(10), { model, compaction })
    for (const said of ["a", "b", "c", "d"]) await agent.reply(said)
    const asked = model.requests[4]?.messages.at(-1) as Msg
    expect(textOf(asked)).toMatch(/<earlier_notes>[^]*First notes\.[^]*<\/earlier_notes>/)
    const [summary, ...rest] = memoryOf(agent)
    expect(textOf(summary as Msg)).toContain("Second notes.")
    expect(textOf(summary as Msg)).not.toContain("First notes.")
    expect(summary?.metadata).toMatchObject({ compaction: { messages: 18 - rest.length } })
    expect(memoryOf(agent).filter((msg) => msg.metadata?.["compaction"])).toHaveLength(1)
  })

  test("keeps the summary in the agent's state", async () => {
    using model = new ScriptedModel([notes("Saved notes."), "ok", "ok"])
    const agent = agentWith(talk(10), { model, compaction })
    await agent.reply("a")
    const again = new ReActAgent({ ...base, model, compaction })
    again.loadStateDict(JSON.parse(JSON.stringify(agent.stateDict())) as never)
    await again.reply("b")
    expect(textOf(model.requests.at(-1)?.messages[1] as Msg)).toContain("Saved notes.")
    expect(memoryOf(again)[0]).toEqual(memoryOf(agent)[0])
  })

  test("leaves the beginning of the requests as it was until the next compaction", async () => {
    using model = new ScriptedModel([notes("n"), "ok", "ok", "ok"])
    const agent = agentWith(talk(10), { model, compaction })
    for (const said of ["a", "b", "c"]) await agent.reply(said)
    const sent = model.requests.slice(1).map(({ messages }) => messages.map(({ id }) => id))
    for (const [i, ids] of sent.slice(1).entries()) expect(ids.slice(0, sent[i]?.length)).toEqual(sent[i])
  })

  test("says what the user asked for last where that is in the older part", async () => {
    using model = new ScriptedModel([
      ...Array.from({ length: 5 }, (_, i) => ({ toolUses: [{ name: "add", input: { a: i, b: 1 } }] })),
      notes("sums"),
      "done",
    ])
    const agent = new ReActAgent({
      ...base,
      model,
      tools: [add],
      compaction: { triggerTokens: 215, keepRecent: 2, tokenCounter: tens },
    })
    await agent.reply("Add up everything I sent you yesterday.")
    expect(rolesOf(agent)).toEqual(["user", "assistant", "tool", "assistant"])
    expect(textOf(memoryOf(agent)[0] as Msg)).toContain("Add up everything I sent you yesterday.")
  })

  test("counts what the summary took into the reply and its budget", async () => {
    const usage = { inputTokens: 70, outputTokens: 30 }
    using model = new ScriptedModel([
      { text: notes("n"), usage },
      { text: "ok", usage },
    ])
    const budget = new Budget({ tokens: 1000 })
    const agent = agentWith(talk(10), { model, compaction, budget })
    expect((await agent.reply("hi")).usage).toMatchObject({ inputTokens: 140, outputTokens: 60 })
    expect(budget.spent).toMatchObject({ tokens: 200, modelCalls: 2 })
  })

  test("ends the reply where the summary took what was left of the budget", async () => {
    using model = new ScriptedModel([{ text: notes("n"), usage: { inputTokens: 70, outputTokens: 40 } }])
    const agent = agentWith(talk(10), { model, compaction, budget: { tokens: 100 } })
    expect((await agent.reply("hi")).finishReason).toBe("budget_exceeded")
    expect(textOf(memoryOf(agent)[0] as Msg)).toContain("<summary>")
  })

  test("is not summed up again with each step where what is left is near to the trigger", async () => {
    let summaries = 0
    let rounds = 0
    const model = new ScriptedModel(
      Array.from({ length: 30 }, () => ({ schema }) => {
        if (schema) return notes("x".repeat(300 + summaries++))
        return ++rounds > 6 ? "ok" : { toolUses: [{ name: "add", input: { round: rounds } }] }
      }),
    )
    const agent = agentWith(talk(6), {
      model,
      tools: [named("add", () => "ok")],
      compaction: { triggerTokens: 120, keepRecent: 1 },
    })
    await agent.reply("go")
    expect(summaries).toBeGreaterThan(0)
    expect(summaries).toBeLessThan(3)
  })
})

describe("calls and results", () => {
  test("a round that is under way is not cut, whatever was said to keep", async () => {
    using model = new ScriptedModel([
      { toolUses: [1, 2, 3].map((a) => ({ name: "add", input: { a, b: 1 } })) },
      notes("n"),
      "ok",
    ])
    const agent = agentWith(talk(4), {
      model,
      tools: [add],
      compaction: { triggerTokens: 165, keepRecent: 0, tokenCounter: tens },
    })
    await agent.reply("three sums")
    expectValid(memoryOf(agent))
    expect(rolesOf(agent)).toEqual(["user", "assistant", "tool", "assistant"])
    expectValid(model.requests.at(-1)?.messages.slice(1) ?? [])
  })

  test("calls that wait for a person survive", async () => {
    const refund = named("refund", () => "refunded", { needsApproval: true })
    using model = new ScriptedModel([notes("n"), { toolUses: [{ name: "refund", input: {} }] }, "Refunded."])
    const agent = agentWith(talk(12), {
      model,
      tools: [refund],
      compaction: { ...compaction, triggerTokens: 200 },
    })
    const waiting = await agent.reply("refund it")
    expect(waiting.finishReason).toBe("approval_required")
    const again = new ReActAgent({ ...base, model, tools: [refund], compaction: { ...compaction, triggerTokens: 200 } })
    again.loadStateDict(JSON.parse(JSON.stringify(agent.stateDict())) as never)
    const { toolUse, digest } = again.pending[0] as (typeof again.pending)[0]
    const reply = await again.resume({ approvals: [{ toolUseId: toolUse.id, decision: "approve", digest }] })
    expect(textOf(reply)).toBe("Refunded.")
    expectValid(memoryOf(again))
  })

  test("giant results are kept in files, of which the summary says where they are", async () => {
    const giant = `BEGIN ${"lorem ipsum ".repeat(20_000)} END`
    using model = new ScriptedModel([{ toolUses: [{ name: "dump", input: {} }] }, "read", notes("dumped"), "ok"])
    const agent = new ReActAgent({
      ...base,
      model,
      tools: [named("dump", () => giant.slice(0, 90_000))],
      compaction: { triggerTokens: 25_000, keepRecent: 1 },
    })
    await agent.reply("dump")
    const long = "word ".repeat(3000)
    await agent.reply(long)
    const asked = textOf(model.requests[2]?.messages.at(-1) as Msg)
    expect(asked.length).toBeLessThan(10_000)
    const summary = textOf(memoryOf(agent)[0] as Msg)
    const [, where] = /- dump, 90000 characters: (\S+)/.exec(summary) ?? []
    expect(await readFile(String(where), "utf8")).toBe(giant.slice(0, 90_000))
    expect(asked).toContain(where)
  })

  test("of a giant result that has to stay the beginning and the end do, and the rest is kept", async () => {
    const kept: string[] = []
    const spill: Spill = (whole, { toolUse, agent }) => `${agent?.name}:${toolUse.name}:${kept.push(whole)}`
    const giant = `BEGIN${"x".repeat(40_000)}END`
    using model = new ScriptedModel([{ toolUses: [{ name: "dump", input: {} }] }, "ok"])
    const agent = new ReActAgent({
      ...base,
      model,
      tools: [named("dump", () => giant)],
      compaction: { triggerTokens: 5000, spill },
    })
    const events = await eventsOf(agent.stream("dump"))
    expect(ofType(events, "warning").map(({ code }) => code)).toEqual(["results_cut"])
    const [result] = memoryOf(agent).flatMap((msg) => toolResultsOf(msg))
    expect(textOf(result!)).toMatch(
      /^BEGINx+\n\[\d+ of the 40008 characters[^]*All of it is kept: Friday:dump:1\]\nx+END$/,
    )
    expect(kept).toEqual([giant])
    expectValid(memoryOf(agent))
  })

  test("without a place for them they are cut, and the text says so", async () => {
    for (const spill of [false, () => Promise.reject(new Error("disk full"))] as const) {
      using model = new ScriptedModel([{ toolUses: [{ name: "dump", input: {} }] }, "ok"])
      const agent = new ReActAgent({
        ...base,
        model,
        tools: [named("dump", () => "x".repeat(40_000))],
        compaction: { triggerTokens: 5000, spill },
      })
      await agent.reply("dump")
      expect(textOf(memoryOf(agent).flatMap((msg) => toolResultsOf(msg))[0]!)).toContain("They are not kept.")
    }
  })
})

describe("what is in memory meanwhile", () => {
  test("messages that were added while the summary was written stay", async () => {
    const late = userMsg("a late one")
    let agent: ReActAgent | undefined
    const writer = new ScriptedModel([
      () => {
        void agent?.memory.add(late)
        return notes("n")
      },
    ])
    using model = new ScriptedModel(["ok"])
    agent = agentWith(talk(10), { model, compaction: { ...compaction, model: writer } })
    await agent.reply("hi")
    expect(memoryOf(agent)).toContain(late)
    expect(textOf(memoryOf(agent)[0]!)).toContain("<summary>")
  })

  test("what was forgotten meanwhile does not come back in a summary", async () => {
    let agent: ReActAgent | undefined
    const writer = new ScriptedModel([
      () => {
        void agent?.memory.delete({ from: 0, to: 1 })
        return notes("n")
      },
    ])
    using model = new ScriptedModel(["ok"])
    agent = agentWith(talk(10), { model, compaction: { ...compaction, model: writer } })
    await agent.reply("hi")
    expect(textsOf(memoryOf(agent))).not.toContain("question 0")
    expect(JSON.stringify(memoryOf(agent))).not.toContain("<summary>")
  })
})
