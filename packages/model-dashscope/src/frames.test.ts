import { cassettesOf } from "@agentscope-ts/fixtures"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { chunk, event, read } from "./fixtures/stream.ts"

const soak = process.env["AGENTSCOPE_SOAK"] === "1"

describe("frames", () => {
  const streams = cassettesOf("dashscope-").filter(({ categories }) => categories?.includes("stream"))

  it.each(streams.map(({ file, response }) => [file, response.body] as const))("change nothing in %s", (_, body) => {
    expect(read(body, 1)).toEqual(read(body, false))
    const more = body.replaceAll('"finish_reason":"stop"', '"finish_reason":"null"').repeat(3)
    expect(read(more, 1)).toEqual(read(more, false))
  })

  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 8 }),
    fc.constantFrom("", '"', "\\", '\\"', "\n", "\u0000", "{", '"content":"', '"x_tokens":7', "data:", "é😀", "\u2028"),
  )
  const message = fc.oneof(
    { weight: 6, arbitrary: text.map((content) => ({ content })) },
    { weight: 3, arbitrary: text.map((reasoning_content) => ({ content: "", reasoning_content })) },
    { weight: 2, arbitrary: text.map((text) => ({ content: [{ text }] })) },
    { weight: 1, arbitrary: fc.tuple(text, text).map((pair) => ({ content: pair.map((text) => ({ text })) })) },
    { weight: 1, arbitrary: text.map((content) => ({ content, reasoning_content: content })) },
    {
      weight: 4,
      arbitrary: fc
        .record({ index: fc.nat(1), json: text, id: fc.constantFrom("", "c0") })
        .map(({ index, json, id }) => ({ content: "", tool_calls: [{ index, id, function: { arguments: json } }] })),
    },
    {
      weight: 1,
      arbitrary: fc.nat(1).map((index) => ({
        content: "",
        tool_calls: [{ index, id: `c${index}`, function: { name: "f", arguments: "" } }],
      })),
    },
  )
  const part = fc.record({
    message,
    finish: fc.oneof({ weight: 14, arbitrary: fc.constant("null") }, fc.constantFrom("stop", "tool_calls", null)),
    code: fc.oneof({ weight: 20, arbitrary: fc.constant({}) }, fc.constant({ code: "Throttling", output: undefined })),
    spaced: fc.boolean(),
    // runs of a kind are what frames are for
    times: fc.nat(6),
  })

  it("change nothing in random streams, whole or damaged", () => {
    const damages = fc.record({
      at: fc.nat(5000),
      by: fc.constantFrom("", '"', "\\", "}", "\n", "\u0001", "9", "\\u12"),
    })
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 12 }),
        fc.option(damages, { nil: undefined }),
        fc.array(fc.nat(5000), { maxLength: 6 }),
        (parts, damage, cuts) => {
          let body = ""
          let count = 0
          for (const { message, finish, code, spaced, times } of parts) {
            for (let i = 0; i <= times; i++) {
              const line = event({ ...chunk(message, finish, ++count), ...code }, count)
              body += spaced ? line.replaceAll('":', '": ') : line
            }
          }
          if (damage && damage.at < body.length) body = body.slice(0, damage.at) + damage.by + body.slice(damage.at + 1)
          const pieces = cuts.filter((cut) => cut < body.length)
          expect(read(body, 1, pieces)).toEqual(read(body, false, pieces))
        },
      ),
      { numRuns: soak ? 20_000 : 1500, seed: 8 },
    )
  })

  it("make a long answer cheap: most events are not parsed", () => {
    const body = Array.from({ length: 400 }, (_, i) => event(chunk({ content: `w${i} ` }, "null", i), i)).join("")
    const parse = JSON.parse
    let parsed = 0
    JSON.parse = (...args) => {
      parsed++
      return parse(...args) as unknown
    }
    try {
      expect(read(body, 24).deltas).toHaveLength(400)
    } finally {
      JSON.parse = parse
    }
    expect(parsed).toBeLessThan(60)
  })
})
