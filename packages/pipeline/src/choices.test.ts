import { assistantMsg, type Msg, textOf, userMsg } from "@agentscope-ts/message"
import { describe, expect, test, vi } from "vitest"
import { echo, idle, Speaker } from "./fixtures/agents.ts"
import {
  ForPipeline,
  forPipeline,
  IfElsePipeline,
  ifElsePipeline,
  SequentialPipeline,
  SwitchPipeline,
  switchPipeline,
  WhilePipeline,
  whilePipeline,
} from "./index.ts"

const says = (word: string) => (msg: Msg | undefined) => msg !== undefined && textOf(msg).includes(word)

describe("if-else", () => {
  test("one of two is asked, as the last message of the input says", async () => {
    const options = { condition: says("yes"), whenTrue: echo("t"), whenFalse: echo("f") }
    expect(textOf(await ifElsePipeline(options, "yes"))).toBe("yes>t")
    expect(textOf(await ifElsePipeline(options, [userMsg("yes"), userMsg("no")]))).toBe("yes+no>f")
    expect(textOf(await new IfElsePipeline({ ...options, condition: async () => true }).reply("x"))).toBe("x>t")
  })

  test("without a second the input goes on as it is", async () => {
    const skips = new IfElsePipeline({ condition: () => false, whenTrue: echo("t") })
    expect(textOf(await skips.reply("x"))).toBe("x")
    const last = echo("last")
    await new SequentialPipeline([skips, last]).reply([userMsg("1"), userMsg("2")])
    expect(last.askedTexts).toEqual([["1", "2"]])
    await expect(skips.reply()).rejects.toMatchObject({ code: "no_message" })
  })

  test("the condition sees the whole reply of the one before, figures included", async () => {
    const seen = vi.fn((_msg: Msg | undefined) => true)
    const said = assistantMsg([{ type: "thinking", thinking: "hm" }], { name: "a" })
    await new SequentialPipeline([
      new Speaker("a", () => said),
      new IfElsePipeline({ condition: seen, whenTrue: echo("t") }),
    ]).reply("x")
    expect(seen.mock.calls[0]![0]).toMatchObject({ content: said.content, finishReason: "completed" })
  })

  test("what the condition throws rejects; an abort does not wait for it", async () => {
    const fails = () => Promise.reject(new TypeError("broken"))
    await expect(ifElsePipeline({ condition: fails, whenTrue: echo("t") }, "x")).rejects.toThrow(TypeError)
    const controller = new AbortController()
    const condition = () => new Promise<boolean>(() => {})
    const turn = ifElsePipeline({ condition, whenTrue: echo("t") }, "x", { signal: controller.signal })
    await idle()
    controller.abort(new RangeError("enough"))
    await expect(turn).rejects.toThrow(RangeError)
  })
})

describe("switch", () => {
  test("the case that is named is asked, or the one for all others, or nobody", async () => {
    const cases = { a: echo("a"), b: echo("b") }
    const select = (msg: Msg | undefined) => textOf(msg!) as "a" | "b"
    expect(textOf(await switchPipeline({ select, cases }, "b"))).toBe("b>b")
    expect(textOf(await switchPipeline({ select, cases, otherwise: echo("o") }, "c"))).toBe("c>o")
    expect(textOf(await new SwitchPipeline({ select, cases }).reply("c"))).toBe("c")
    // a name that every object has is no case
    expect(textOf(await switchPipeline({ select, cases, otherwise: echo("o") }, "toString"))).toBe("toString>o")
  })
})

describe("while", () => {
  test("the body is asked with what it said before, as long as the condition holds", async () => {
    const rounds: number[] = []
    const condition = (_: Msg | undefined, round: number) => rounds.push(round) <= 2
    expect(textOf(await whilePipeline({ condition, body: echo("b") }, "x"))).toBe("x>b>b")
    expect(rounds).toEqual([0, 1, 2])
    expect(textOf(await new WhilePipeline({ condition: () => false, body: echo("b") }).reply("x"))).toBe("x")
  })

  test("a round in which nobody is asked goes on with what was said before it", async () => {
    let round = 0
    const body = new IfElsePipeline({ condition: () => round++ === 0, whenTrue: echo("b") })
    expect(textOf(await whilePipeline({ condition: () => true, body, maxIterations: 3 }, "x"))).toBe("x>b")
  })

  test("never more often than told", async () => {
    const body = echo("b")
    expect(textOf(await whilePipeline({ condition: () => true, body, maxIterations: 3 }, "x"))).toBe("x>b>b>b")
    expect(textOf(await whilePipeline({ condition: () => true, body, maxIterations: 0 }, "x"))).toBe("x")
  })

  test("an abort between two rounds is heard", async () => {
    const controller = new AbortController()
    const body = new Speaker("b", (_, { options }) => {
      if (options.signal && body.asked.length === 3) controller.abort(new RangeError("enough"))
      return "again"
    })
    await expect(whilePipeline({ condition: () => true, body }, "x", { signal: controller.signal })).rejects.toThrow(
      RangeError,
    )
    expect(body.asked.length).toBe(3)
  })
})

describe("for", () => {
  test("the body is asked so many times, or until what it said is enough", async () => {
    expect(textOf(await forPipeline({ times: 3, body: echo("b") }, "x"))).toBe("x>b>b>b")
    expect(textOf(await new ForPipeline({ times: 9, body: echo("b"), until: says("b>b") }).reply("x"))).toBe("x>b>b")
    expect(textOf(await forPipeline({ times: 0, body: echo("b") }, "x"))).toBe("x")
  })
})

test.each([
  () => new IfElsePipeline({ condition: true, whenTrue: echo("a") } as never),
  () => new IfElsePipeline({ condition: () => true } as never),
  () => new IfElsePipeline({ condition: () => true, whenTrue: echo("a"), whenFals: echo("b") } as never),
  () => new SwitchPipeline({ select: () => "a", cases: { a: 1 } } as never),
  () => new WhilePipeline({ condition: () => true, body: echo("a"), maxIterations: -1 }),
  () => new ForPipeline({ times: 1.5, body: echo("a") }),
  () => new ForPipeline({ times: 1, body: echo("a"), until: 1 } as never),
])("options that are none are refused (%#)", (make) => {
  expect(make).toThrow(expect.objectContaining({ code: "invalid_argument" }))
})
