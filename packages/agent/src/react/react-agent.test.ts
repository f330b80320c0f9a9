import { textOf, toolResultsOf, userMsg } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { contextKey, tool, Toolkit } from "@agentscope-ts/tool"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { call, ManualModel, says, text } from "../fixtures/manual-model.ts"
import { eventsOf, expectValid, gate, idle, memoryOf, ofType, rolesOf } from "../fixtures/runs.ts"
import { add, named } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"

const base = { name: "Friday", systemPrompt: "Help." }

describe("the reason–act loop", () => {
  test("answers without tools", async () => {
    using model = new ScriptedModel([{ text: "Hello!", usage: { inputTokens: 7, outputTokens: 2 } }])
    const agent = new ReActAgent({ ...base, model })
    const reply = await agent.reply("Hi")
    expect(reply).toMatchObject({
      name: "Friday",
      role: "assistant",
      finishReason: "completed",
      pending: [],
      usage: { inputTokens: 7, outputTokens: 2 },
    })
    expect(textOf(reply)).toBe("Hello!")
    const [request] = model.requests
    expect(request?.messages.map((msg) => [msg.role, textOf(msg)])).toEqual([
      ["system", "Help."],
      ["user", "Hi"],
    ])
    expect(request?.tools).toBeUndefined()
    expect(request?.toolChoice).toBeUndefined()
  })

  test.each([true, false])("calls tools and goes on until there is an answer (streaming: %s)", async (streaming) => {
    using model = new ScriptedModel([
      { text: "Let me see.", toolUses: [{ name: "add", input: { a: 20, b: 22 } }] },
      ({ messages }) =>
        `It is ${messages
          .flatMap(toolResultsOf)
          .map((result) => textOf(result))
          .join()}.`,
    ])
    const agent = new ReActAgent({ ...base, model, tools: [add], streaming })
    expect(textOf(await agent.reply("20 + 22?"))).toBe("It is 42.")
    expect(rolesOf(agent)).toEqual(["user", "assistant", "tool", "assistant"])
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(["add"])
    expectValid(memoryOf(agent))
  })

  test("remembers the conversation from reply to reply, and takes messages of others", async () => {
    using model = new ScriptedModel(["one", "two"])
    const agent = new ReActAgent({ ...base, model })
    await agent.reply("first")
    await agent.reply([userMsg("a", { name: "Ann" }), userMsg("b", { name: "Bob" })])
    expect(model.requests[1]?.messages.slice(1).map((msg) => `${msg.name}: ${textOf(msg)}`)).toEqual([
      "user: first",
      "Friday: one",
      "Ann: a",
      "Bob: b",
    ])
  })

  test("without input it goes on from its memory", async () => {
    using model = new ScriptedModel(["Go on."])
    const agent = new ReActAgent({ ...base, model })
    await agent.observe("Something happened.")
    await agent.reply()
    expect(model.requests[0]?.messages.map((msg) => textOf(msg))).toEqual(["Help.", "Something happened."])
  })

  test("usage is summed over all calls of a reply", async () => {
    using model = new ScriptedModel([
      { toolUses: [{ name: "add", input: { a: 1, b: 1 } }], usage: { inputTokens: 10, outputTokens: 3 } },
      { text: "2", usage: { inputTokens: 15, outputTokens: 4 } },
    ])
    const agent = new ReActAgent({ ...base, model, tools: [add] })
    const { usage } = await agent.reply("1 + 1?")
    expect(usage).toMatchObject({ inputTokens: 25, outputTokens: 7 })
  })

  test("an unknown tool, wrong input and a failing tool are told to the model, which goes on", async () => {
    using model = new ScriptedModel([
      {
        toolUses: [
          { name: "ad", input: {} },
          { name: "add", input: { a: "x" } },
          { name: "fail", input: {} },
        ],
      },
      "Sorry.",
    ])
    const fail = named("fail", () => {
      throw new Error("broken pipe")
    })
    const agent = new ReActAgent({ ...base, model, tools: [add, fail] })
    expect((await agent.reply("?")).finishReason).toBe("completed")
    const results = memoryOf(agent).flatMap(toolResultsOf)
    expect(results.map(({ state }) => state)).toEqual(["error", "error", "error"])
    expect(textOf(results[0]!)).toContain('Did you mean "add"?')
    expect(textOf(results[2]!)).toContain("broken pipe")
  })

  test("an agent without tools whose model calls one tells it so", async () => {
    using model = new ScriptedModel([{ toolUses: [{ name: "search", input: {} }] }, "No tools then."])
    const agent = new ReActAgent({ ...base, model })
    expect(textOf(await agent.reply("?"))).toBe("No tools then.")
    expect(memoryOf(agent).flatMap(toolResultsOf)).toMatchObject([{ name: "search", state: "error" }])
  })

  test("FR-01 a tool without parameters whose arguments are empty text runs once, with an empty object", async () => {
    const inputs: unknown[] = []
    const now = named("now", (input) => {
      inputs.push(input)
      return "noon"
    })
    using model = new ScriptedModel([{ toolUses: [{ name: "now", input: "" }] }, "Noon."])
    const agent = new ReActAgent({ ...base, model, tools: [now] })
    await agent.reply("What time is it?")
    expect(inputs).toEqual([{}])
    expect(model.requests[1]?.messages.at(-2)?.content).toMatchObject([{ type: "tool_use", input: {} }])
  })

  test("FR-31 arguments that are no JSON never run: the model is told, and history holds an empty object", async () => {
    const ran: unknown[] = []
    const write = named("write", (input) => ran.push(input))
    using model = new ScriptedModel([{ toolUses: [{ name: "write", input: '{"a":1' }] }, "I could not."])
    const agent = new ReActAgent({ ...base, model, tools: [write] })
    await agent.reply("Write.")
    expect(ran).toEqual([])
    expect(memoryOf(agent).flatMap(toolResultsOf)).toMatchObject([{ name: "write", state: "error" }])
    expect(memoryOf(agent)[1]?.content).toMatchObject([{ type: "tool_use", input: {} }])
    expectValid(memoryOf(agent))
  })

  test("FR-31 arguments that can mean one thing only run, and history holds what ran", async () => {
    const ran: unknown[] = []
    const write = named("write", (input) => void ran.push(input))
    using model = new ScriptedModel([{ toolUses: [{ name: "write", input: '{"a":"x\ny",}' }] }, "Done."])
    const agent = new ReActAgent({ ...base, model, tools: [write] })
    await agent.reply("Write.")
    expect(ran).toEqual([{ a: "x\ny" }])
    expect(memoryOf(agent)[1]?.content).toEqual([expect.objectContaining({ type: "tool_use", input: { a: "x\ny" } })])
    expect(memoryOf(agent)[1]?.content[0]).not.toHaveProperty("rawInput")
    expectValid(memoryOf(agent))
  })

  test("FR-31 a model that never gets its arguments right is stopped", async () => {
    const steps = Array.from({ length: 6 }, () => ({ toolUses: [{ name: "write", input: '{"a":1' }] }))
    using model = new ScriptedModel(steps)
    const agent = new ReActAgent({ ...base, model, tools: [named("write", () => "x")], maxIterations: 100 })
    expect((await agent.reply("Write.")).finishReason).toBe("repetition")
  })

  test("a run with a thousand tool results keeps them all, in order", async () => {
    const echo = named("echo", async (input) => JSON.stringify(input))
    const toolUses = Array.from({ length: 1000 }, (_, i) => ({ name: "echo", input: { i } }))
    using model = new ScriptedModel([{ toolUses }, "done"])
    const agent = new ReActAgent({ ...base, model, tools: [echo] })
    await agent.reply("go")
    const results = memoryOf(agent).flatMap(toolResultsOf)
    expect(results.map((result) => textOf(result))).toEqual(toolUses.map(({ input }) => JSON.stringify(input)))
    expectValid(memoryOf(agent))
  })

  test("messages keep their identity from request to request, so that a model can keep what it encoded", async () => {
    const model = new ManualModel(
      says(...call(0, "c1", "add", '{"a":1,"b":2}')),
      says(...call(0, "c2", "add", '{"a":1,"b":2}')),
      says(...text(0, "3")),
    )
    const agent = new ReActAgent({ ...base, model, tools: [add] })
    await agent.reply("1 + 2?")
    const [first, second, third] = model.requests
    expect(second?.messages.slice(0, first?.messages.length).every((msg, i) => msg === first?.messages[i])).toBe(true)
    expect(third?.messages.slice(0, second?.messages.length).every((msg, i) => msg === second?.messages[i])).toBe(true)
    expect(first?.conversation).toBe(agent)
    expect(second?.tools).toBe(first?.tools)
  })
})

describe("how the calls of a round run", () => {
  /** Tools that say when they begin and end, and end in the reverse order of their calls. */
  function traced(hints: Record<string, { concurrencySafe?: boolean }>) {
    const log: string[] = []
    const tools = Object.entries(hints).map(([name, hint]) =>
      named(
        name,
        async () => {
          log.push(`+${name}`)
          await idle()
          log.push(`-${name}`)
          return name
        },
        hint,
      ),
    )
    return { log, tools }
  }
  const calls = (...names: string[]) => ({ toolUses: names.map((name) => ({ name, input: {} })) })

  test("side by side, and the results stand in call order whoever ends first", async () => {
    const slow = gate()
    const first = named("first", () => slow.promise.then(() => "1"))
    const second = named("second", () => {
      slow.resolve()
      return "2"
    })
    using model = new ScriptedModel([calls("first", "second"), "ok"])
    const agent = new ReActAgent({ ...base, model, tools: [first, second] })
    const events = await eventsOf(agent.stream("go"))
    expect(ofType(events, "tool_result").map(({ toolUse }) => toolUse.name)).toEqual(["second", "first"])
    const [results] = memoryOf(agent).filter(({ role }) => role === "tool")
    expect(toolResultsOf(results!).map(({ name }) => name)).toEqual(["first", "second"])
  })

  test("one after the other without parallelToolCalls, as the option or else the toolkit says", async () => {
    for (const how of ["option", "toolkit"]) {
      const { log, tools } = traced({ a: {}, b: {} })
      using model = new ScriptedModel([calls("a", "b"), "ok"])
      const own =
        how === "option" ? { tools, parallelToolCalls: false } : { toolkit: new Toolkit({ tools, parallel: false }) }
      await new ReActAgent({ ...base, model, ...own }).reply("go")
      expect(log).toEqual(["+a", "-a", "+b", "-b"])
    }
  })

  test("a tool that is not safe beside others runs alone: after those before it, before those after it", async () => {
    const { log, tools } = traced({ a: {}, b: {}, alone: { concurrencySafe: false }, c: {}, d: {} })
    using model = new ScriptedModel([calls("a", "b", "alone", "c", "d"), "ok"])
    await new ReActAgent({ ...base, model, tools }).reply("go")
    expect(log.slice(0, 2)).toEqual(["+a", "+b"])
    expect(log.slice(4, 6)).toEqual(["+alone", "-alone"])
    expect(log.slice(6, 8)).toEqual(["+c", "+d"])
  })

  test("two calls of an unsafe tool do not overlap", async () => {
    const { log, tools } = traced({ alone: { concurrencySafe: false } })
    using model = new ScriptedModel([calls("alone", "alone"), "ok"])
    await new ReActAgent({ ...base, model, tools }).reply("go")
    expect(log).toEqual(["+alone", "-alone", "+alone", "-alone"])
  })

  test("a call starts as soon as it is complete, while the model still speaks", async () => {
    const started = gate()
    const model = new ManualModel(
      async (sink) => {
        for (const delta of call(0, "c1", "early")) sink.emit(delta)
        for (const delta of call(1, "c2", "late")) sink.emit(delta)
        await started.promise // the stream only goes on once the first tool has begun
        sink.finish({ stopReason: "tool_use" })
      },
      says(...text(0, "ok")),
    )
    const early = named("early", () => started.resolve())
    const agent = new ReActAgent({ ...base, model, tools: [early, named("late", () => 1)] })
    expect(textOf(await agent.reply("go"))).toBe("ok")
  })

  test.each(["sequential", "approval", "preActing", "postReasoning"])(
    "no call starts before the model has ended where that could be wrong: %s",
    async (why) => {
      const log: string[] = []
      const model = new ManualModel(
        async (sink) => {
          for (const delta of call(0, "c1", "early")) sink.emit(delta)
          for (const delta of call(1, "c2", "late")) sink.emit(delta)
          await idle()
          log.push("model ends")
          sink.finish({ stopReason: "tool_use" })
        },
        says(...text(0, "ok")),
      )
      const early = named("early", () => log.push("early"))
      const late = named("late", () => log.push("late"))
      const agent = new ReActAgent({
        ...base,
        model,
        tools: [early, late],
        ...(why === "sequential" && { parallelToolCalls: false }),
        ...(why === "approval" && { approval: { ask: ["early(never)"] } }),
        ...((why === "preActing" || why === "postReasoning") && { hooks: { [why]: () => {} } }),
      })
      await agent.reply("go")
      expect(log).toEqual(["model ends", "early", "late"])
    },
  )
})

describe("what tools get", () => {
  test("context by key and class, the call's before the agent's, and whose call it is", async () => {
    class Account {
      constructor(readonly id: string) {}
    }
    const locale = contextKey("locale", "en")
    const seen: unknown[] = []
    const who = tool({
      name: "who",
      description: "who",
      input: z.object({}),
      execute: (_, ctx) => {
        seen.push(ctx.get(Account).id, ctx.get(locale), ctx.agent)
        return "ok"
      },
    })
    const step = { toolUses: [{ name: "who", input: {} }] }
    using model = new ScriptedModel([step, "a", step, "b"])
    const agent = new ReActAgent({ ...base, model, tools: [who], context: [new Account("agent's")] })
    await agent.reply("1")
    await agent.reply("2", { context: [new Account("call's"), locale.of("de")] })
    const mine = { id: agent.id, name: "Friday" }
    expect(seen).toEqual(["agent's", "en", mine, "call's", "de", mine])
  })

  test("tool groups are switched for this agent alone", async () => {
    const toolkit = new Toolkit({ groups: [{ name: "maths", description: "Numbers", tools: [add] }] })
    using model = new ScriptedModel([
      { toolUses: [{ name: "reset_tools", input: { maths: true } }] },
      { toolUses: [{ name: "add", input: { a: 1, b: 2 } }] },
      "3",
    ])
    const agent = new ReActAgent({ ...base, model, toolkit })
    const other = new ReActAgent({ ...base, model, toolkit })
    await agent.reply("1 + 2?")
    expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
      ["reset_tools"],
      ["reset_tools", "add"],
      ["reset_tools", "add"],
    ])
    expect(memoryOf(agent).flatMap(toolResultsOf).at(-1)).toMatchObject({ name: "add", state: "success" })
    expect(agent.toolState.activeGroups).toEqual(["maths"])
    expect(other.toolState.activeGroups).toEqual([])
  })

  test("sources of tools are connected before the first model call; one that fails is tried again with the next", async () => {
    let fails = true
    const source = {
      name: "late",
      listTools: async () => {
        if (fails) throw new Error("no route")
        return [add]
      },
    }
    using model = new ScriptedModel(["ok", "ok"])
    const agent = new ReActAgent({ ...base, model, toolkit: new Toolkit({ mcps: [source] }) })
    const events = await eventsOf(agent.stream("x"))
    expect(ofType(events, "warning")).toMatchObject([{ code: "source_failed" }])
    fails = false
    await agent.reply("x")
    expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([undefined, ["add"]])
  })
})
