import { type Msg, type Reply, textOf, toolResultsOf, userMsg } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, test } from "vitest"
import { eventsOf, expectValid, idle, memoryOf, ofType, rolesOf } from "../fixtures/runs.ts"
import { adding, base, make, text } from "../fixtures/hooked.ts"
import { type Hooks, type HookType, ReActAgent } from "../index.ts"

test("each hook runs at its point, with the agent, the input and (after it) the output", async () => {
  const log: string[] = []
  const types: HookType[] = [
    "preReply",
    "postReply",
    "preObserve",
    "postObserve",
    "preReasoning",
    "postReasoning",
    "preActing",
    "postActing",
  ]
  const { agent } = make({})
  for (const type of types) {
    agent.registerHook(type, "log", (call: { agent: ReActAgent; input: object; output?: unknown }) => {
      expect(call.agent).toBe(agent)
      expect("output" in call).toBe(type.startsWith("post"))
      log.push(`${type}(${Object.keys(call.input).join()})`)
    })
  }
  await agent.observe("It rains.")
  await agent.reply("1 + 2?")
  expect(log).toEqual([
    "preObserve(messages)",
    "postObserve(messages)",
    "preReply(messages,options,resume)",
    "preReasoning(messages,conversation,signal,tools)",
    "postReasoning(messages,conversation,signal,tools)",
    "preActing(toolUse)",
    "postActing(toolUse)",
    "preReasoning(messages,conversation,signal,tools)",
    "postReasoning(messages,conversation,signal,tools)",
    "postReply(messages,options,resume)",
  ])
})

describe("what a hook returns takes the place of what it was given", () => {
  test("preReply and preObserve: the messages", async () => {
    const { agent } = make(
      {
        preReply: ({ input }) => ({ ...input, messages: [...input.messages, userMsg("(be brief)")] }),
        preObserve: async () => ({ messages: [userMsg("censored")] }),
      },
      ["ok"],
    )
    await agent.observe("secret")
    await agent.reply("Hi")
    expect(memoryOf(agent).map((msg) => textOf(msg))).toEqual(["censored", "Hi", "(be brief)", "ok"])
  })

  test("postReply: the reply, for the caller; memory keeps what was said", async () => {
    const { agent } = make({ postReply: ({ output }) => ({ ...output, content: text("polished") }) }, ["raw"])
    const events = await eventsOf(agent.stream("Hi"))
    expect(textOf(ofType(events, "reply_end")[0]!.reply)).toBe("polished")
    expect(textOf(memoryOf(agent)[1]!)).toBe("raw")
  })

  test("preReasoning: the request, for that call alone", async () => {
    const { agent, model } = make({
      preReasoning: ({ input }) => ({
        ...input,
        messages: [...input.messages, userMsg("It is noon.")],
        toolChoice: "auto",
      }),
    })
    await agent.reply("Hi")
    expect(model.requests.map(({ messages, toolChoice }) => [textOf(messages.at(-1)!), toolChoice])).toEqual([
      ["It is noon.", "auto"],
      ["It is noon.", "auto"],
    ])
    expect(rolesOf(agent)).toEqual(["user", "assistant", "tool", "assistant"])
  })

  test("postReasoning: the message, calls included", async () => {
    const { agent } = make({ postReasoning: ({ output }) => ({ ...output, content: text("No tools today.") }) }, [
      adding,
    ])
    const reply = await agent.reply("Hi")
    expect(textOf(reply)).toBe("No tools today.")
    expect(rolesOf(agent)).toEqual(["user", "assistant"])
  })

  test("preActing: the call that runs; history keeps the model's, and the result is that call's", async () => {
    const { agent } = make({
      preActing: ({ input }) => ({ toolUse: { ...input.toolUse, id: "other", input: { a: 40, b: 2 } } }),
    })
    await agent.reply("Hi")
    expect(memoryOf(agent)[1]?.content[1]).toMatchObject({ input: { a: 1, b: 2 } })
    expect(toolResultsOf(memoryOf(agent)[2]!)).toMatchObject([{ id: "call_1", name: "add", structured: 42 }])
    expectValid(memoryOf(agent))
  })

  test("postActing: the result, before anybody sees it", async () => {
    const { agent } = make({ postActing: ({ output }) => ({ ...output, output: text("****") }) })
    const events = await eventsOf(agent.stream("Hi"))
    expect(textOf(ofType(events, "tool_result")[0]!.result)).toBe("****")
    expect(textOf(toolResultsOf(memoryOf(agent)[2]!)[0]!)).toBe("****")
  })

  test("one hook after the other, each with what the one before returned", async () => {
    const more =
      (word: string) =>
      ({ output }: { output: Msg }) => ({ ...output, content: text(`${textOf(output)} ${word}`) })
    const { agent } = make({ postReasoning: [more("one"), async (call) => more("two")(call), () => undefined] }, [
      "zero",
    ])
    expect(textOf(await agent.reply("Hi"))).toBe("zero one two")
  })
})

describe("whose hooks run", () => {
  const log: string[] = []
  const say = (word: string) => () => void log.push(word)
  class Base extends ReActAgent {
    static override readonly hooks: Hooks = { preReply: say("class Base") }
  }
  class Below extends Base {
    static override readonly hooks: Hooks = { preReply: [say("class Below 1"), say("class Below 2")] }
  }
  class Silent extends Below {}
  const run = async (agent: ReActAgent) => {
    log.length = 0
    await agent.reply("Hi")
    return [...log]
  }
  const options = (steps: number, hooks: Hooks = {}) => ({
    ...base,
    hooks,
    model: new ScriptedModel(Array.from({ length: steps }, () => "ok")),
  })

  test("the instance's in order, then the classes', from the top down, inherited", async () => {
    const agent = new Silent(options(1, { preReply: [say("option 1"), say("option 2")] }))
    agent.registerHook("preReply", "late", say("registered"))
    expect(await run(agent)).toEqual([
      "option 1",
      "option 2",
      "registered",
      "class Base",
      "class Below 1",
      "class Below 2",
    ])
    expect(await run(new Base(options(1)))).toEqual(["class Base"])
    expect(await run(new ReActAgent(options(1)))).toEqual([])
  })

  test("of two registered under one name the later counts, in the place of the earlier; they can be taken away", async () => {
    const agent = new ReActAgent(options(4, { preReply: say("option") }))
    agent.registerHook("preReply", "a", say("a"))
    agent.registerHook("preReply", "b", say("b"))
    agent.registerHook("preReply", "a", say("a again"))
    expect(await run(agent)).toEqual(["option", "a again", "b"])
    expect([
      agent.removeHook("preReply", "a"),
      agent.removeHook("preReply", "a"),
      agent.removeHook("postReply", "b"),
    ]).toEqual([true, false, false])
    expect(await run(agent)).toEqual(["option", "b"])
    agent.clearHooks("postReply")
    expect(await run(agent)).toEqual(["option", "b"])
    agent.clearHooks()
    expect(await run(agent)).toEqual([])
  })

  test("a class that names the hooks of the class above once more runs them once", async () => {
    class Spread extends Below {
      static override readonly hooks: Hooks = { ...super.hooks, postReply: say("class Spread") }
    }
    const twice = say("twice")
    class Twice extends ReActAgent {
      static override readonly hooks: Hooks = { preReply: [twice, twice] }
    }
    expect(await run(new Spread(options(1)))).toEqual(["class Base", "class Below 1", "class Below 2", "class Spread"])
    expect(await run(new Twice(options(1)))).toEqual(["twice", "twice"])
  })

  test("an overriding method that calls the one above it runs the hooks once", async () => {
    class Polite extends Base {
      override async observe(input: Parameters<ReActAgent["observe"]>[0]): Promise<void> {
        await super.observe(input)
      }
      protected override async run(...given: Parameters<ReActAgent["run"]>): Promise<Msg> {
        return super.run(...given)
      }
    }
    const agent = new Polite(options(1, { preObserve: say("observe"), postReply: say("after") }))
    await agent.observe("x")
    expect([...log]).toContain("observe")
    expect(await run(agent)).toEqual(["class Base", "after"])
  })

  test("clearing leaves the class's hooks", async () => {
    const agent = new Base(options(2))
    agent.clearHooks()
    expect(await run(agent)).toEqual(["class Base"])
    agent.clearHooks("preReply")
    expect(await run(agent)).toEqual(["class Base"])
  })

  test("a hook registered during a reply runs from then on", async () => {
    const { agent } = make({ preReply: ({ agent }) => agent.registerHook("postReasoning", "late", say("late")) }, [
      "ok",
    ])
    expect(await run(agent)).toEqual(["late"])
  })

  test("one after the reply that comes or goes during it counts, too", async () => {
    const { agent } = make(
      {
        preReasoning: ({ agent }) => {
          agent.registerHook("postReply", "late", say("late"))
          agent.removeHook("postReply", "early")
        },
      },
      ["ok"],
    )
    agent.registerHook("postReply", "early", say("early"))
    expect(await run(agent)).toEqual(["late"])
  })

  test("unknown types and hooks that are no functions are refused, with the name that was meant", () => {
    const { agent } = make({}, [])
    expect(() => agent.registerHook("preReplay" as "preReply", "x", () => {})).toThrow(
      /preReplay".*Did you mean "preReply"/,
    )
    expect(() => agent.removeHook("postAct" as "postActing", "x")).toThrow(/postActing/)
    expect(() => agent.registerHook("preReply", "x", "log" as never)).toThrow(/must be a function/)
    expect(() => make({ preReasonning: () => {} } as Hooks, [])).toThrow(/Did you mean "preReasoning"/)
    expect(() => make({ preReply: [5 as never] }, [])).toThrow(/must be a function/)
  })
})

describe("FR-34 what a hook writes into what it was given reaches nobody", () => {
  type Writable = { content: { text: string }[] }

  test("the reply, memory and what others heard stay as they were, unless the hook returns", async () => {
    const scribble = (value: unknown) => {
      ;(value as Writable).content[0]!.text = "scribbled"
    }
    let heard: Reply<unknown> | undefined
    const { agent } = make({
      preReply: ({ input }) => input.messages.forEach(scribble),
      postReasoning: ({ output }) => scribble(output),
      postReply: [
        ({ output }) => {
          heard = output
          scribble(output)
        },
      ],
    })
    const asked = userMsg("1 + 2?")
    const reply = await agent.reply(asked)
    expect(textOf(asked)).toBe("1 + 2?")
    expect(textOf(reply)).toBe("3")
    expect(heard).not.toBe(reply)
    const other = new ReActAgent({ ...base, model: new ScriptedModel([]) })
    await other.observe(reply)
    expect([...memoryOf(agent), ...memoryOf(other)].map((msg) => textOf(msg)).join()).not.toContain("scribbled")
  })

  test("calls and results too", async () => {
    const { agent } = make({
      preActing: ({ input }) => void Object.assign(input.toolUse.input, { a: 99 }),
      postActing: ({ output }) => void Object.assign(output.output[0]!, { text: "scribbled" }),
    })
    await agent.reply("1 + 2?")
    expect(toolResultsOf(memoryOf(agent)[2]!)).toMatchObject([{ structured: 3, output: [{ text: "3" }] }])
  })

  test("a request's messages, tools and choice, before and after the call", async () => {
    const deepScribble = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return
      if (Array.isArray(value)) value.push("scribbled")
      for (const [key, member] of Object.entries(value)) {
        if (typeof member === "string") (value as Record<string, unknown>)[key] = "scribbled"
        else if (key !== "conversation" && key !== "signal") deepScribble(member)
      }
    }
    const steps = [adding, "3"]
    const { agent, model } = make({}, steps)
    const untouched = make({}, steps)
    agent.registerHook("preReasoning", "pre", ({ input }) => deepScribble(input))
    agent.registerHook("postReasoning", "post", ({ input, output }) => [input, output].forEach(deepScribble))
    await agent.reply("1 + 2?")
    await untouched.agent.reply("1 + 2?")
    const plain = (requests: typeof model.requests) =>
      requests.map(({ messages, tools }) => ({
        messages: messages.map(({ role, content }) => ({ role, content })),
        tools,
      }))
    expect(plain(model.requests)).toEqual(plain(untouched.model.requests))
    expect(JSON.stringify(memoryOf(agent))).not.toContain("scribbled")
    // shared with other agents
    expect(JSON.stringify(agent.toolkit.schemas())).not.toContain("scribbled")
  })

  test("what a hook writes and returns counts; messages that it left alone are those of the history", async () => {
    const { agent, model } = make({
      preReasoning: ({ input }) => {
        ;(input.messages[0] as unknown as Writable).content[0]!.text = "You are a pirate."
        return { ...input, messages: [...input.messages, userMsg("Arr?")] }
      },
    })
    await agent.reply("1 + 2?")
    expect(model.requests.map(({ messages }) => textOf(messages[0]!))).toEqual(Array(2).fill("You are a pirate."))
    const history = memoryOf(agent)
    expect(model.requests[1]!.messages.slice(1, -1)).toHaveLength(3)
    model.requests[1]!.messages.slice(1, -1).forEach((msg, i) => expect(msg).toBe(history[i]))
  })

  test("the list of a request's messages is the hook's own", async () => {
    const { agent, model } = make({ preReasoning: ({ input }) => void (input.messages as Msg[]).push(userMsg("x")) }, [
      "ok",
    ])
    await agent.reply("Hi")
    expect(model.requests[0]?.messages).toHaveLength(2)
    await idle()
  })
})
