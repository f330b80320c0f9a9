import { getEventListeners } from "node:events"
import { AgentScopeError, replaceAmbient, textOf } from "@agentscope-ts/message"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { z } from "zod"
import { answer, chunksOf, chunkText, plain, resultOf, settled, use } from "../fixtures/calls.ts"
import { type AnyTool, type ToolContext, Toolkit, type ToolkitOptions, tool, toolResponse } from "../index.ts"

const start = (tool: AnyTool, options: { signal?: AbortSignal; onLate?: () => void } = {}, kit: ToolkitOptions = {}) =>
  new Toolkit({ ...kit, tools: [tool] }).execute(use(tool.name), options)

type Context = ToolContext
const noInput = {} as const

describe("one stream, whatever the tool returns", () => {
  test.each<[string, () => unknown, string[]]>([
    ["a value", () => "a", ["output a"]],
    ["an object", () => ({ a: 1 }), ['output {"a":1}']],
    ["a promise", async () => "a", ["output a"]],
    ["nothing", () => undefined, ["output Done."]],
    [
      "a generator",
      function* () {
        yield "a"
        yield "b"
      },
      ["output a", "output b"],
    ],
    [
      "an async generator",
      async function* () {
        yield "a"
        yield "b"
      },
      ["output a", "output b"],
    ],
    [
      "a promise of a generator",
      async () =>
        (function* () {
          yield "a"
        })(),
      ["output a"],
    ],
    ["a generator that yields nothing", function* () {}, ["output "]],
    [
      "a generator that yields nothing but returns",
      function* () {
        yield* []
        return "r"
      },
      ["output r"],
    ],
    [
      "blocks",
      () =>
        toolResponse([
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ]),
      ["output a", "output b"],
    ],
    [
      "an error",
      () => {
        throw new Error("broken")
      },
      ['output Error in the tool "t": broken'],
    ],
    ["a rejection", () => Promise.reject(new Error("broken")), ['output Error in the tool "t": broken']],
    [
      "a generator that throws",
      function* () {
        yield "a"
        throw new Error("broken")
      },
      ["output a", 'output Error in the tool "t": broken'],
    ],
    [
      "an async generator that throws",
      async function* () {
        yield "a"
        throw new Error("broken")
      },
      ["output a", 'output Error in the tool "t": broken'],
    ],
  ])("%s", async (_, execute, chunks) => {
    const run = start(plain(execute))
    expect(await chunksOf(run)).toEqual(chunks)
    // a run that is over can be read again
    const again = await chunksOf(run)
    expect(again.join("").replaceAll("output ", "")).toBe(chunks.join("").replaceAll("output ", ""))
  })

  test("progress and output come in their order, and those before the first listener are not lost", async () => {
    const work = plain(async function* (_input: unknown, ctx: Context) {
      for (let i = 0; i < 2; i++) {
        ctx.emit({ done: i })
        yield `row ${i}\n`
      }
    })
    const expected = ['progress {"done":0}', "output row 0\n", 'progress {"done":1}', "output row 1\n"]
    expect(await chunksOf(start(work))).toEqual(expected)
    const heard: string[] = []
    const run = start(work)
    run.listen((chunk) => heard.push(chunkText(chunk)))
    expect(textOf(await run.result)).toBe("row 0\nrow 1\n")
    expect(heard).toEqual(expected)
  })

  test("a listener hears what a synchronous tool emitted, and not the output again that comes with the result", async () => {
    const run = start(
      plain((_input: unknown, ctx: Context) => {
        ctx.emit(1)
        return "done"
      }),
    )
    const heard: string[] = []
    run.listen((chunk) => heard.push(chunkText(chunk)))
    await run.result
    expect(heard).toEqual(["progress 1"])
  })

  test("several may listen and iterate; what came before anybody listened goes to the first", async () => {
    const run = start(
      plain(async function* (_input: unknown, ctx: Context) {
        ctx.emit("early")
        yield "a"
        yield "b"
      }),
    )
    const heard: string[][] = [[], []]
    for (const list of heard) run.listen((chunk) => list.push(chunkText(chunk)))
    const outputs = ["output a", "output b"]
    expect(await chunksOf(run)).toEqual(outputs)
    expect(heard).toEqual([['progress "early"', ...outputs], outputs])
  })

  test("progress is what it was when it was reported, and plain JSON", async () => {
    const run = start(
      plain((_input: unknown, ctx: Context) => {
        const progress = { done: 0 }
        for (; progress.done < 2; progress.done++) ctx.emit(progress)
        for (const odd of [1n, Number.NaN, undefined, new Map([["a", 1]])]) ctx.emit(odd as never)
        return "x"
      }),
    )
    const heard: unknown[] = []
    run.listen((chunk) => heard.push(chunk.data))
    await run.result
    expect(heard).toEqual([{ done: 0 }, { done: 1 }, "1", "NaN", "undefined", { a: 1 }])
  })

  test("what nobody hears is not kept without end", async () => {
    const run = start(
      plain((_input: unknown, ctx: Context) => {
        for (let i = 0; i < 5000; i++) ctx.emit(i)
        return "x"
      }),
    )
    let count = 0
    run.listen(() => count++)
    await run.result
    expect(count).toBe(1024)
  })

  test("a consumer that lags loses progress beyond 4,096 chunks, and no output", async () => {
    const run = start(
      plain(async function* (_input: unknown, ctx: Context) {
        await Promise.resolve()
        for (let i = 0; i < 9000; i++) ctx.emit(i)
        yield "end"
      }),
    )
    const iterator = run[Symbol.asyncIterator]()
    await run.result
    const chunks = await chunksOf({ [Symbol.asyncIterator]: () => iterator })
    expect(chunks).toHaveLength(4097)
    expect(chunks.at(-1)).toBe("output end")
  })

  test("leaving the iteration early cancels the call", async () => {
    let signal: AbortSignal | undefined
    const run = start(
      plain(async function* (_input: unknown, ctx: Context) {
        signal = ctx.signal
        yield "a"
        await new Promise(() => {})
      }),
    )
    for await (const _chunk of run) break
    expect(await run.result).toMatchObject({ state: "interrupted", output: [{ text: "a" }, { type: "text" }] })
    expect(signal?.aborted).toBe(true)
  })

  test("a listener that throws is no failure of the tool", async () => {
    const uncaught: unknown[] = []
    const before = process.listeners("uncaughtException")
    process.removeAllListeners("uncaughtException")
    process.on("uncaughtException", (error) => uncaught.push(error))
    try {
      const run = start(
        plain(async (_input: unknown, ctx: Context) => {
          await Promise.resolve()
          ctx.emit(1)
          return "fine"
        }),
      )
      run.listen(() => {
        throw new RangeError("mine")
      })
      expect(textOf(await run.result)).toBe("fine")
      await new Promise((resolve) => setTimeout(resolve))
      expect(uncaught).toEqual([new RangeError("mine")])
    } finally {
      process.removeAllListeners("uncaughtException")
      for (const listener of before) process.on("uncaughtException", listener)
    }
  })
})

describe("what a generator yields", () => {
  test.each<[string, () => unknown, string, unknown]>([
    [
      "texts are joined",
      function* () {
        yield "a"
        yield "b"
      },
      "ab",
      undefined,
    ],
    [
      "a returned value takes their place",
      function* () {
        yield "a"
        return { n: 1 }
      },
      '{"n":1}',
      { n: 1 },
    ],
    [
      "null is a returned value",
      function* () {
        yield "a"
        return null
      },
      "null",
      null,
    ],
    [
      "objects stand on lines of their own, the last is the value",
      function* () {
        yield { n: 1 }
        yield { n: 2 }
        yield "end"
      },
      '{"n":1}\n{"n":2}\nend',
      { n: 2 },
    ],
    [
      "undefined is nothing",
      function* () {
        yield undefined
        yield "a"
      },
      "a",
      undefined,
    ],
    [
      "responses are joined, the last says the rest",
      function* () {
        yield toolResponse("a")
        yield toolResponse("b", { structured: 1, state: "error" })
      },
      "ab",
      1,
    ],
    [
      "promises are awaited",
      function* () {
        yield Promise.resolve("a")
        yield "b"
      },
      "ab",
      undefined,
    ],
  ])("%s", async (_, execute, text, structured) => {
    const result = await answer(execute())
    expect(textOf(result)).toBe(text)
    expect(result.structured).toEqual(structured)
  })

  test("media stand between the texts", async () => {
    const image = { type: "image", source: { type: "url", url: "/a.png" } } as const
    const result = await answer(
      (function* () {
        yield "a"
        yield "b"
        yield image
        yield "c"
      })(),
    )
    expect(result.output).toEqual([{ type: "text", text: "ab" }, image, { type: "text", text: "c" }])
  })

  test("an endless synchronous generator can be interrupted, times out, and its output stays bounded", async () => {
    let yields = 0
    const endless = plain(
      function* () {
        for (;;) {
          yields++
          yield "0123456789"
        }
      },
      { timeoutMs: 40 },
    )
    const run = start(endless, {}, { outputLimit: 1000 })
    const result = await run.result
    expect(result).toMatchObject({
      state: "error",
      metadata: { error: { code: "timeout" }, truncated: { shown: 1000 } },
    })
    expect(textOf(result).length).toBeLessThan(1400)
    const then = yields
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(yields - then).toBeLessThan(20)
    const other = start(endless)
    other.cancel()
    expect((await other.result).state).toBe("interrupted")
  })

  test("a generator is closed when the call ends before it", async () => {
    const closed: string[] = []
    const sync = plain(function* () {
      try {
        for (;;) yield "a"
      } finally {
        closed.push("sync")
      }
    })
    const later = plain(async function* () {
      try {
        for (;;) yield await Promise.resolve("a")
      } finally {
        closed.push("async")
      }
    })
    for (const run of [start(sync), start(later)]) run.cancel()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(closed.toSorted()).toEqual(["async", "sync"])
  })
})

describe("whatever is thrown is an error result, never a crash", () => {
  test.each<[string, unknown, string]>([
    ["an error", new Error("broken"), "broken"],
    ["a string", "no luck", "no luck"],
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    [
      "a cyclic object",
      (() => {
        const o: { o?: unknown } = {}
        o.o = o
        return o
      })(),
      '{"o":"[Circular]"}',
    ],
  ])("%s", async (_, thrown, text) => {
    for (const execute of [
      () => {
        throw thrown
      },
      () => Promise.reject(thrown),
      function* () {
        yield* []
        throw thrown
      },
    ]) {
      const result = await resultOf(plain(execute))
      expect(result.state).toBe("error")
      expect(textOf(result)).toBe(`Error in the tool "t": ${text}`)
    }
  })

  test("the code of an AgentScopeError is told to programs", async () => {
    const error = new AgentScopeError({ code: "rate_limited", message: "Too many.", retryable: true })
    expect(
      (
        await resultOf(
          plain(() => {
            throw error
          }),
        )
      ).metadata,
    ).toEqual({
      error: { code: "rate_limited", message: "Too many.", retryable: true },
    })
  })

  test("what was yielded before stays", async () => {
    const result = await resultOf(
      plain(async function* () {
        yield "half"
        throw new Error("broken")
      }),
    )
    expect(result.output).toEqual([
      { type: "text", text: "half" },
      { type: "text", text: 'Error in the tool "t": broken' },
    ])
  })

  test("the tool's signal aborts, so that what it started ends too", async () => {
    let signal: AbortSignal | undefined
    const fault = new Error("broken")
    await resultOf(
      plain((_input: unknown, ctx: Context) => {
        signal = ctx.signal
        throw fault
      }),
    )
    expect(signal?.reason).toBe(fault)
  })
})

describe("FR-33 a time limit", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test("aborts the signal, gives an error result, and drops what comes later", async () => {
    let wrote = false
    let signal: AbortSignal | undefined
    const slow = plain(
      async (_input: unknown, ctx: Context) => {
        signal = ctx.signal
        await new Promise((resolve) => setTimeout(resolve, 500))
        wrote = true
        ctx.emit("late")
        return "late"
      },
      { timeoutMs: 100 },
    )
    const run = start(slow)
    const heard: unknown[] = []
    run.listen((chunk) => heard.push(chunk))
    await vi.advanceTimersByTimeAsync(99)
    expect(signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    const result = await run.result
    expect(signal?.aborted).toBe(true)
    expect(AgentScopeError.is(signal?.reason, "timeout")).toBe(true)
    expect(result.state).toBe("error")
    expect(textOf(result)).toContain("within 100 ms")
    expect(result.metadata).toMatchObject({ indeterminate: true, error: { code: "timeout", retryable: true } })
    await vi.advanceTimersByTimeAsync(1000)
    expect(wrote).toBe(true)
    expect(await run.result).toBe(result)
    expect(heard).toEqual([])
  })

  test.each([
    ["returned", () => new Promise((resolve) => setTimeout(() => resolve("late"), 500))],
    ["threw", () => new Promise((_resolve, reject) => setTimeout(() => reject(new Error("late")), 500))],
    [
      "returned",
      async function* () {
        yield "half"
        await new Promise((resolve) => setTimeout(resolve, 500))
        yield "late"
      },
    ],
  ] as const)("tells when what it gave up ends after all: %s", async (outcome, execute) => {
    const onLate = vi.fn()
    const run = start(plain(execute, { timeoutMs: 100 }), { onLate })
    await vi.advanceTimersByTimeAsync(100)
    expect((await run.result).metadata).toMatchObject({ indeterminate: true })
    expect(onLate).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(400)
    expect(onLate.mock.calls).toEqual([[outcome]])
  })

  test("drops a late failure too, which is no unhandled rejection", async () => {
    const slow = plain(() => new Promise((_resolve, reject) => setTimeout(() => reject(new Error("late")), 500)), {
      timeoutMs: 100,
    })
    const run = start(slow)
    await vi.advanceTimersByTimeAsync(1000)
    expect(textOf(await run.result)).toContain("within 100 ms")
  })

  test("says nothing of effects where there are none", async () => {
    const run = start(plain(() => new Promise(() => {}), { timeoutMs: 100, effects: "none" }))
    await vi.advanceTimersByTimeAsync(100)
    const result = await run.result
    expect(result.metadata).not.toHaveProperty("indeterminate")
    expect(textOf(result)).not.toContain("effect")
  })

  test.each([
    ["once", /find out before you call it again/],
    ["idempotent", /to call it again does no harm/],
  ])("tells the model what effects %s mean for calling again", async (effects, words) => {
    const run = start(plain(() => new Promise(() => {}), { timeoutMs: 100, effects }))
    await vi.advanceTimersByTimeAsync(100)
    expect(textOf(await run.result)).toMatch(words)
  })

  test("is the toolkit's where the tool says nothing, 300 seconds in the end", async () => {
    const hangs = plain(() => new Promise(() => {}))
    const runs = [start(hangs, {}, { timeoutMs: 50 }), start(hangs)]
    const ends = runs.map(() => false)
    for (const [i, run] of runs.entries()) void run.result.then(() => (ends[i] = true))
    await vi.advanceTimersByTimeAsync(50)
    expect(ends).toEqual([true, false])
    await vi.advanceTimersByTimeAsync(299_949)
    expect(ends).toEqual([true, false])
    await vi.advanceTimersByTimeAsync(1)
    expect(ends).toEqual([true, true])
  })

  test("may be none", async () => {
    const run = start(
      plain(() => new Promise((resolve) => setTimeout(() => resolve("x"), 2 ** 30))),
      {},
      { timeoutMs: Number.POSITIVE_INFINITY },
    )
    await vi.advanceTimersByTimeAsync(2 ** 30)
    expect(textOf(await run.result)).toBe("x")
  })

  test("keeps what was yielded", async () => {
    const run = start(
      plain(
        async function* () {
          yield "half"
          await new Promise(() => {})
        },
        { timeoutMs: 100 },
      ),
    )
    await vi.advanceTimersByTimeAsync(100)
    expect((await run.result).output[0]).toEqual({ type: "text", text: "half" })
  })

  test("leaves no timer, and a tool that answers at once starts none", async () => {
    const set = vi.spyOn(globalThis, "setTimeout")
    await resultOf(plain(() => "now"))
    await resultOf(
      plain(function* () {
        yield "now"
      }),
    )
    expect(set).not.toHaveBeenCalled()
    await resultOf(plain(async () => "soon"))
    await resultOf(
      plain(async () => {
        throw new Error("x")
      }),
    )
    const run = start(plain(() => new Promise(() => {})))
    run.cancel()
    await run.result
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe("an interruption", () => {
  test("by the signal keeps what was yielded, and says so to the model", async () => {
    const controller = new AbortController()
    const run = start(
      plain(async function* () {
        yield "row 1\n"
        yield "row 2\n"
        await new Promise(() => {})
      }),
      controller,
    )
    const chunks = chunksOf(run)
    await settled()
    controller.abort(new Error("enough"))
    const result = await run.result
    expect(result.state).toBe("interrupted")
    expect(result.output).toEqual([
      { type: "text", text: "row 1\nrow 2\n" },
      {
        type: "text",
        text: expect.stringMatching(/^<system-info>The tool call was interrupted before it finished\. Whether/),
      },
    ])
    expect(result.metadata).toEqual({ indeterminate: true })
    // the notification is part of the stream
    expect((await chunks).at(-1)).toContain("interrupted")
  })

  test("hands its reason to the tool's signal, whenever that is read", async () => {
    const controller = new AbortController()
    const contexts: Context[] = []
    const hangs = plain((_input: unknown, ctx: Context) => {
      contexts.push(ctx)
      return new Promise(() => {})
    })
    const run = start(hangs, controller)
    const reason = new Error("enough")
    controller.abort(reason)
    await run.result
    expect(contexts[0]?.signal.reason).toBe(reason)
  })

  test("before the call began keeps the tool from running", async () => {
    const execute = vi.fn(() => "x")
    const result = await resultOf(plain(execute), {}, { signal: AbortSignal.abort() })
    expect(result).toMatchObject({ state: "interrupted" })
    expect(result.metadata).not.toHaveProperty("indeterminate")
    expect(textOf(result)).toContain("before it began")
    expect(execute).not.toHaveBeenCalled()
  })

  test("that the tool itself causes while it answers counts", async () => {
    const controller = new AbortController()
    const run = start(
      plain(() => {
        controller.abort()
        return new Promise(() => {})
      }),
      controller,
    )
    expect((await run.result).state).toBe("interrupted")
  })

  test("by cancel() is the same; after the end nothing changes", async () => {
    const run = start(
      plain(
        async (_input: unknown, ctx: Context) =>
          new Promise((_resolve, reject) =>
            ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error)),
          ),
      ),
    )
    run.cancel()
    const result = await run.result
    expect(result.state).toBe("interrupted")
    run.cancel()
    expect(await run.result).toBe(result)
    const done = start(plain(() => "done"))
    done.cancel()
    expect((await done.result).state).toBe("success")
  })
})

test("FR-11 many calls on one signal, at once and one after another, leave no listener and no warning", async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on("warning", onWarning)
  const controller = new AbortController()
  const { signal } = controller
  const count = () => getEventListeners(signal, "abort").length
  let finish: (() => void)[] = []
  const waits = plain((_input: unknown, ctx: Context) => {
    void ctx.signal
    return new Promise((resolve) => finish.push(() => resolve("x")))
  })
  const kit = new Toolkit({ tools: [waits] })
  const together = Array.from({ length: 50 }, () => kit.execute(use("t"), { signal }).result)
  expect(count()).toBe(1)
  for (const go of finish) go()
  await Promise.all(together)
  expect(count()).toBe(0)
  for (let i = 0; i < 50; i++) {
    finish = []
    const { result } = kit.execute(use("t"), { signal })
    finish[0]?.()
    await result
    expect(count()).toBe(0)
  }
  const cut = Array.from({ length: 50 }, () => kit.execute(use("t"), { signal }).result)
  controller.abort()
  expect(new Set((await Promise.all(cut)).map(({ state }) => state))).toEqual(new Set(["interrupted"]))
  expect(count()).toBe(0)
  await new Promise((resolve) => setTimeout(resolve))
  process.off("warning", onWarning)
  expect(warnings).toEqual([])
})

test("a run settles once: nothing after the end is heard", async () => {
  let late: (() => void) | undefined
  const run = start(
    plain((_input: unknown, ctx: Context) => {
      late = () => ctx.emit("late")
      return "done"
    }),
  )
  const heard: unknown[] = []
  run.listen((chunk) => heard.push(chunk))
  const result = await run.result
  late?.()
  await settled()
  expect(heard).toEqual([])
  expect(await run.result).toBe(result)
})

test("a context may be taken apart", async () => {
  const key = { key: "k", of: (value: unknown) => ({ key: "k", value }) }
  const result = await resultOf(
    plain((_input: unknown, { emit, get, suspend, signal, toolUseId, agent }: Context) => {
      emit(1)
      if (signal.aborted) suspend()
      return `${toolUseId} ${String(get(key))} ${agent?.name}`
    }),
    {},
    { context: [key.of("v")], agent: { id: "a1", name: "Friday" } },
  )
  expect(textOf(result)).toBe("call_1 v Friday")
})

describe("a suspension", () => {
  test("carries the call, the reason and a digest as plain JSON", async () => {
    const result = await resultOf(
      plain((_input: unknown, ctx: Context) => ctx.suspend("archived"), { input: z.looseObject({}) }),
      { id: "x" },
    )
    expect(result).toEqual({
      type: "tool_result",
      id: "call_1",
      name: "t",
      output: [{ type: "text", text: "archived" }],
      state: "suspended",
      metadata: {
        pending: {
          toolUse: use("t", { id: "x" }),
          kind: "external",
          reason: "archived",
          digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      },
    })
    expect(JSON.parse(JSON.stringify(result))).toEqual(result)
  })

  test("works from promises and generators, and without a reason", async () => {
    for (const execute of [
      async (_input: unknown, ctx: Context) => ctx.suspend(),
      async function* (_input: unknown, ctx: Context) {
        yield "a"
        ctx.suspend()
      },
    ]) {
      const result = await resultOf(plain(execute))
      expect(result.state).toBe("suspended")
      expect(textOf(result)).toBe("[Awaiting external execution]")
    }
  })
})

describe("a retry", () => {
  const flaky = (failures: number, options: object, error: unknown = new Error("flaky")) => {
    let calls = 0
    const tool = plain(() => {
      calls++
      if (calls <= failures) throw error
      return `after ${calls}`
    }, options)
    return { tool, calls: () => calls }
  }
  const delays: number[] = []
  let restore = () => {}
  beforeEach(() => {
    delays.length = 0
    restore = replaceAmbient({ sleep: async (ms) => void delays.push(ms) })
  })
  afterEach(() => restore())

  test("repeats what may be repeated, with growing pauses", async () => {
    const { tool, calls } = flaky(3, { effects: "idempotent" })
    const result = await resultOf(tool, noInput, {}, { retry: { maxRetries: 3 } })
    expect(textOf(result)).toBe("after 4")
    expect(calls()).toBe(4)
    for (const [i, least] of [500, 1000, 2000].entries()) {
      expect(delays[i]).toBeGreaterThanOrEqual(least)
      expect(delays[i]).toBeLessThanOrEqual(least * 2)
    }
  })

  test("is as often as the tool says, before the toolkit; a tool whose calls change things cannot say so", async () => {
    const never = flaky(1, { effects: "none", maxRetries: 0 })
    expect((await resultOf(never.tool, noInput, {}, { retry: { maxRetries: 3 } })).state).toBe("error")
    const twice = flaky(2, { effects: "idempotent", maxRetries: 2 })
    expect((await resultOf(twice.tool)).state).toBe("success")
    expect(() => flaky(1, { maxRetries: 1 })).toThrow(/say effects "none" or "idempotent"/)
    expect(() => flaky(1, { maxRetries: -1 })).toThrow(/a whole number/)
  })

  test("gives up in the end, with the tool's own error", async () => {
    const { tool, calls } = flaky(9, { effects: "none" })
    expect(textOf(await resultOf(tool, noInput, {}, { retry: { maxRetries: 2 } }))).toContain("flaky")
    expect(calls()).toBe(3)
  })

  test("never repeats a tool with effects, an error that says no, or what was shown in part", async () => {
    const kit = { retry: { maxRetries: 2 } }
    const once = flaky(1, {})
    expect((await resultOf(once.tool, noInput, {}, kit)).state).toBe("error")
    const final = flaky(1, { effects: "none" }, new AgentScopeError({ code: "not_found", message: "gone" }))
    expect((await resultOf(final.tool, noInput, {}, kit)).state).toBe("error")
    const again = flaky(
      1,
      { effects: "none" },
      new AgentScopeError({ code: "network", message: "cut", retryable: true }),
    )
    expect((await resultOf(again.tool, noInput, {}, kit)).state).toBe("success")
    let runs = 0
    const partly = plain(
      function* () {
        runs++
        yield "half"
        throw new Error("x")
      },
      { effects: "none" },
    )
    expect((await resultOf(partly, noInput, {}, kit)).state).toBe("error")
    expect([once.calls(), final.calls(), again.calls(), runs]).toEqual([1, 1, 2, 1])
  })

  test("ends with the call", async () => {
    restore()
    vi.useFakeTimers()
    const { tool, calls } = flaky(9, { effects: "none" })
    const run = start(tool, {}, { retry: { maxRetries: 5 } })
    run.cancel()
    expect((await run.result).state).toBe("interrupted")
    await vi.runAllTimersAsync()
    expect(calls()).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  test("tells onStart once, before the tool runs; a call that does not run never starts", async () => {
    const told: string[] = []
    const onStart = () => void told.push("start")
    const tool = plain(
      () => {
        told.push("run")
        if (told.length < 3) throw new Error("flaky")
      },
      { effects: "none" },
    )
    const kit = new Toolkit({ tools: [tool], retry: { maxRetries: 1 } })
    const call = use(tool.name)
    expect((await kit.execute(call, { onStart }).result).state).toBe("success")
    expect(told).toEqual(["start", "run", "run"])
    const terms = [{ signal: AbortSignal.abort() }, { approval: { deny: [tool] } }, { approval: { ask: [tool] } }]
    for (const options of terms) await kit.execute(call, { ...options, onStart }).result
    await kit.execute(use("none"), { onStart }).result
    await kit.execute({ ...call, rawInput: "{" }, { onStart }).result
    expect(told).toHaveLength(3)
  })
})

describe("a generator that never waits", () => {
  test.each<[string, () => unknown]>([
    [
      "asynchronous",
      async function* () {
        for (;;) yield "x"
      },
    ],
    [
      "with promises that are settled",
      function* () {
        for (;;) yield Promise.resolve("x")
      },
    ],
  ])("%s, is ended by its time limit, and by its signal", async (_, execute) => {
    const late = await start(plain(execute), {}, { timeoutMs: 20 }).result
    expect(late.metadata).toMatchObject({ error: { code: "timeout" } })
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 20)
    expect((await start(plain(execute), { signal: stop.signal }).result).state).toBe("interrupted")
  })
})

describe("what a tool writes into its input", () => {
  const writing = (input: AnyTool["schema"]["parameters"] | z.ZodType) =>
    tool({
      name: "t",
      description: "A test",
      input: input as z.ZodType<{ list: number[] }>,
      execute: (given) => given.list.push(given.list.length),
    })
  test.each([
    ["JSON Schema", { type: "object", properties: { list: { type: "array" } } } as const],
    ["zod", z.looseObject({ list: z.any() })],
  ])("is not in the history, nor in the presets of the next call (%s)", async (_, input) => {
    const call = use("t", { list: [1], deep: { __proto__: null, a: 1 } })
    const kit = new Toolkit({ tools: [writing(input)] })
    expect(textOf(await kit.execute(call).result)).toBe("2")
    expect(call.input).toEqual({ list: [1], deep: { a: 1 } })
    const preset = new Toolkit()
    const list = [1]
    preset.register(writing(input), { presetArgs: { list } })
    list.push(2)
    for (let i = 0; i < 2; i++) expect(textOf(await preset.execute(use("t")).result)).toBe("2")
  })
})
