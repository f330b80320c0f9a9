import { textOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { expect, test } from "vitest"
import { ManualModel, says, stalls, text } from "../fixtures/manual-model.ts"
import { eventsOf, expectValid, idle, memoryOf } from "../fixtures/runs.ts"
import { add } from "../fixtures/tools.ts"
import { ReActAgent } from "../index.ts"

const base = { name: "Friday", systemPrompt: "Help." }

test("a second reply while one is running is refused, and the first is not touched", async () => {
  using model = new ScriptedModel(["one", "two"])
  const agent = new ReActAgent({ ...base, model })
  const first = agent.reply("first")
  await expect(agent.reply("second")).rejects.toMatchObject({ code: "agent_busy" })
  await expect(eventsOf(agent.stream("second"))).rejects.toMatchObject({ code: "agent_busy" })
  await expect(agent.stream("second").reply).rejects.toMatchObject({ code: "agent_busy" })
  expect(textOf(await first)).toBe("one")
  expect(textOf(await agent.reply("third"))).toBe("two")
  expect(memoryOf(agent).map((msg) => textOf(msg))).toEqual(["first", "one", "third", "two"])
})

test("or answered afterwards, in the order of the calls", async () => {
  using model = new ScriptedModel(["one", "two", "three"])
  const agent = new ReActAgent({ ...base, model, whenBusy: "queue" })
  const replies = await Promise.all([agent.reply("1"), agent.stream("2").reply, agent.reply("3")])
  expect(replies.map((reply) => textOf(reply))).toEqual(["one", "two", "three"])
  expect(memoryOf(agent).map((msg) => textOf(msg))).toEqual(["1", "one", "2", "two", "3", "three"])
})

test("one that waits can be given up or interrupted; the others come to their turn", async () => {
  const model = new ManualModel(stalls(), says(...text(0, "last")))
  const agent = new ReActAgent({ ...base, model, whenBusy: "queue" })
  const first = agent.reply("1")
  const controller = new AbortController()
  const second = agent.reply("2", { signal: controller.signal })
  const third = agent.stream("3")
  const last = agent.reply("4")
  controller.abort("changed my mind")
  await expect(second).rejects.toBe("changed my mind")
  third.interrupt()
  agent.interrupt()
  expect((await first).finishReason).toBe("interrupted")
  expect((await third.reply).finishReason).toBe("interrupted")
  expect(textOf(await last)).toBe("last")
  expectValid(memoryOf(agent))
})

test("a failed reply lets the next one begin", async () => {
  const model = new ManualModel(
    () => {
      throw new Error("down")
    },
    says(...text(0, "up")),
  )
  const agent = new ReActAgent({ ...base, model, whenBusy: "queue" })
  const first = agent.reply("1")
  const second = agent.reply("2")
  await expect(first).rejects.toThrow("down")
  expect(textOf(await second)).toBe("up")
})

test("whoever sees the end of a reply may ask again at once", async () => {
  using model = new ScriptedModel(["one", "two"])
  const agent = new ReActAgent({ ...base, model })
  let next: Promise<{ finishReason: string }> | undefined
  for await (const event of agent.stream("1")) if (event.type === "reply_end") next = agent.reply("2")
  expect((await next)?.finishReason).toBe("completed")
})

test("also whoever is told of it without delay", async () => {
  using model = new ScriptedModel(["one", "two"])
  const next: Promise<{ finishReason: string }>[] = []
  const agent: ReActAgent = new ReActAgent({
    ...base,
    model,
    print: ({ type }) => {
      if (type === "reply_end" && next.length === 0) next.push(agent.reply("2"))
    },
  })
  await agent.reply("1")
  expect((await next[0])?.finishReason).toBe("completed")
})

test("a model and a toolkit are shared by agents that know nothing of each other", async () => {
  const step = { toolUses: [{ name: "add", input: { a: 1, b: 2 } }] }
  using model = new ScriptedModel(Array.from({ length: 40 }, (_, i) => (i < 20 ? step : "ok")))
  const agents = Array.from(
    { length: 20 },
    (_, i) => new ReActAgent({ name: `agent ${i}`, systemPrompt: "Help.", model, tools: [add] }),
  )
  await Promise.all(agents.map((agent, i) => agent.reply(`question ${i}`)))
  for (const [i, agent] of agents.entries()) {
    expect(textOf(memoryOf(agent)[0]!)).toBe(`question ${i}`)
    expect(memoryOf(agent)).toHaveLength(4)
  }
  await idle()
})
