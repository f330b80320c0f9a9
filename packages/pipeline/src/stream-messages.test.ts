import { agentAsTool, UserAgent } from "@agentscope-ts/agent"
import { unhandled } from "@agentscope-ts/fixtures"
import { assistantMsg, type Msg, textOf, toolResultsOf } from "@agentscope-ts/message"
import { tool } from "@agentscope-ts/tool"
import { expect, test } from "vitest"
import { z } from "zod"
import { askExpert, asksExpert, echo, hangs, idle, scripted, Speaker } from "./fixtures/agents.ts"
import { FanoutPipeline, ForPipeline, MsgHub, SequentialPipeline, streamMessages } from "./index.ts"

const add = tool({
  name: "add",
  description: "Add",
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})

async function all(messages: AsyncIterable<Msg>): Promise<string[]> {
  const texts: string[] = []
  for await (const msg of messages) {
    const results = toolResultsOf(msg).map((result) => textOf(result))
    texts.push(`${msg.name}: ${[textOf(msg), ...results].filter((text) => text !== "").join(" ")}`)
  }
  return texts
}

test("the messages of all agents come once each, in order, without what they were asked or heard", async () => {
  const a = scripted("a", [{ text: "Let me add.", toolUses: [{ name: "add", input: { a: 1, b: 2 } }] }, "3", "4"], {
    tools: [add],
  })
  const user = new UserAgent({ name: "Bob", input: async () => "Thanks." })
  const b = scripted("b", ["b one", "b two"])
  await using _hub = await MsgHub.open({ participants: [a, b] })
  const pipeline = new ForPipeline({ times: 2, body: new SequentialPipeline([a, b, user]) })
  expect(await all(streamMessages(pipeline, "What is 1+2?"))).toEqual([
    "a: Let me add.",
    "tool: 3",
    "a: 3",
    "b: b one",
    "Bob: Thanks.",
    "a: 4",
    "b: b two",
    "Bob: Thanks.",
  ])
})

test("what another assistant said elsewhere is no message of the agents", async () => {
  const said = assistantMsg("from elsewhere", { name: "other" })
  expect(await all(streamMessages(new SequentialPipeline([scripted("a", ["mine"])]), said))).toEqual(["a: mine"])
})

test("each comes when it is made, not at the end", async () => {
  const gate = Promise.withResolvers<string>()
  const messages = streamMessages(new SequentialPipeline([echo("a"), new Speaker("b", () => gate.promise)]), "x")
  const iterator = messages[Symbol.asyncIterator]()
  expect(textOf((await iterator.next()).value as Msg)).toBe("x>a")
  gate.resolve("b says")
  expect(textOf((await iterator.next()).value as Msg)).toBe("b says")
  expect((await iterator.next()).done).toBe(true)
})

test("a reply comes as its hooks made it, and what was said before it is not held back", async () => {
  const a = scripted("a", [{ text: "secret one", toolUses: [{ name: "add", input: { a: 1, b: 2 } }] }, "secret two"], {
    tools: [add],
    hooks: { postReply: ({ output }) => ({ ...output, content: [{ type: "text", text: "***" }] }) },
  })
  expect(await all(streamMessages(new SequentialPipeline([a]), "x"))).toEqual(["a: secret one", "tool: 3", "a: ***"])
})

test("those of agents behind tools are among them, and branches do not mix", async () => {
  const helper = scripted("helper", ["42"])
  const lead = scripted("lead", [{ toolUses: [{ name: "helper", input: { message: "?" } }] }, "It is 42."], {
    tools: [agentAsTool(helper, { description: "Helps" })],
  })
  const texts = await all(streamMessages(new FanoutPipeline([lead, echo("b")]), "x"))
  expect(texts.toSorted()).toEqual(["b: x>b", "helper: 42", "lead: ", "lead: It is 42.", "tool: 42"])
  expect(texts.filter((text) => !text.startsWith("b:"))).toEqual([
    "lead: ",
    "helper: 42",
    "tool: 42",
    "lead: It is 42.",
  ])
})

test("a single agent streams its messages, too, and calls that wait end it", async () => {
  const a = scripted("a", [{ text: "Wait.", ...asksExpert() }], { tools: [askExpert] })
  expect(await all(streamMessages(a, "x"))).toEqual(["a: Wait."])
})

test("leaving early interrupts who is on; a failure rejects; an abort rejects with its reason", async () => {
  using crashes = unhandled()
  const [a, b, last] = [echo("a"), hangs("b"), echo("last")]
  for await (const msg of streamMessages(new SequentialPipeline([a, b, last]), "x")) {
    expect(textOf(msg)).toBe("x>a")
    break
  }
  expect(b.interrupt()).toBe(false)
  expect(last.asked).toEqual([])
  const fails = new Speaker("f", () => {
    throw new TypeError("broken")
  })
  await expect(all(streamMessages(new SequentialPipeline([a, fails]), "x"))).rejects.toThrow(TypeError)
  const signal = AbortSignal.abort(new RangeError("enough"))
  await expect(all(streamMessages(new SequentialPipeline([a]), "x", { signal }))).rejects.toThrow(RangeError)
  await idle()
  expect(crashes.errors).toEqual([])
})

test("leaving while the next message is awaited ends at once", async () => {
  const b = hangs("b")
  const iterator = streamMessages(new SequentialPipeline([b]), "x")[Symbol.asyncIterator]()
  const next = iterator.next()
  await idle()
  await iterator.return?.()
  expect((await next).done).toBe(true)
  expect(b.interrupt()).toBe(false)
})

test("a long run is told whole, with a bounded list of what was told", async () => {
  const pipeline = new ForPipeline({ times: 1500, body: new Speaker("a", () => "again") })
  expect((await all(streamMessages(pipeline, "x"))).length).toBe(1500)
})

test("what is no pipeline is refused", () => {
  expect(() => streamMessages({} as never)).toThrow(expect.objectContaining({ code: "invalid_argument" }))
})
