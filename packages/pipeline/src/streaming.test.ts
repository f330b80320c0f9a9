import type { ReActAgent } from "@agentscope-ts/agent"
import { unhandled } from "@agentscope-ts/fixtures"
import type { AgentEvent } from "@agentscope-ts/message"
import { textOf } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { askExpert, asksExpert, echo, eventsOf, hangs, idle, scripted, Speaker } from "./fixtures/agents.ts"
import { FanoutPipeline, ForPipeline, IfElsePipeline, SequentialPipeline } from "./index.ts"

const outline = (events: readonly AgentEvent[]) =>
  events
    .filter(({ type }) => type === "reply_start" || type === "reply_end")
    .map(({ type, agent }) => `${type} ${agent}`)

test("a pipeline of pipelines is one stream, numbered through, and its reply is that of reply()", async () => {
  const [a, b, c] = (["a", "b", "c"] as const).map((name) => scripted(name, [`I am ${name}.`])) as [
    ReActAgent,
    ReActAgent,
    ReActAgent,
  ]
  const run = new SequentialPipeline([
    a,
    new ForPipeline({ times: 1, body: new SequentialPipeline([b]) }),
    new IfElsePipeline({ condition: () => true, whenTrue: c }),
  ]).stream("x")
  const events = await eventsOf(run)
  expect(outline(events)).toEqual(["a", "b", "c"].flatMap((name) => [`reply_start ${name}`, `reply_end ${name}`]))
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i))
  expect(events.flatMap((event) => (event.type === "text_delta" ? [event.text] : [])).join("")).toBe(
    "I am a.I am b.I am c.",
  )
  expect(events.every(({ path }) => path.length === 0)).toBe(true)
  expect(textOf(await run.reply)).toBe("I am c.")
})

test("the events of a fan-out come as they are made, told apart by agent and reply", async () => {
  const gate = Promise.withResolvers<void>()
  const slow = new Speaker("slow", async () => {
    await gate.promise
    return "late"
  })
  const quick = new Speaker("quick", () => {
    setImmediate(gate.resolve)
    return "soon"
  })
  const events = await eventsOf(new FanoutPipeline([slow, quick]).stream("x"))
  expect(outline(events)).toEqual(["reply_start slow", "reply_start quick", "reply_end quick", "reply_end slow"])
})

test("it begins at once, whether or not somebody looks", async () => {
  const a = echo("a")
  const run = new SequentialPipeline([a]).stream("x")
  await idle()
  expect(a.asked.length).toBe(1)
  expect(textOf(await run.reply)).toBe("x>a")
})

test("where calls wait the stream ends, and the answers stream the rest", async () => {
  const b = scripted("b", [asksExpert(), "Aha."], { tools: [askExpert] })
  const pipeline = new SequentialPipeline([b, echo("c")])
  expect(outline(await eventsOf(pipeline.stream("x")))).toEqual(["reply_start b", "reply_end b"])
  const [call] = pipeline.pending
  const run = pipeline.stream({
    results: [{ type: "tool_result", id: call!.toolUse.id, name: "ask_expert", output: [], state: "success" }],
  })
  expect(outline(await eventsOf(run))).toEqual(
    ["b", "c"].flatMap((name) => [`reply_start ${name}`, `reply_end ${name}`]),
  )
})

describe("leaving early", () => {
  test("interrupts who is on, waits for them, and asks nobody more", async () => {
    const a = scripted("a", ["one two three four five", "again"])
    const [b, last] = [hangs("b"), echo("last")]
    const pipeline = new SequentialPipeline([new FanoutPipeline([a, new SequentialPipeline([b])]), last])
    const run = pipeline.stream("x")
    for await (const event of run) if (event.type === "text_delta") break
    // the agents are free again
    expect([a.interrupt(), b.interrupt()]).toEqual([false, false])
    expect((await a.reply("y")).finishReason).toBe("completed")
    expect(last.asked).toEqual([])
    expect((await run.reply).finishReason).toBe("interrupted")
  })

  test("between two agents asks nobody more", async () => {
    const [a, b, c] = [echo("a"), echo("b"), echo("c")]
    const run = new SequentialPipeline([a, new FanoutPipeline([b, c], { concurrent: false })]).stream("x")
    for await (const event of run) if (event.type === "reply_end") break
    expect(await run.reply).toMatchObject({ name: "a", finishReason: "completed" })
    await idle()
    expect([b.asked, c.asked]).toEqual([[], []])
  })

  test("ends a condition that is waited for", async () => {
    using crashes = unhandled()
    const condition = () => new Promise<boolean>(() => {})
    const run = new SequentialPipeline([echo("a"), new IfElsePipeline({ condition, whenTrue: echo("b") })]).stream("x")
    const events = run[Symbol.asyncIterator]()
    while ((await events.next()).value?.type !== "reply_end");
    await idle()
    await events.return?.()
    await idle()
    expect(crashes.errors).toEqual([])
    await expect(run.reply).rejects.toMatchObject({ code: "aborted" })
  })

  test("a failure on the way out that nobody asks for is not lost", async () => {
    using crashes = unhandled()
    const fails = new (class extends Speaker {
      protected override handleInterrupt(): string {
        throw new TypeError("broken")
      }
    })("f", () => new Promise(() => {}))
    for await (const event of new SequentialPipeline([fails]).stream("x")) if (event.type === "reply_start") break
    await idle()
    expect(crashes.errors).toEqual([expect.any(TypeError)])
  })
})

describe("a failure", () => {
  const fails = () =>
    new Speaker("f", () => {
      throw new TypeError("broken")
    })

  test("is told by the iterator, and raises nothing else", async () => {
    using crashes = unhandled()
    const events: AgentEvent[] = []
    const run = new SequentialPipeline([echo("a"), fails()]).stream("x")
    await expect(
      (async () => {
        for await (const event of run) events.push(event)
      })(),
    ).rejects.toThrow(TypeError)
    expect(events.at(-1)).toMatchObject({ type: "error", agent: "f" })
    await idle()
    expect(crashes.errors).toEqual([])
  })

  test("of a step of ones own is told once", async () => {
    using crashes = unhandled()
    const reply = () => Promise.reject(new TypeError("broken"))
    const stream = () => ({
      reply: reply(),
      [Symbol.asyncIterator]: () => ({ next: () => idle().then(() => Promise.reject(new TypeError("broken"))) }),
    })
    await expect(eventsOf(new SequentialPipeline([{ name: "own", reply, stream }]).stream("x"))).rejects.toThrow(
      "broken",
    )
    await idle()
    expect(crashes.errors).toEqual([])
  })

  test("is told by the promise where nobody iterates, and not lost where nobody looks at all", async () => {
    using crashes = unhandled()
    await expect(new SequentialPipeline([fails()]).stream("x").reply).rejects.toThrow(TypeError)
    await idle()
    expect(crashes.errors).toEqual([])
    new SequentialPipeline([fails()]).stream("x")
    await idle()
    expect(crashes.errors).toEqual([expect.any(TypeError)])
  })

  test("an abort rejects the stream with its reason", async () => {
    const controller = new AbortController()
    const run = new SequentialPipeline([new FanoutPipeline([hangs("a"), hangs("b")])]).stream("x", {
      signal: controller.signal,
    })
    setImmediate(() => controller.abort(new RangeError("enough")))
    await expect(eventsOf(run)).rejects.toThrow(RangeError)
    await expect(run.reply).rejects.toThrow(RangeError)
  })
})
