import { agentAsTool, type AgentBase, type Hook, type Hooks, ReActAgent } from "@agentscope-ts/agent"
import { type Msg, systemMsg, textOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, test } from "vitest"
import { echo, eventsOf, idle, memoryOf, memoryTexts, scripted, Speaker, textsOf } from "./fixtures/agents.ts"
import { FanoutPipeline, fanoutPipeline, MsgHub, SequentialPipeline, sequentialPipeline } from "./index.ts"

const trio = () =>
  ["a", "b", "c"].map((name) => new Speaker(name, () => `I am ${name}.`)) as [Speaker, Speaker, Speaker]
const heard = (...agents: Speaker[]) => agents.map((agent) => textsOf(agent.heard))

describe("what is heard is the reply as all hooks made it", () => {
  const adds =
    (word: string): Hook<"postReply"> =>
    ({ output }) => ({ ...output, content: [{ type: "text", text: `${textOf(output)} ${word}` }] })

  test("those of the class, and those that came after the hub was opened; clearHooks takes nobody out", async () => {
    class Polite extends ReActAgent {
      static override readonly hooks: Hooks = { postReply: adds("(class)") }
    }
    const model = new ScriptedModel(["one", "two"])
    const a = new Polite({ name: "a", systemPrompt: "x", model, hooks: { postReply: adds("(early)") } })
    const [, b, c] = trio()
    await using _hub = await MsgHub.open({ participants: [a, b, c] })
    a.registerHook("postReply", "late", adds("(late)"))
    const reply = await a.reply("x")
    expect(textOf(reply)).toBe("one (early) (late) (class)")
    expect(heard(b, c)).toEqual([[textOf(reply)], [textOf(reply)]])
    a.clearHooks()
    await a.reply("y")
    expect(heard(b)[0]?.[1]).toBe("two (class)")
  })

  test("one that throws keeps the reply from being told to anybody", async () => {
    const [a, b] = trio()
    await using _hub = await MsgHub.open({ participants: [a, b] })
    a.registerHook("postReply", "breaks", () => {
      throw new TypeError("broken")
    })
    await expect(a.reply()).rejects.toThrow("broken")
    expect(heard(b)).toEqual([[]])
  })
})

test("50 participants who all speak at once: each hears each other once, and nobody itself", async () => {
  const names = Array.from({ length: 50 }, (_, i) => `p${i}`)
  const agents = names.map((name) => scripted(name, [`I am ${name}.`]))
  await using _hub = await MsgHub.open({ participants: agents })
  await fanoutPipeline(agents, "Who are you?")
  for (const [i, agent] of agents.entries()) {
    const others = names.map((name) => `${name}: I am ${name}.`)
    expect(memoryTexts(agent).slice().toSorted()).toEqual(["user: Who are you?", ...others].toSorted())
    // what it said itself is no copy that it heard
    expect(memoryOf(agent).filter(({ name }) => name === names[i])).toHaveLength(1)
  }
})

test("a participant that never comes to an end of hearing holds up neither an abort nor an interrupt", async () => {
  for (const how of ["abort", "interrupt"] as const) {
    const [a, b, c] = trio()
    const hearing = Promise.withResolvers<void>()
    b.registerHook("preObserve", "never", () => {
      hearing.resolve()
      return new Promise(() => {})
    })
    const hub = await MsgHub.open({ participants: [a, b, c] })
    const giveUp = new AbortController()
    const reply = a.reply("x", { signal: giveUp.signal })
    await hearing.promise
    await idle()
    if (how === "abort") giveUp.abort(new TypeError("enough"))
    else expect(a.interrupt()).toBe(true)
    if (how === "abort") await expect(reply).rejects.toThrow("enough")
    else expect(textOf(await reply)).toBe("I am a.")
    expect(heard(c)).toEqual([["I am a."]])
    hub.delete([a, b, c])
  }
})

test("pipelines of every kind work in a hub: each agent hears all others once", async () => {
  const names = ["a", "b", "c", "d"]
  const agents = names.map((name) => scripted(name, [`I am ${name}.`]))
  await using _hub = await MsgHub.open({ participants: agents, announcement: "Hello." })
  const [a, b, c, d] = agents as [ReActAgent, ReActAgent, ReActAgent, ReActAgent]
  await eventsOf(new SequentialPipeline([a, new FanoutPipeline([b, c]), d]).stream())
  for (const agent of agents) {
    expect(memoryTexts(agent).toSorted()).toEqual(
      ["user: Hello.", ...names.map((name) => `${name}: I am ${name}.`)].toSorted(),
    )
  }
})

describe("FR-34", () => {
  const edit = ({ output }: { output: { content: readonly unknown[] } }): void => {
    Object.assign(output.content[0] as object, { text: "edited in place" })
    ;(output.content as unknown[]).push({ type: "text", text: "added in place" })
  }

  test("FR-34 a hook that writes into the reply changes nothing that others heard, remember or are told", async () => {
    const hooks = { postReply: edit } as Hooks
    const agents = ["a", "b", "c"].map((name) => scripted(name, [name, name], { hooks }))
    await using _hub = await MsgHub.open({ participants: agents })
    const [a, b, c] = agents as [ReActAgent, ReActAgent, ReActAgent]
    a.registerHook("postReply", "later", edit)
    expect(textOf(await a.reply())).toBe("a")
    expect(textOf(await sequentialPipeline([b, c]))).toBe("c")
    for (const agent of agents) expect(memoryTexts(agent)).toEqual(["a: a", "b: b", "c: c"])
  })

  test("FR-34 a hook that returns a new message changes what the others hear", async () => {
    const hooks: Hooks = { postReply: ({ output }) => ({ ...output, content: [{ type: "text", text: "new" }] }) }
    const a = scripted("a", ["old"], { hooks })
    const [, b, c] = trio()
    await using _hub = await MsgHub.open({ participants: [a, b, c] })
    expect(textOf(await a.reply())).toBe("new")
    expect(heard(b, c)).toEqual([["new"], ["new"]])
  })

  test("FR-34 what one receiver does to what it heard, no other sees, nor the speaker", async () => {
    class Vandal extends Speaker {
      protected override remember(messages: readonly Msg[]): void {
        for (const msg of messages) edit({ output: msg })
      }
    }
    const a = scripted("a", ["said"])
    const vandals = [new Vandal("v"), new Vandal("w")]
    const last = echo("last")
    const announcement = systemMsg("Hello.")
    await using hub = await MsgHub.open({ participants: [...vandals, a, last], announcement })
    await a.reply()
    await hub.broadcast(announcement)
    expect(heard(last)).toEqual([["Hello.", "said", "Hello."]])
    expect(memoryTexts(a)).toEqual(["system: Hello.", "a: said"])
    expect(textOf(announcement)).toBe("Hello.")
  })

  test("FR-34 two who share one sub-agent, in one hub: what one asks changes neither the other nor the sub-agent's makeup", async () => {
    const helper = scripted("helper", ["for one", "for two"])
    const lead = (name: string): AgentBase =>
      new ReActAgent({
        name,
        systemPrompt: name,
        model: new ScriptedModel([
          { toolUses: [{ name: "helper", input: { message: `from ${name}` } }] },
          `${name} done`,
        ]),
        tools: [agentAsTool(helper, { description: "Helps" })],
      })
    const [one, two] = [lead("one"), lead("two")]
    const before = [helper.model, helper.toolkit, helper.memory]
    await using _hub = await MsgHub.open({ participants: [one, two] })
    await fanoutPipeline([one, two], "go", { concurrent: false })
    expect([helper.model, helper.toolkit, helper.memory]).toEqual(before)
    expect(memoryTexts(one as ReActAgent).some((text) => text.includes("for two"))).toBe(false)
    expect(memoryTexts(two as ReActAgent)).toContain("one: one done")
  })
})
