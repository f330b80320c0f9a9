import { getEventListeners } from "node:events"
import { textOf, type ToolResultBlock } from "@agentscope-ts/message"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { chunksOf, plain, settled, use } from "../fixtures/calls.ts"
import { type AnyTool, type Postprocess, Toolkit, type ToolContext, type ToolkitOptions } from "../index.ts"

const start = (
  tool: AnyTool,
  postprocess: Postprocess,
  options: { signal?: AbortSignal } = {},
  kit: ToolkitOptions = {},
) => {
  const toolkit = new Toolkit(kit)
  toolkit.register(tool, { postprocess })
  return toolkit.execute(use(tool.name), options)
}
const masked: Postprocess = (result) => ({
  ...result,
  output: [{ type: "text", text: textOf(result).replaceAll(/\d{4}/g, "****") }],
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test("changes a result before anybody sees it, at once or later; undefined keeps it", async () => {
  const card = plain(() => "card 1234")
  expect(textOf(await start(card, masked).result)).toBe("card ****")
  expect(textOf(await start(card, async (result, toolUse) => masked(result, toolUse)).result)).toBe("card ****")
  expect(textOf(await start(card, () => undefined).result)).toBe("card 1234")
  expect(textOf(await start(card, async () => undefined).result)).toBe("card 1234")
})

test("changes each chunk before it is shown, too; progress is shown as it is", async () => {
  const run = start(
    plain(async function* (_input: unknown, ctx: ToolContext) {
      ctx.emit(1)
      yield "card "
      yield "1234"
    }),
    masked,
  )
  expect(await chunksOf(run)).toEqual(["progress 1", "output card ", "output ****"])
})

test("changes chunks in their order, however long each takes, and the result last", async () => {
  const gates = [1, 2, 3].map(() => Promise.withResolvers<void>())
  let asked = 0
  const slow: Postprocess = async (result) => {
    const partial = result.metadata?.["partial"] === true
    if (partial) await gates[asked++]?.promise
    return { ...result, output: [{ type: "text", text: `<${textOf(result)}>` }] }
  }
  const letters = plain(async function* () {
    yield "a"
    yield "b"
    yield "c"
  })
  const run = start(letters, slow)
  const chunks = chunksOf(run)
  for (const gate of gates.toReversed()) {
    await settled()
    gate.resolve()
  }
  expect(await chunks).toEqual(["output <a>", "output <b>", "output <c>"])
  expect(textOf(await run.result)).toBe("<abc>")
})

test("may hold chunks back until it has seen everything", async () => {
  const whole: Postprocess = (result) =>
    result.metadata?.["partial"] ? { ...result, output: [] } : masked(result, use("t"))
  const card = plain(function* () {
    yield "card 12"
    yield "34"
  })
  expect(await chunksOf(start(card, whole))).toEqual(["output card ****"])
})

test.each([
  [
    "at once",
    () => {
      throw new Error("no mask")
    },
  ],
  ["later", () => Promise.reject(new Error("no mask"))],
])("that fails on a chunk, %s, ends the call without the output", async (_, postprocess) => {
  let closed = false
  const card = plain(async function* () {
    try {
      yield "card 1234"
      await Promise.resolve()
      yield "card 5678"
    } finally {
      closed = true
    }
  })
  const run = start(card, postprocess)
  const chunks = await chunksOf(run)
  expect(JSON.stringify([chunks, await run.result])).not.toMatch(/1234|5678/)
  expect((await run.result).state).toBe("error")
  await settled()
  expect(closed).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test("the last words of a failure are shown as it has them, and no more chunks than a result can hold", async () => {
  const broken = plain(function* () {
    for (let i = 0; i < 20; i++) yield "0123456789"
    throw new Error("card 1234 refused")
  })
  const run = start(broken, masked, {}, { outputLimit: 100 })
  const chunks = await chunksOf(run)
  expect(JSON.stringify(chunks)).not.toContain("1234 refused")
  expect(chunks.length).toBeLessThanOrEqual(11)
})

test("sees failures and what was interrupted, too", async () => {
  const broken = plain(() => {
    throw new Error("card 1234 refused")
  })
  const result = await start(broken, masked).result
  expect(result.state).toBe("error")
  expect(textOf(result)).toContain("card **** refused")
  const run = start(
    plain(async function* () {
      yield "card 1234"
      await new Promise(() => {})
    }),
    masked,
  )
  await settled()
  run.cancel()
  expect(await run.result).toMatchObject({ state: "interrupted" })
  expect(textOf(await run.result)).toMatch(/^card \*\*\*\*/)
})

test("does not see what the tool did not answer: refusals and suspensions", async () => {
  const postprocess = vi.fn<Postprocess>()
  const kit = new Toolkit()
  kit.register(
    plain((_input: unknown, ctx: ToolContext) => ctx.suspend("later"), {
      input: { type: "object", required: ["a"] },
    }) as never,
    { postprocess },
  )
  expect((await kit.execute(use("t")).result).state).toBe("error")
  expect((await kit.execute(use("t", { a: 1 })).result).state).toBe("suspended")
  expect(postprocess).not.toHaveBeenCalled()
})

test("sees the whole output; the limit holds for what it makes of it", async () => {
  let seen = 0
  const long = plain(async function* () {
    yield "x".repeat(300)
    yield "y".repeat(300)
  })
  const summary: Postprocess = (result) => {
    seen = textOf(result).length
    return { ...result, output: [{ type: "text", text: "600 characters" }] }
  }
  expect(textOf(await start(long, summary, {}, { outputLimit: 100 }).result)).toBe("600 characters")
  expect(seen).toBe(600)
  const kept = await start(
    plain(() => ({ a: "x".repeat(300) })),
    () => undefined,
    {},
    { outputLimit: 100 },
  ).result
  expect(textOf(kept)).toContain("[The output was cut here")
  expect(kept).not.toHaveProperty("structured")
})

test("what it throws becomes an error result, without the output it was to change", async () => {
  for (const postprocess of [
    () => {
      throw new Error("no mask")
    },
    () => Promise.reject(new Error("no mask")),
    () => 7 as never,
  ]) {
    const result = await start(
      plain(() => "card 1234"),
      postprocess,
    ).result
    expect(result.state).toBe("error")
    expect(textOf(result)).not.toContain("1234")
  }
})

test("cannot change the call to which the result belongs", async () => {
  const renamed: Postprocess = (result) => ({ ...result, id: "other", name: "other" })
  expect(
    await start(
      plain(() => "x"),
      renamed,
    ).result,
  ).toMatchObject({ id: "call_1", name: "t" })
})

test("when it hangs, the time limit and an interruption still end the call, without the output", async () => {
  const hangs = () => new Promise<ToolResultBlock>(() => {})
  const late = start(
    plain(() => "card 1234", { timeoutMs: 100 }),
    hangs,
  )
  await vi.advanceTimersByTimeAsync(100)
  expect(await late.result).toMatchObject({ state: "error", metadata: { error: { code: "timeout" } } })
  expect(textOf(await late.result)).not.toContain("1234")
  const controller = new AbortController()
  const cut = start(
    plain(async () => "card 1234"),
    hangs,
    controller,
  )
  await settled()
  controller.abort()
  expect((await cut.result).state).toBe("interrupted")
  expect(textOf(await cut.result)).not.toContain("1234")
  expect(vi.getTimerCount()).toBe(0)
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(0)
})

test("when it hangs on what was timed out or interrupted, it has the time limit again", async () => {
  const hangs = () => new Promise<ToolResultBlock>(() => {})
  const waits = plain(() => new Promise(() => {}), { timeoutMs: 100 })
  const controller = new AbortController()
  const runs = [start(waits, hangs), start(waits, hangs, controller)]
  controller.abort()
  const ends = runs.map(() => false)
  for (const [i, run] of runs.entries()) void run.result.then(() => (ends[i] = true))
  await vi.advanceTimersByTimeAsync(99)
  expect(ends).toEqual([false, false])
  await vi.advanceTimersByTimeAsync(101)
  expect(ends).toEqual([true, true])
  expect(vi.getTimerCount()).toBe(0)
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(0)
})
