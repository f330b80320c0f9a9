import { textOf } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { answer, answerText, plain, resultOf } from "../fixtures/calls.ts"
import { runInNewContext } from "node:vm"
import { tool, toolResponse } from "../index.ts"

const image = { type: "image", source: { type: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } } as const

describe("what a tool returns", () => {
  test("as text is shown as it is, and not kept twice", async () => {
    expect(await answer("sunny ☀️\n")).toEqual({
      type: "tool_result",
      id: "call_1",
      name: "t",
      output: [{ type: "text", text: "sunny ☀️\n" }],
      state: "success",
    })
  })

  test.each([new Blob(["x"]), new File(["x"], "x"), new ReadableStream(), new Request("http://x")])(
    "that has to be read first is an error: %s",
    async (value) => {
      const result = await answer(value)
      expect(result.state).toBe("error")
      expect(textOf(result)).toContain(`returned a ${value.constructor.name}, not what is in it`)
    },
  )

  test("as a Response of fetch is an error that says what to return", async () => {
    const result = await answer(new Response("body"))
    expect(result.state).toBe("error")
    expect(textOf(result)).toMatch(/returned a Response.*return await res\.text\(\) or await res\.json\(\)/)
  })

  test.each<[string, unknown, string, unknown]>([
    ["an object", { city: "Rome", t: 21 }, '{"city":"Rome","t":21}', { city: "Rome", t: 21 }],
    ["an array", [1, 2], "[1,2]", [1, 2]],
    ["an empty array", [], "[]", []],
    ["a number", 42, "42", 42],
    ["false", false, "false", false],
    ["null", null, "null", null],
    ["a date", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}', { at: "1970-01-01T00:00:00.000Z" }],
    ["undefined", undefined, "Done.", undefined],
    ["a bigint", 7n, "7", undefined],
    ["not a number", Number.NaN, "NaN", undefined],
    ["a symbol", Symbol("x"), "Symbol(x)", undefined],
    ["a function", function hello() {}, "[function hello]", undefined],
  ])("as %s is shown as clear text, and kept for programs as JSON", async (_, value, text, structured) => {
    const result = await answer(value)
    expect(result.state).toBe("success")
    expect(textOf(result)).toBe(text)
    expect(result.structured).toEqual(structured)
    expect(JSON.parse(JSON.stringify(result))).toEqual(JSON.parse(JSON.stringify({ ...result })))
  })

  test("is copied: what the tool does with it later does not change the history", async () => {
    const rows = [{ n: 1 }]
    const result = await answer(rows)
    rows[0] = { n: 2 }
    expect(result.structured).toEqual([{ n: 1 }])
  })

  test("as blocks is shown as blocks, a picture as a picture", async () => {
    const text = { type: "text", text: "a chart" } as const
    expect((await answer([text, image])).output).toEqual([text, image])
    expect((await answer(image)).output).toEqual([image])
    expect((await answer([text, image])).structured).toBeUndefined()
    expect((await answer(toolResponse([image, text]))).output).toEqual([image, text])
  })

  test("as something that only looks like a block is data", async () => {
    expect(await answerText([{ type: "image", source: "x.png" }])).toContain('"x.png"')
    expect(await answerText({ type: "text" })).toBe('{"type":"text"}')
  })

  test("as a response says everything itself", async () => {
    const result = await answer(
      toolResponse("no such row", { structured: { rows: 0 }, state: "error", metadata: { sql: "x" } }),
    )
    expect(result).toMatchObject({ state: "error", structured: { rows: 0 }, metadata: { sql: "x" } })
    expect(textOf(result)).toBe("no such row")
  })

  test("as a response has metadata of its own, plain JSON", async () => {
    const metadata = { at: new Date(0), list: [1] }
    const result = await answer(toolResponse("x", { metadata: metadata as never }))
    metadata.list.push(2)
    expect(result.metadata).toEqual({ at: "1970-01-01T00:00:00.000Z", list: [1] })
  })

  test("as a result block is taken over under the call's own id", async () => {
    const inner = {
      type: "tool_result",
      id: "other",
      name: "other",
      output: [image],
      state: "error",
      structured: 1,
    } as const
    expect(await answer(inner)).toMatchObject({
      id: "call_1",
      name: "t",
      output: [image],
      state: "error",
      structured: 1,
    })
  })

  test("as a response that suspends suspends", async () => {
    const result = await answer(toolResponse("by night", { state: "suspended" }))
    expect(result).toMatchObject({
      state: "suspended",
      metadata: { pending: { kind: "external", reason: "by night" } },
    })
  })

  test("by promise, also of a generator, is the same", async () => {
    expect((await answer(Promise.resolve({ a: 1 }))).structured).toEqual({ a: 1 })
    const late = await answer(
      Promise.resolve(
        (async function* () {
          yield "a"
          yield "b"
        })(),
      ),
    )
    expect(textOf(late)).toBe("ab")
  })

  test("by an object with a then is awaited, also when that throws", async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- what tools may return
    const thenable = (then: (ok: (value: string) => void) => void) => ({ then })
    expect(textOf(await answer(thenable((ok) => ok("late"))))).toBe("late")
    const odd = thenable(() => {
      throw new Error("odd")
    })
    expect((await answer(odd)).state).toBe("error")
  })
})

describe("FR-26 output is bounded", () => {
  test("and cut at a character, never through one", async () => {
    const result = await answer(`${"x".repeat(99)}😀${"y".repeat(50)}`, { outputLimit: 100 })
    const text = textOf(result)
    expect(text.isWellFormed()).toBe(true)
    const note = "[The output was cut here: 51 of its 151 characters are left out.]"
    expect(text).toBe(`${"x".repeat(67)}\n${note}\n${"y".repeat(33)}`)
    expect(result.metadata).toEqual({ truncated: { characters: 151, shown: 100 } })
  })

  test("with its head and its tail, however it is returned", async () => {
    const text = `first ${"x".repeat(500)} ERROR: last`
    const pieces = text.match(/[^]{1,7}/g) as string[]
    for (const value of [
      text,
      toolResponse(text),
      pieces.map((piece) => ({ type: "text", text: piece })),
      (function* () {
        yield* pieces
      })(),
      (function* () {
        yield text.slice(0, 90)
        yield text.slice(90)
      })(),
    ]) {
      const shown = textOf(await answer(value, { outputLimit: 90 })).replaceAll(/\n\n/g, "\n")
      const kept = shown.replace(/\n?\[The output was cut here: 428 of its 518 characters are left out\.\]\n?/, "")
      expect(kept.replaceAll("\n", "")).toBe(text.slice(0, 60) + text.slice(-30))
    }
  })

  test("at every length of a text of emojis, whatever returns it", async () => {
    const text = "😀é".repeat(20)
    for (let outputLimit = 1; outputLimit < 60; outputLimit++) {
      for (const value of [
        text,
        { text },
        toolResponse(text),
        (function* () {
          yield text
          yield text
        })(),
      ]) {
        const shown = textOf(await answer(value, { outputLimit }))
        expect(shown.isWellFormed()).toBe(true)
        if (outputLimit < 60) expect(shown).toContain("[The output was cut here")
      }
    }
  })

  test("a lone surrogate that a tool made becomes U+FFFD; a character cut in two by yields is whole again", async () => {
    expect(await answerText("a\ud83d")).toBe("a\ufffd")
    expect(await answerText({ a: "\ud83d" })).toBe('{"a":"\\ud83d"}')
    expect(await answerText([{ type: "text", text: "\ude00" }])).toBe("\ufffd")
    expect(
      await answerText(
        (function* () {
          yield "\ud83d"
          yield "\ude00"
        })(),
      ),
    ).toBe("😀")
  })

  test("to 100,000 characters unless said otherwise", async () => {
    expect(textOf(await answer("x".repeat(100_000)))).toHaveLength(100_000)
    const cut = await answer("x".repeat(100_001))
    expect(textOf(cut)).toContain("1 of its 100001 characters are left out")
    expect(textOf(await answer("x".repeat(100_001), { outputLimit: Number.POSITIVE_INFINITY }))).toHaveLength(100_001)
  })

  test("over all blocks together; media stay whole", async () => {
    const blocks = [
      { type: "text", text: "x".repeat(60) },
      image,
      { type: "text", text: "y".repeat(60) },
      { type: "text", text: "z" },
    ]
    const { output } = await answer(blocks, { outputLimit: 100 })
    expect(output.map((block) => (block.type === "text" ? block.text : block))).toEqual([
      "x".repeat(60),
      image,
      `${"y".repeat(7)}\n[The output was cut here: 21 of its 121 characters are left out.]\n${"y".repeat(32)}`,
      "z",
    ])
  })

  test("media beyond 32 MB in one result are left out, and the model is told", async () => {
    const data = "A".repeat(2 ** 24)
    const large = { type: "image", source: { type: "base64", mediaType: "image/png", data } } as const
    const { output } = await answer([large, large, large])
    expect(output.map(({ type }) => type)).toEqual(["image", "image", "text"])
    expect(output[2]).toMatchObject({ text: expect.stringContaining("image left out: 16777216") })
  })

  test("a value too long to show is not kept for programs either", async () => {
    const result = await answer({ rows: "x".repeat(200) }, { outputLimit: 100 })
    expect(result).not.toHaveProperty("structured")
    expect(result.metadata).toMatchObject({ structuredOmitted: true, truncated: { shown: 100 } })
    const response = await answer(toolResponse("200 rows", { structured: "x".repeat(200) }), { outputLimit: 100 })
    expect(response).not.toHaveProperty("structured")
    expect(textOf(response)).toBe("200 rows")
    expect(response.metadata).toEqual({ structuredOmitted: true })
  })

  test("an error's text too", async () => {
    const broken = plain(() => {
      throw new Error("x".repeat(500))
    })
    const result = await resultOf(broken, {}, {}, { outputLimit: 100 })
    expect(textOf(result)).toContain("[The output was cut here")
    expect(textOf(result).length).toBeLessThan(250)
  })

  test("FR-35 a cut output does not keep the long one alive", async () => {
    const { setFlagsFromString } = await import("node:v8")
    const { runInNewContext } = await import("node:vm")
    setFlagsFromString("--expose-gc")
    const gc = runInNewContext("gc") as () => void
    const kept: unknown[] = []
    gc()
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 60; i++)
      kept.push(await answer(Buffer.alloc(1_000_000, 97 + (i % 26)).toString(), { outputLimit: 1000 }))
    gc()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000)
    expect(kept).toHaveLength(60)
  })
})

describe("an output schema", () => {
  const output = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const
  const checked = (value: unknown) => resultOf(plain(() => value, { output }))

  test("lets through what fits, however it is returned", async () => {
    for (const value of [
      { n: 1 },
      Promise.resolve({ n: 1 }),
      toolResponse("one", { structured: { n: 1 } }),
      (function* () {
        yield { n: 1 }
      })(),
    ]) {
      expect(await checked(value)).toMatchObject({ state: "success", structured: { n: 1 } })
    }
  })

  test("makes an error result of what does not", async () => {
    const result = await checked({ n: "x" })
    expect(result).toMatchObject({ state: "error", metadata: { error: { code: "invalid_output" } } })
    expect(textOf(result)).toMatch(/"t".*n: /)
    expect((await checked("text")).state).toBe("error")
  })

  test("says nothing of a response that is an error anyway", async () => {
    expect(textOf(await checked(toolResponse("no rows", { state: "error" })))).toBe("no rows")
  })
})

describe("an error that a tool returns", () => {
  const returned = [
    new Error("disk full"),
    new TypeError("disk full"),
    runInNewContext("new Error('disk full')") as Error,
  ]
  const ways: [string, (error: Error) => unknown][] = [
    ["returned", (error) => error],
    ["promised", async (error) => error],
    [
      "returned by a generator",
      function* (error) {
        yield "so far"
        return error
      },
    ],
  ]
  test.each(ways)("is a failure as if it were thrown: %s", async (_, execute) => {
    for (const error of returned) {
      const failing = tool({ name: "t", description: "Fails", input: {}, execute: () => execute(error) })
      const result = await resultOf(failing)
      expect(result).toMatchObject({ state: "error", metadata: { error: { code: "unexpected" } } })
      expect(textOf(result)).toContain("disk full")
      await expect(failing.run({})).rejects.toBe(error)
    }
  })
})
