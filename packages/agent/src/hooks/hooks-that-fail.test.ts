import { textOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, test } from "vitest"
import { expectValid, memoryOf } from "../fixtures/runs.ts"
import { adding, make } from "../fixtures/hooked.ts"
import { type HookType, ReActAgent } from "../index.ts"

describe("a hook that throws", () => {
  test.each(["preReply", "postReply", "preReasoning", "postReasoning", "preActing", "postActing"] as const)(
    "in %s rejects the reply and leaves a history that can be gone on from",
    async (type) => {
      const fail = () => {
        throw new RangeError("hook")
      }
      const { agent, model } = make({ [type]: fail }, [adding, "3", "go on"])
      await expect(agent.reply("Hi")).rejects.toThrow("hook")
      agent.clearHooks()
      expect((await agent.reply("again")).finishReason).toBe("completed")
      expectValid(model.requests.at(-1)!.messages)
    },
  )

  test.each<[HookType, unknown]>([
    ["preReply", { messages: ["Hi"] }],
    ["preReply", 7],
    ["preReply", { input: "x" }],
    ["preReply", { messages: "x" }],
    ["preReply", []],
    ["preReasoning", { messages: "x" }],
    ["preReasoning", { messages: [], tools: 5 }],
    ["postReasoning", { role: "user", name: "x", content: [] }],
    ["preActing", { toolUse: { type: "text", text: "x" } }],
    ["postActing", { type: "text", text: "x" }],
    ["postReply", {}],
    ["postReply", { role: "assistant", name: "x", content: [{ type: "text", text: "no reply" }] }],
    ["preReasoning", { messages: [{ role: "user" }] }],
    ["preReasoning", {}],
    ["postReasoning", { role: "assistant", content: "a text" }],
    ["postReasoning", true],
    ["preActing", "add"],
    ["preActing", {}],
    ["postActing", { type: "tool_result", output: "3" }],
    ["postReply", null],
  ])("or returns what is none, in %s (%j), does the same, and says so", async (type, answer) => {
    const { agent, model } = make({ [type]: async () => answer }, [adding, "3", "go on"])
    const told = new RegExp(`ReActAgent "Friday": the ${type} hook "options 0" returned .* Return .*, or nothing`)
    await expect(agent.reply("Hi")).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringMatching(told),
    })
    agent.clearHooks()
    expect((await agent.reply("again")).finishReason).toBe("completed")
    expectValid(model.requests.at(-1)!.messages)
  })

  test("the error names the hook: by the name that it was registered by, or by its class", async () => {
    const { agent } = make({}, [])
    agent.registerHook("preReply", "shorten", () => ({ input: "x" }) as never)
    await expect(agent.reply("Hi")).rejects.toThrow(
      'ReActAgent "Friday": the preReply hook "shorten" returned something that cannot be used: messages must be a list of messages, not undefined. Return { ...input, messages }',
    )
    class Below extends ReActAgent {
      static override readonly hooks = { preReply: () => 5 as never }
    }
    const below = new Below({ name: "B", systemPrompt: "Help.", model: new ScriptedModel([]) })
    await expect(below.reply("Hi")).rejects.toThrow("the preReply hook of the class Below returned 5.")
  })

  test.each([5, {}, { event: "x" }, () => {}])(
    "a print hook that returns no event (%s) is a warning, and changes nothing",
    async (answer) => {
      for (const hook of [() => answer, async () => answer]) {
        const printed: string[] = []
        const agent = new ReActAgent({
          name: "F",
          systemPrompt: "Help.",
          model: new ScriptedModel(["Hello"]),
          print: (event) => void printed.push(event.type),
          hooks: { prePrint: hook as never },
        })
        const warnings: string[] = []
        for await (const event of agent.stream("Hi")) if (event.type === "warning") warnings.push(event.message)
        expect(warnings).toEqual([
          expect.stringMatching(/"F": the prePrint hook "options 0" returned .* Return \{ event \}/),
        ])
        await agent.reply("again").catch(() => {})
        expect(printed).toEqual(expect.arrayContaining(["reply_start", "message", "reply_end"]))
      }
    },
  )

  test("in postObserve rejects the observation, which is remembered; what is none is not", async () => {
    const { agent } = make({ postObserve: () => Promise.reject(new RangeError("hook")) }, [])
    await expect(agent.observe("x")).rejects.toThrow("hook")
    agent.clearHooks()
    for (const wrong of [{ messages: [{ role: "user" }] }, { message: "y" }, { messages: "y" }, 5]) {
      agent.registerHook("preObserve", "wrong", () => wrong as never)
      const error = {
        code: "invalid_argument",
        message: expect.stringContaining('the preObserve hook "wrong" returned'),
      }
      await expect(agent.observe("y")).rejects.toMatchObject(error)
    }
    expect(memoryOf(agent).map((msg) => textOf(msg))).toEqual(["x"])
  })

  test("in preObserve rejects the observation, and nothing is remembered", async () => {
    const { agent } = make({ preObserve: () => Promise.reject(new RangeError("hook")) }, [])
    await expect(agent.observe("x")).rejects.toThrow("hook")
    expect(memoryOf(agent)).toEqual([])
  })
})
