import { agentAsTool, ReActAgent, UserAgent } from "@agentscope-ts/agent"
import { assistantMsg, createMsg, type Msg, systemMsg, toolResult } from "@agentscope-ts/message"
import { describe, expect, test, vi } from "vitest"
import {
  askExpert,
  asksExpert,
  echo,
  eventsOf,
  hangs,
  idle,
  memoryOf,
  memoryTexts,
  scripted,
  Speaker,
  textsOf,
} from "./fixtures/agents.ts"
import { MsgHub, SequentialPipeline, sequentialPipeline } from "./index.ts"

const trio = () =>
  ["a", "b", "c"].map((name) => new Speaker(name, () => `I am ${name}.`)) as [Speaker, Speaker, Speaker]
const heard = (...agents: Speaker[]) => agents.map((agent) => textsOf(agent.heard))

describe("a hub", () => {
  test("lets everybody hear the announcement, and each what the others reply", async () => {
    const [a, b, c] = trio()
    await using hub = await MsgHub.open({ participants: [a, b, c], announcement: systemMsg("Hello.") })
    await a.reply()
    await b.reply("And you?")
    expect(hub.participants).toEqual([a, b, c])
    expect(heard(a, b, c)).toEqual([
      ["Hello.", "I am b."],
      ["Hello.", "I am a."],
      ["Hello.", "I am a.", "I am b."],
    ])
    expect(b.heard[1]).toMatchObject({ role: "assistant", name: "a" })
  })

  test("has told all before the reply is told, also where it is streamed or resumed", async () => {
    const a = scripted("a", ["one", asksExpert(), "two"], { tools: [askExpert] })
    const [, b, c] = trio()
    await using _hub = await MsgHub.open({ participants: [a, b, c] })
    for await (const event of a.stream("x"))
      if (event.type === "reply_end") expect(heard(b, c)).toEqual([["one"], ["one"]])
    await a.reply("y")
    // a reply whose calls wait is not finished
    expect(heard(b)).toEqual([["one"]])
    await a.resume({ results: [toolResult(a.pending[0]!.toolUse, "Because.")] })
    expect(heard(b, c)).toEqual([
      ["one", "two"],
      ["one", "two"],
    ])
  })

  test("real agents remember what was said once, also what a pipeline hands on", async () => {
    const agents = ["a", "b", "c"].map((name) => scripted(name, [`I am ${name}.`])) as [
      ReActAgent,
      ReActAgent,
      ReActAgent,
    ]
    await using _hub = await MsgHub.open({ participants: agents, announcement: "Who are you?" })
    await sequentialPipeline(agents)
    for (const agent of agents) {
      expect(memoryTexts(agent)).toEqual(["user: Who are you?", "a: I am a.", "b: I am b.", "c: I am c."])
    }
    expect(new Set(agents.map((agent) => memoryOf(agent)[1]))).toHaveLength(3)
  })

  test("tells neither thinking nor tool calls nor data of a provider, and nothing where nothing else was said", async () => {
    const data = { opaque: { provider: "p", data: { signature: "s" } } }
    const said: Msg[] = [
      createMsg({
        name: "a",
        role: "assistant",
        content: [
          { type: "thinking", thinking: "secret", ...data },
          { type: "text", text: "said", ...data },
        ],
      }),
      createMsg({ name: "a", role: "assistant", content: [{ type: "thinking", thinking: "secret", ...data }] }),
      createMsg({ name: "a", role: "assistant", content: [] }),
      createMsg({ name: "a", role: "assistant", content: [] }),
    ]
    const a = new Speaker("a", () => said.shift()!)
    const [, b, c] = trio()
    await using hub = await MsgHub.open({ participants: [a, b, c] })
    await a.reply()
    expect(b.heard[0]!.content).toEqual([{ type: "text", text: "said" }])
    expect(b.heard[0]).not.toHaveProperty("usage")
    expect(b.heard[0]).not.toHaveProperty("pending")
    await a.reply()
    await a.reply()
    expect(b.heard.length).toBe(1)
    await hub.broadcast(
      assistantMsg([
        { type: "thinking", thinking: "secret", ...data },
        { type: "tool_use", id: "t1", name: "add", input: {} },
        { type: "text", text: "by hand", ...data },
      ]),
    )
    expect(c.heard[1]!.content).toEqual([{ type: "text", text: "by hand" }])
  })

  test("an agent that calls tools is heard with its answer alone", async () => {
    const helper = scripted("helper", ["42"])
    const a = scripted("a", [{ text: "Let me ask.", toolUses: [{ name: "helper", input: { message: "?" } }] }, "42."], {
      tools: [agentAsTool(helper, { description: "Helps" })],
    })
    const [, b] = trio()
    await using _hub = await MsgHub.open({ participants: [a, b] })
    await a.reply("x")
    expect(heard(b)).toEqual([["42."]])
  })

  test("an empty line of a person is nothing that others hear", async () => {
    const lines = ["", "Hello.", "  "]
    const bob = new UserAgent({ name: "bob", input: async () => lines.shift() ?? "" })
    const [a] = trio()
    await using _hub = await MsgHub.open({ participants: [bob, a] })
    for (let i = 0; i < 3; i++) await bob.reply()
    expect(heard(a)).toEqual([["Hello."]])
  })

  test("an interrupted reply is heard; one that is given up is not", async () => {
    const a = hangs("a")
    const [, b] = trio()
    await using _hub = await MsgHub.open({ participants: [a, b] })
    const turn = a.reply()
    await idle()
    a.interrupt()
    await turn
    expect(b.heard).toMatchObject([{ name: "a" }])
    await expect(a.reply("x", { signal: AbortSignal.abort() })).rejects.toThrow()
    expect(b.heard.length).toBe(1)
  })
})

describe("who is in", () => {
  test("a deleted participant falls silent: it neither hears nor is heard", async () => {
    const [a, b, c] = trio()
    await using hub = await MsgHub.open({ participants: [a, b, c] })
    hub.delete(b)
    await b.reply()
    await a.reply()
    await hub.broadcast(assistantMsg("Bob has left.", { name: "b" }))
    expect(heard(a, b, c)).toEqual([["Bob has left."], [], ["I am a.", "Bob has left."]])
    expect(hub.participants).toEqual([a, c])
    hub.delete([b, c])
    expect(hub.participants).toEqual([a])
  })

  test("also where it is deleted, or the hub closed, while it speaks", async () => {
    const gate = Promise.withResolvers<string>()
    const [, b, c] = trio()
    const a = new Speaker("a", () => gate.promise)
    const hub = await MsgHub.open({ participants: [a, b, c] })
    const turn = a.reply()
    await idle()
    hub.delete(a)
    gate.resolve("late")
    await turn
    expect(heard(b, c)).toEqual([[], []])
    await hub.close()
  })

  test("who is added hears what comes after; twice is once", async () => {
    const [a, b, c] = trio()
    await using hub = await MsgHub.open({ participants: [a, a], announcement: "Hello." })
    hub.add([b, a])
    hub.add(c)
    expect(hub.participants).toEqual([a, b, c])
    await a.reply()
    await c.reply()
    expect(heard(a, b, c)).toEqual([["Hello.", "I am c."], ["I am a.", "I am c."], ["I am a."]])
  })

  test("with autoBroadcast off only broadcast is heard, and it can be switched", async () => {
    const [a, b] = trio()
    await using hub = await MsgHub.open({ participants: [a, b], autoBroadcast: false })
    await a.reply()
    hub.setAutoBroadcast(true)
    await a.reply()
    hub.setAutoBroadcast(false)
    await a.reply()
    await hub.broadcast(["one", "two"].map((text) => assistantMsg(text)))
    expect(heard(a, b)).toEqual([
      ["one", "two"],
      ["I am a.", "one", "two"],
    ])
  })
})

describe("several hubs", () => {
  test("with a common agent: it is heard in both, and the others of one never in the other", async () => {
    const [a, b, c] = trio()
    await using _one = await MsgHub.open({ participants: [a, b] })
    const two = await MsgHub.open({ participants: [a, c] })
    await a.reply()
    await b.reply()
    await c.reply()
    expect(heard(a, b, c)).toEqual([["I am b.", "I am c."], ["I am a."], ["I am a."]])
    await two.close()
    await a.reply()
    expect(heard(b, c)).toEqual([["I am a.", "I am a."], ["I am a."]])
  })

  test("nested: who is in both with the same agent hears it once", async () => {
    const [a, b, c] = trio()
    await using _outer = await MsgHub.open({ participants: [a, b, c] })
    {
      await using _inner = await MsgHub.open({ participants: [a, b], announcement: "Between us." })
      await a.reply()
    }
    await b.reply()
    expect(heard(a, b, c)).toEqual([
      ["Between us.", "I am b."],
      ["Between us.", "I am a."],
      ["I am a.", "I am b."],
    ])
  })

  test("an outer hub that is closed before the inner one leaves that as it is", async () => {
    const [a, b, c] = trio()
    const outer = await MsgHub.open({ participants: [a, b, c] })
    const inner = await MsgHub.open({ participants: [a, b] })
    await outer.close()
    await a.reply()
    expect(heard(b, c)).toEqual([["I am a."], []])
    await inner.close()
    await a.reply()
    expect(heard(b, c)).toEqual([["I am a."], []])
  })
})

describe("the end", () => {
  test("after `await using`, whether it ended well or not, nobody hears anybody and no listener is left", async () => {
    const [a, b] = trio()
    const off = vi.fn()
    const onReply = a.onReply.bind(a)
    vi.spyOn(a, "onReply").mockImplementation((listener) => {
      const stop = onReply(listener)
      return () => (off(), stop())
    })
    const use = async () => {
      await using _hub = await MsgHub.open({ participants: [a, b] })
      await a.reply()
      throw new TypeError("broken")
    }
    await expect(use()).rejects.toThrow(TypeError)
    await a.reply()
    expect(heard(b)).toEqual([["I am a."]])
    expect(off).toHaveBeenCalledOnce()
  })

  test("a hub that is closed takes no agent and no message; closing and deleting again do nothing", async () => {
    const [a, b] = trio()
    const hub = await MsgHub.open({ participants: [a], name: "tea party" })
    await hub.close()
    await hub.close()
    hub.delete(a)
    expect(hub.participants).toEqual([])
    expect(() => hub.add(b)).toThrow("tea party.add: the hub is closed")
    await expect(hub.broadcast("x")).rejects.toMatchObject({ code: "hub_closed" })
  })

  test("closing waits for what is being told", async () => {
    const gate = Promise.withResolvers<void>()
    const [a, b] = trio()
    b.registerHook("preObserve", "slow", () => gate.promise)
    const hub = await MsgHub.open({ participants: [a, b] })
    const turn = a.reply()
    await idle()
    const closing = hub.close()
    let isClosed = false
    void closing.then(() => (isClosed = true))
    await idle()
    expect(isClosed).toBe(false)
    gate.resolve()
    await Promise.all([closing, turn])
    expect(heard(b)).toEqual([["I am a."]])
  })

  test("who cannot be told keeps neither the others from hearing nor the speaker from replying, and it is said", async () => {
    const [a, b, c] = trio()
    b.registerHook("preObserve", "breaks", () => {
      throw new TypeError("broken")
    })
    const hub = await MsgHub.open({ participants: [a, b, c] })
    const events = await eventsOf(a.stream())
    expect(events.map(({ type }) => type)).toEqual(["reply_start", "warning", "reply_end"])
    expect(events[1]).toMatchObject({ code: "listener_failed", message: expect.stringContaining("broken") })
    await expect(hub.broadcast("x")).rejects.toThrow(TypeError)
    expect(heard(c)).toEqual([["I am a.", "x"]])
    await hub.close()
    // an announcement that fails leaves no hub behind
    await expect(MsgHub.open({ participants: [a, b, c], announcement: "y" })).rejects.toThrow(TypeError)
    await a.reply()
    expect(heard(c)).toEqual([["I am a.", "x", "y"]])
  })

  test.each([
    [{ participants: [new SequentialPipeline([echo("a")])] }, "of a pipeline, give its agents"],
    [{ participants: echo("a") }, "participants must be a list"],
    [{ participants: [], anouncement: "x" }, 'Did you mean "announcement"?'],
    [{ participants: [], announcement: 7 }, "an input is text"],
  ])("options that are none are refused (%#)", async (options, message) => {
    await expect(MsgHub.open(options as never)).rejects.toThrow(message)
    await expect(MsgHub.open(options as never)).rejects.toMatchObject({ code: "invalid_argument" })
  })
})
