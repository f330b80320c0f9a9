import { AgentBase } from "@agentscope-ts/agent"
import {
  approve,
  deny,
  type JsonObject,
  type PendingCall,
  textOf,
  toolResult,
  toolResultMsg,
} from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { askExpert, asksExpert, echo, memoryTexts, publish, scripted, textsOf } from "./fixtures/agents.ts"
import {
  FanoutPipeline,
  ForPipeline,
  IfElsePipeline,
  SequentialPipeline,
  sequentialPipeline,
  SwitchPipeline,
  WhilePipeline,
} from "./index.ts"

const asks = (name: string, ...more: string[]) => scripted(name, [asksExpert(), ...more], { tools: [askExpert] })
const told = ({ toolUse }: PendingCall, text = "Because.") => ({ results: [toolResult(toolUse, text)] })

test("calls that wait end it with that reply; answers go on from there", async () => {
  const [a, c] = [echo("a"), echo("c")]
  const b = asks("b", "I know now.")
  const pipeline = new SequentialPipeline([a, b, c])
  const reply = await pipeline.reply("x")
  expect(reply).toMatchObject({ name: "b", finishReason: "tool_suspended" })
  expect(c.asked).toEqual([])
  expect(pipeline.pending).toEqual(b.pending)
  expect(textOf(await pipeline.reply(told(pipeline.pending[0]!)))).toBe("I know now.>c")
  expect(a.asked.length).toBe(1)
  expect(pipeline.pending).toEqual([])
})

test("a function ends the same way: the agent is resumed by itself", async () => {
  const b = asks("b", "I know now.")
  const c = echo("c")
  expect((await sequentialPipeline([echo("a"), b, c], "x")).finishReason).toBe("tool_suspended")
  const reply = await b.resume(told(b.pending[0]!))
  expect(textOf(await sequentialPipeline([c], reply))).toBe("I know now.>c")
})

test("an approval, through pipelines of every kind, one in the other", async () => {
  const b = scripted("b", [{ toolUses: [{ name: "publish", input: {} }] }, "Out.", "Again."], { tools: [publish] })
  const rounds: number[] = []
  const pipeline = new SequentialPipeline([
    echo("a"),
    new SwitchPipeline({
      select: () => "go",
      cases: {
        go: new IfElsePipeline({
          condition: () => true,
          whenTrue: new WhilePipeline({
            condition: (_, round) => rounds.push(round) > 0 && round < 2,
            body: new ForPipeline({ times: 1, body: new SequentialPipeline([b]) }),
          }),
        }),
      },
    }),
    echo("c"),
  ])
  expect(await pipeline.reply("x")).toMatchObject({ finishReason: "approval_required" })
  expect(textOf(await pipeline.reply({ approvals: [approve(pipeline.pending[0]!)] }))).toBe("Again.>c")
  // the round that waited went on, and was not counted again
  expect(rounds).toEqual([0, 1, 2])
  expect(memoryTexts(b).filter((text) => text.startsWith("a:"))).toEqual(["a: x>a"])
})

test("a round of several: a part of the answers is kept, the rest waits", async () => {
  const b = scripted(
    "b",
    [
      {
        toolUses: [
          { name: "ask_expert", input: { q: "1" } },
          { name: "publish", input: {} },
        ],
      },
      "Done.",
    ],
    { tools: [askExpert, publish] },
  )
  const pipeline = new SequentialPipeline([b, echo("c")])
  await pipeline.reply("x")
  const [first, second] = pipeline.pending as [PendingCall, PendingCall]
  expect(await pipeline.reply(told(first))).toMatchObject({ finishReason: "approval_required" })
  expect(pipeline.pending).toEqual([second])
  expect(textOf(await pipeline.reply({ approvals: [deny(second)] }))).toBe("Done.>c")
})

test("a tool message counts as answers", async () => {
  const pipeline = new SequentialPipeline([asks("b", "Aha."), echo("c")])
  await pipeline.reply("x")
  expect(textOf(await pipeline.reply(toolResultMsg(told(pipeline.pending[0]!).results)))).toBe("Aha.>c")
})

test("several agents that wait at once are answered together or one by one; the others are not asked again", async () => {
  const a = echo("a")
  // ids of calls are an agent's own
  const b = scripted("b", [{ toolUses: [{ id: "b1", name: "ask_expert", input: { q: "b" } }] }, "b knows"], {
    tools: [askExpert],
  })
  const d = scripted("d", [{ toolUses: [{ id: "d1", name: "ask_expert", input: { q: "d" } }] }, "d knows"], {
    tools: [askExpert],
  })
  const pipeline = new SequentialPipeline([
    new FanoutPipeline([a, new SequentialPipeline([b, echo("c")]), d]),
    echo("e"),
  ])
  await pipeline.reply("x")
  const [first, second] = pipeline.pending as [PendingCall, PendingCall]
  const odd = toolResult({ ...first.toolUse, id: "other" }, "?")
  await expect(pipeline.reply({ results: [...told(second).results, odd] })).rejects.toMatchObject({
    code: "unknown_pending",
  })
  expect(pipeline.pending).toEqual([first, second])
  expect((await pipeline.reply(told(second))).finishReason).toBe("tool_suspended")
  expect(pipeline.pending).toEqual([first])
  expect(textOf(await pipeline.reply(told(first)))).toBe("x>a+b knows>c+d knows>e")
  expect(a.asked.length).toBe(1)
})

test("an id that two agents have cannot be told apart", async () => {
  const twins = ["b", "d"].map((name) =>
    scripted(name, [{ toolUses: [{ id: "same", name: "ask_expert", input: { q: "?" } }] }, "ok"], {
      tools: [askExpert],
    }),
  )
  const pipeline = new FanoutPipeline(twins)
  await pipeline.reply("x")
  await expect(pipeline.reply(told(pipeline.pending[0]!))).rejects.toThrow("2 calls of different agents")
  expect(pipeline.pending.length).toBe(2)
})

test("no input: the same calls once more; something new begins from the start", async () => {
  const a = echo("a")
  const b = asks("b", "Then not.")
  const pipeline = new SequentialPipeline([a, b])
  const reply = await pipeline.reply("x")
  expect(await pipeline.reply()).toMatchObject({ id: reply.id, finishReason: "tool_suspended" })
  expect(a.asked.length).toBe(1)
  expect(textOf(await pipeline.reply("y"))).toBe("Then not.")
  expect(a.askedTexts).toEqual([["x"], ["y"]])
  expect(pipeline.pending).toEqual([])
})

test("answers that fit nothing change nothing", async () => {
  const pipeline = new SequentialPipeline([asks("b", "Aha."), echo("c")])
  await expect(pipeline.reply({ results: [] })).rejects.toMatchObject({ code: "unknown_pending" })
  await pipeline.reply("x")
  const { pending } = pipeline
  const odd = toolResult({ ...pending[0]!.toolUse, id: "other" }, "?")
  await expect(pipeline.reply({ results: [odd] })).rejects.toMatchObject({ code: "unknown_pending" })
  expect(pipeline.pending).toEqual(pending)
  expect(textOf(await pipeline.reply(told(pending[0]!)))).toBe("Aha.>c")
})

test("an error behind the call that waited ends the wait", async () => {
  const after: AgentBase = scripted("after", [{ error: new TypeError("broken") }])
  const pipeline = new SequentialPipeline([asks("b", "Aha."), after])
  await pipeline.reply("x")
  await expect(pipeline.reply(told(pipeline.pending[0]!))).rejects.toThrow("broken")
  expect(pipeline.pending).toEqual([])
})

test("another process goes on, from the state of the agents and the pipeline", async () => {
  const make = (...steps: Parameters<typeof scripted>[1][number][]) => {
    const a = echo("a")
    const b = scripted("b", steps, { tools: [askExpert] })
    const fan = new FanoutPipeline([echo("c"), new ForPipeline({ times: 1, body: b })])
    return { a, b, pipeline: new SequentialPipeline([a, fan, echo("d")]) }
  }
  const before = make(asksExpert())
  await before.pipeline.reply("x")
  const saved = JSON.parse(JSON.stringify([before.b.stateDict(), before.pipeline.stateDict()])) as [
    JsonObject,
    JsonObject,
  ]
  const after = make("I know now.")
  after.b.loadStateDict(saved[0])
  after.pipeline.loadStateDict(saved[1])
  expect(after.pipeline.pending).toEqual(before.pipeline.pending)
  const reply = await after.pipeline.reply(told(after.pipeline.pending[0]!))
  expect(textOf(reply)).toBe("x>a>c+I know now.>d")
  expect(after.a.asked).toEqual([])
  expect(after.pipeline.stateDict()).toEqual({ place: null })
})

test("a place of a pipeline of another shape, or none at all, is refused", async () => {
  const pipeline = new SequentialPipeline([echo("a"), asks("b")])
  await pipeline.reply("x")
  const state = pipeline.stateDict()
  for (const other of [
    new SequentialPipeline([echo("a")]),
    new FanoutPipeline([echo("a")]),
    new SequentialPipeline([echo("a"), new FanoutPipeline([echo("b"), echo("c")])]),
    new SwitchPipeline({ select: () => "a", cases: { a: echo("a") } }),
  ]) {
    other.loadStateDict(state)
    await expect(other.reply({})).rejects.toMatchObject({ code: "unknown_pending" })
  }
  for (const place of [7, {}, { at: 1 }, { at: 1, inner: null }, { branches: [{}] }, { branches: [null] }]) {
    expect(() => pipeline.loadStateDict({ place })).toThrow(expect.objectContaining({ code: "invalid_state" }))
  }
  expect(pipeline.stateDict()).toEqual(state)
})

test("what a branch said before the wait is in the list after it", async () => {
  const fan = new FanoutPipeline([echo("a"), asks("b", "Aha.")])
  expect(textsOf(await fan.reply("x"))).toEqual(["x>a", ""])
  expect(textsOf(await fan.reply(told(fan.pending[0]!)))).toEqual(["x>a", "Aha."])
})
