import { Budget } from "@agentscope-ts/agent"
import { assistantMsg, createMsg, textOf, userMsg } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { echo, hangs, idle, listenersOf, memoryOf, memoryTexts, scripted, Speaker, textsOf } from "./fixtures/agents.ts"
import { FanoutPipeline, SequentialPipeline, type Step, sequentialPipeline } from "./index.ts"

test("each is asked with what the one before said, as a function and as an object that is used again", async () => {
  const [a, b] = [echo("a"), echo("b")]
  expect(textOf(await sequentialPipeline([a, b], "x"))).toBe("x>a>b")
  const pipeline = new SequentialPipeline([a, b])
  expect(textOf(await pipeline.reply(userMsg("y")))).toBe("y>a>b")
  expect(textOf(await pipeline.reply([userMsg("1"), userMsg("2")]))).toBe("1+2>a>b")
  expect(b.asked[0]![0]).toMatchObject({ role: "assistant", name: "a" })
})

test("without input the first goes on from its memory", async () => {
  const a = echo("a")
  await sequentialPipeline([a])
  expect(a.asked).toEqual([[]])
})

test("without agents the input comes back, and without either there is an error", async () => {
  expect(textOf(await sequentialPipeline([], "x"))).toBe("x")
  await expect(sequentialPipeline([])).rejects.toMatchObject({ code: "no_message" })
})

test("pipelines nest, and what nobody answers goes on", async () => {
  const [a, b, c] = [echo("a"), echo("b"), echo("c")]
  const inner = new SequentialPipeline([b, new SequentialPipeline([])])
  expect(textOf(await sequentialPipeline([a, new SequentialPipeline([]), inner, c], "x"))).toBe("x>a>b>c")
})

test("a list that a fan-out says is the next one's input, and the answer where it is the last", async () => {
  const fan = new FanoutPipeline([echo("b"), echo("c")])
  expect(textOf(await sequentialPipeline([fan, echo("d")], "x"))).toBe("x>b+x>c>d")
  expect(textsOf(await sequentialPipeline([echo("a"), fan], "x"))).toEqual(["x>a>b", "x>a>c"])
})

test("the next one is told neither thinking nor tool calls nor data of a provider, nor the figures of the reply", async () => {
  const a = new Speaker("a", () =>
    createMsg({
      name: "a",
      role: "assistant",
      content: [
        { type: "thinking", thinking: "secret", opaque: { provider: "p", data: { signature: "s" } } },
        { type: "text", text: "said", opaque: { provider: "p", data: { signature: "s" } } },
      ],
      metadata: { lang: "zh" },
    }),
  )
  const b = echo("b")
  const reply = await new SequentialPipeline([a, b]).reply("x")
  expect(textOf(reply)).toBe("said>b")
  const [told] = b.asked[0]!
  expect(told).toEqual({
    id: expect.any(String),
    timestamp: expect.any(String),
    name: "a",
    role: "assistant",
    content: [{ type: "text", text: "said" }],
    metadata: { lang: "zh" },
  })
  // the caller gets the whole reply
  expect((await sequentialPipeline([a])).content.map(({ type }) => type)).toEqual(["thinking", "text"])
})

test("a message that is nothing but thinking is not handed on", async () => {
  const a = new Speaker("a", () => assistantMsg([{ type: "thinking", thinking: "hm" }], { name: "a" }))
  const b = echo("b")
  await sequentialPipeline([a, b], "x")
  expect(b.asked).toEqual([[]])
})

test("an agent that changes what it was asked changes nobody else's message", async () => {
  const input = userMsg("x", { metadata: { n: 1 } })
  const vandal = new Speaker("vandal", ([msg]) => {
    Object.assign(msg!.content[0]!, { text: "changed" })
    if (msg!.metadata) Object.assign(msg!.metadata, { n: 2 })
    return "done"
  })
  const a = scripted("a", ["from a"])
  await sequentialPipeline([vandal], input)
  await sequentialPipeline([a, vandal], input)
  expect(input).toMatchObject({ content: [{ text: "x" }], metadata: { n: 1 } })
  expect(memoryTexts(a)).toEqual(["user: x", "a: from a"])
})

test("what is inside a block is a copy, too", async () => {
  const source = { type: "base64", mediaType: "image/png", data: "AAAA" } as const
  const input = userMsg([{ type: "image", source }])
  const vandal = new Speaker("vandal", ([msg]) => {
    Object.assign((msg!.content[0] as { source: object }).source, { data: "BBBB" })
    return "done"
  })
  await sequentialPipeline([vandal], input)
  expect(input.content).toEqual([{ type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } }])
})

test("an error ends it, and it can be used again", async () => {
  let fails = true
  const b = new Speaker("b", () => {
    if (fails) throw new TypeError("broken")
    return "ok"
  })
  const c = echo("c")
  const pipeline = new SequentialPipeline([echo("a"), b, c])
  await expect(pipeline.reply("x")).rejects.toThrow(TypeError)
  expect(c.asked).toEqual([])
  fails = false
  expect(textOf(await pipeline.reply("x"))).toBe("ok>c")
})

test("an abort passes down, rejects with its reason, asks nobody more and leaves no listener", async () => {
  const controller = new AbortController()
  const last = echo("last")
  const turn = sequentialPipeline([echo("a"), new SequentialPipeline([hangs("b")]), last], "x", {
    signal: controller.signal,
  })
  await idle()
  expect(listenersOf(controller.signal)).toBeGreaterThan(0)
  controller.abort(new RangeError("enough"))
  await expect(turn).rejects.toThrow(RangeError)
  expect(last.asked).toEqual([])
  await expect(sequentialPipeline([last], "x", { signal: controller.signal })).rejects.toThrow(RangeError)
  expect(last.asked).toEqual([])
  expect(listenersOf(controller.signal)).toBe(0)
})

test("a turn that ends well leaves no listener", async () => {
  const { signal } = new AbortController()
  await sequentialPipeline([echo("a"), new FanoutPipeline([echo("b"), echo("c")])], "x", { signal })
  expect(listenersOf(signal)).toBe(0)
})

test("an agent that is interrupted is the last", async () => {
  const b = hangs("b")
  const c = echo("c")
  const turn = sequentialPipeline([echo("a"), b, c], "x")
  await idle()
  expect(b.interrupt()).toBe(true)
  expect(await turn).toMatchObject({ name: "b", finishReason: "interrupted" })
  expect(c.asked).toEqual([])
})

test("a budget given as limits is one pool for all, and the one who exceeds it is the last", async () => {
  const agents = ["a", "b", "c", "d"].map((name) => scripted(name, [name, name]))
  const reply = await sequentialPipeline(agents, "x", { budget: { modelCalls: 2 } })
  expect(reply).toMatchObject({ name: "c", finishReason: "budget_exceeded" })
  const pool = new Budget({ modelCalls: 9 })
  await sequentialPipeline(agents.slice(0, 2), "y", { budget: pool })
  expect(pool.spent.modelCalls).toBe(2)
})

test("steps of ones own take their turn", async () => {
  const step: Step = {
    name: "own",
    reply: async (input) => userMsg(`own ${textOf(input as never)}`),
    stream: () => {
      throw new TypeError("not asked for")
    },
  }
  expect(textOf(await sequentialPipeline([echo("a"), step, echo("b")], "x"))).toBe("own x>a>b")
  await expect(new SequentialPipeline([step]).stream("x").reply).rejects.toThrow("not asked for")
})

test("real agents remember what the one before said, once", async () => {
  const [a, b] = [scripted("a", ["one"]), scripted("b", ["two"])]
  await sequentialPipeline([a, b], "x")
  expect(memoryTexts(b)).toEqual(["a: one", "b: two"])
  expect(memoryOf(b)[0]).not.toHaveProperty("usage")
})

test.each([
  ["no list", "x" as never, "agents must be a list"],
  ["a step that is none", [echo("a"), {} as never], "agents[1] must be an agent"],
])("%s is refused", (_, agents, message) => {
  expect(() => new SequentialPipeline(agents)).toThrow(expect.objectContaining({ code: "invalid_argument" }))
  expect(() => new SequentialPipeline(agents)).toThrow(message)
})

test("misspelt options and inputs that are none are refused", async () => {
  const pipeline = new SequentialPipeline([echo("a")])
  await expect(pipeline.reply("x", { signl: 1 } as never)).rejects.toThrow('Did you mean "signal"?')
  await expect(pipeline.reply(7 as never)).rejects.toMatchObject({ code: "invalid_argument" })
})
