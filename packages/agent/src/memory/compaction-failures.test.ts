import { assistantMsg, textOf, userMsg } from "@agentscope-ts/message"
import { modelError } from "@agentscope-ts/model"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, test } from "vitest"
import { agentWith, base, compaction, talk, textsOf } from "../fixtures/long-talks.ts"
import { ManualModel, stalls, text } from "../fixtures/manual-model.ts"
import { eventsOf, gate, memoryOf, ofType } from "../fixtures/runs.ts"
import { notes } from "../fixtures/summaries.ts"
import { add } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"

describe("a summary that cannot be written", () => {
  const failing = () => {
    throw modelError({ code: "server_error", message: "broken" })
  }
  test.each<[string, ConstructorParameters<typeof ScriptedModel>[0]]>([
    ["throws", [{ error: modelError({ code: "server_error", message: "broken" }) }]],
    ["says nothing", [{ text: "" }, ""]],
    ["says nothing in each field", [notes(" "), "  "]],
    ["writes other JSON", ['{"a":1}', '{"b"']],
    [
      "refuses",
      [
        { text: "", stopReason: "refusal" },
        { text: "", stopReason: "content_filter" },
      ],
    ],
    ["calls a tool", [{ toolUses: [{ name: "add", input: {} }] }, { toolUses: [{ name: "add", input: {} }] }]],
  ])("leaves the history as it was, and the reply goes on: %s", async (_what, steps) => {
    using writer = new ScriptedModel(steps)
    using model = new ScriptedModel([{ error: modelError({ code: "overloaded", message: "busy" }) }, "ok"])
    const past = talk(10)
    const agent = agentWith(past, { model, compaction: { ...compaction, model: writer } })
    const events = await eventsOf(agent.stream("hi"))
    expect(ofType(events, "warning").map(({ code }) => code)).toEqual(["compaction_failed"])
    expect(memoryOf(agent).slice(0, 10)).toEqual(past)
    expect(ofType(events, "compaction")).toEqual([])
    expect(textOf(memoryOf(agent).at(-1)!)).toBe("ok")
  })

  test("is written by the agent's model where another fails", async () => {
    const writer = new ScriptedModel([failing])
    using model = new ScriptedModel([notes("by the agent's own"), "ok"])
    const agent = agentWith(talk(10), { model, compaction: { ...compaction, model: writer } })
    await agent.reply("hi")
    expect(textOf(memoryOf(agent)[0]!)).toContain("by the agent's own")
  })

  test("may be plain words, at once or when asked for, or JSON of another shape", async () => {
    for (const steps of [
      ['```json\n{"summary": "They talked of questions.", "n": 1}\n```'],
      ["They talked of questions."],
      ['{"no": 1', "They talked of questions."],
    ]) {
      using model = new ScriptedModel([...steps, "ok"])
      const agent = agentWith(talk(10), { model, compaction })
      await agent.reply("hi")
      expect(textOf(memoryOf(agent)[0]!)).toContain("They talked of questions.")
    }
  })

  test("is not tried again with each step", async () => {
    let tries = 0
    const writer = new ScriptedModel(
      Array.from({ length: 9 }, () => () => {
        tries++
        return failing()
      }),
    )
    using model = new ScriptedModel([failing, { toolUses: [{ name: "add", input: { a: 1, b: 1 } }] }, "ok"])
    const agent = agentWith(talk(30), {
      model,
      tools: [add],
      compaction: { ...compaction, triggerTokens: 400, model: writer },
    })
    const events = await eventsOf(agent.stream("hi"))
    expect(tries).toBe(1)
    expect(ofType(events, "warning")).toHaveLength(1)
  })

  test("is given up when the reply is interrupted: the history is as it was", async () => {
    const started = gate()
    const writer = new ManualModel((sink, request) => {
      started.resolve()
      return stalls(...text(0, '{"task'))(sink, request)
    })
    const model = new ManualModel()
    const past = talk(10)
    const agent = agentWith(past, { model, compaction: { ...compaction, model: writer } })
    const run = agent.stream("hi")
    const events = eventsOf(run)
    await started.promise
    const from = performance.now()
    expect(run.interrupt()).toBe(true)
    expect((await run.reply).finishReason).toBe("interrupted")
    expect(performance.now() - from).toBeLessThan(100)
    expect(ofType(await events, "warning")).toEqual([])
    expect(memoryOf(agent).slice(0, 10)).toEqual(past)
    expect(model.requests).toEqual([])
  })

  test("is given up when the program aborts", async () => {
    const started = gate()
    const writer = new ManualModel((sink, request) => {
      started.resolve()
      return stalls()(sink, request)
    })
    const agent = agentWith(talk(10), { model: new ManualModel(), compaction: { ...compaction, model: writer } })
    const controller = new AbortController()
    const reply = agent.reply("hi", { signal: controller.signal })
    await started.promise
    controller.abort(new Error("enough"))
    await expect(reply).rejects.toThrow("enough")
    expect(memoryOf(agent)).toHaveLength(11)
  })
})

describe("a fixed overhead that is too big", () => {
  test("rejects with a code that says so, each time and at once", async () => {
    const model = new ScriptedModel([])
    const agent = new ReActAgent({
      ...base,
      systemPrompt: "word ".repeat(1000),
      model,
      compaction: { triggerTokens: 1000 },
    })
    for (const said of ["hi", "again"]) {
      await expect(agent.reply(said)).rejects.toMatchObject({
        code: "overhead_too_big",
        message: expect.stringContaining("Raise triggerTokens"),
      })
    }
    expect(model.requests).toEqual([])
  })

  test("is told once a reply where it is a message that has to stay, and the model is asked", async () => {
    using model = new ScriptedModel([{ toolUses: [{ name: "add", input: { a: 1, b: 1 } }] }, "ok"])
    const agent = new ReActAgent({ ...base, model, tools: [add], compaction: { triggerTokens: 500 } })
    const events = await eventsOf(agent.stream("word ".repeat(1000)))
    expect(ofType(events, "warning").map(({ code }) => code)).toEqual(["overhead_too_big"])
    expect(textOf(memoryOf(agent).at(-1)!)).toBe("ok")
  })

  test("what can be summed up is, where a message that has to stay is above the trigger", async () => {
    using model = new ScriptedModel([notes("n"), "ok"])
    const big = (count: number) => "word ".repeat(count)
    const agent = agentWith([userMsg(big(2000)), assistantMsg("fine", { name: "Friday" })], {
      model,
      compaction: { triggerTokens: 1000 },
    })
    await agent.reply(big(1000))
    expect(textsOf(memoryOf(agent).slice(1))).toEqual(["fine", big(1000), "ok"])
    expect(textOf(memoryOf(agent)[0]!)).toContain("<summary>")
  })
})
