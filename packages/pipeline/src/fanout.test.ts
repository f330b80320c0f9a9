import { textOf, userMsg } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { askExpert, asksExpert, echo, hangs, idle, listenersOf, scripted, Speaker, textsOf } from "./fixtures/agents.ts"
import { FanoutPipeline, fanoutPipeline, IfElsePipeline, SequentialPipeline } from "./index.ts"

test("all are asked at once, and answer in the order of the agents", async () => {
  const started: string[] = []
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const agents = gates.map(
    ({ promise }, i) =>
      new Speaker(`${i}`, async () => {
        started.push(`${i}`)
        await promise
        return `said ${i}`
      }),
  )
  const turn = fanoutPipeline(agents, "x")
  await idle()
  expect(started).toEqual(["0", "1"])
  gates[1]!.resolve()
  await idle()
  gates[0]!.resolve()
  expect(textsOf(await turn)).toEqual(["said 0", "said 1"])
})

test("or one after the other", async () => {
  const log: string[] = []
  const agents = ["a", "b"].map(
    (name) =>
      new Speaker(name, async () => {
        log.push(`${name} begins`)
        await idle()
        log.push(`${name} ends`)
        return name
      }),
  )
  const pipeline = new FanoutPipeline(agents, { concurrent: false })
  expect(textsOf(await pipeline.reply("x"))).toEqual(["a", "b"])
  expect(log).toEqual(["a begins", "a ends", "b begins", "b ends"])
})

test.each([true, false])("each branch has a copy of its own of the input (concurrent: %s)", async (concurrent) => {
  const input = userMsg("x", { metadata: { list: [1] } })
  const seen: unknown[] = []
  const vandal = () =>
    new Speaker("v", async ([msg]) => {
      await idle()
      seen.push(JSON.parse(JSON.stringify(msg)))
      Object.assign(msg!.content[0]!, { text: "changed" })
      ;(msg!.metadata!["list"] as number[]).push(2)
      return "done"
    })
  await fanoutPipeline([vandal(), new SequentialPipeline([vandal()]), vandal()], input, { concurrent })
  expect(seen).toEqual([input, input, input])
  expect(input.metadata).toEqual({ list: [1] })
})

test("the first that fails aborts the others, and its error comes once they have ended", async () => {
  const ended: string[] = []
  const slow = new Speaker("slow", async (_, { signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
    ended.push("slow")
    throw signal.reason
  })
  const fails = new Speaker("fails", async () => {
    await idle()
    throw new TypeError("broken")
  })
  const controller = new AbortController()
  await expect(fanoutPipeline([slow, fails], "x", { signal: controller.signal })).rejects.toThrow(TypeError)
  expect(ended).toEqual(["slow"])
  expect(controller.signal.aborted).toBe(false)
  expect(listenersOf(controller.signal)).toBe(0)
})

test("one after the other, the first that fails is the last", async () => {
  const never = echo("never")
  const fails = new Speaker("fails", () => {
    throw new TypeError("broken")
  })
  await expect(fanoutPipeline([fails, never], "x", { concurrent: false })).rejects.toThrow(TypeError)
  expect(never.asked).toEqual([])
})

test("an abort ends all branches with its reason", async () => {
  const controller = new AbortController()
  const turn = fanoutPipeline([hangs("a"), hangs("b")], "x", { signal: controller.signal })
  await idle()
  controller.abort(new RangeError("enough"))
  await expect(turn).rejects.toThrow(RangeError)
  expect(listenersOf(controller.signal)).toBe(0)
})

test("without agents there is an empty list; a branch that asks nobody gives its input back", async () => {
  expect(await fanoutPipeline([], "x")).toEqual([])
  const skips = new IfElsePipeline({ condition: () => false, whenTrue: echo("a") })
  expect(textsOf(await fanoutPipeline([skips, echo("b")], "x"))).toEqual(["x", "x>b"])
})

test("the answers of a fan-out in a fan-out stand among the others", async () => {
  const inner = new FanoutPipeline([echo("b"), echo("c")])
  expect(textsOf(await fanoutPipeline([echo("a"), inner, echo("d")], "x"))).toEqual(["x>a", "x>b", "x>c", "x>d"])
})

test("where calls of one wait, the others finish, and nobody is asked after them", async () => {
  const waits = scripted("w", [{ text: "Wait.", ...asksExpert() }], { tools: [askExpert] })
  const after = echo("after")
  const fan = new FanoutPipeline([echo("a"), waits, echo("b")])
  expect((await fan.reply("x")).map(({ finishReason }) => finishReason)).toEqual([
    "completed",
    "tool_suspended",
    "completed",
  ])
  expect(fan.pending).toMatchObject([{ toolUse: { name: "ask_expert" } }])
  const other = scripted("w", [{ text: "Wait.", ...asksExpert() }], { tools: [askExpert] })
  const reply = await new SequentialPipeline([new FanoutPipeline([echo("a"), other]), after]).reply("x")
  expect([textOf(reply), reply.finishReason]).toEqual(["Wait.", "tool_suspended"])
  expect(after.asked).toEqual([])
})

test("one that is interrupted keeps none of the others from answering", async () => {
  const b = hangs("b")
  const turn = fanoutPipeline([echo("a"), b], "x")
  await idle()
  b.interrupt()
  expect((await turn).map(({ finishReason }) => finishReason)).toEqual(["completed", "interrupted"])
})

test("options that it has not are refused", async () => {
  const mistaken = { concurent: true } as never
  await expect((async () => fanoutPipeline([], "Hi", mistaken))()).rejects.toThrow('Did you mean "concurrent"?')
  await expect((async () => fanoutPipeline([], "Hi", { zzzzzzz: 1 } as never))()).rejects.toThrow(
    /There are: concurrent, /,
  )
  expect(() => new FanoutPipeline([], { concurent: true } as never)).toThrow('Did you mean "concurrent"?')
  expect(() => new FanoutPipeline([], { concurrent: 1 } as never)).toThrow("concurrent must be true or false")
})
