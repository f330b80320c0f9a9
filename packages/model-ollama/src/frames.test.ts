import { cassettesOf } from "@agentscope-ts/fixtures"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { done, line, read } from "./fixtures/stream.ts"

const soak = process.env["AGENTSCOPE_SOAK"] === "1"

describe("frames", () => {
  const streams = cassettesOf("ollama-").filter(({ categories }) => categories?.includes("stream"))

  it.each(streams.map(({ file, response }) => [file, response.body] as const))("change nothing in %s", (_, body) => {
    expect(read(body, 1)).toEqual(read(body, false))
    const more = body.replaceAll('"done":true', '"done":false').repeat(3)
    expect(read(more, 1)).toEqual(read(more, false))
  })

  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 8 }),
    fc.constantFrom("", '"', "\\", '\\"', "\n", "\u0000", "{", '"content":"', '"created_at":"x"', "é😀", "\u2028"),
  )
  const message = fc.oneof(
    { weight: 6, arbitrary: text.map((content) => ({ content })) },
    { weight: 3, arbitrary: text.map((thinking) => ({ thinking })) },
    { weight: 1, arbitrary: text.map((content) => ({ content, thinking: content })) },
    { weight: 1, arbitrary: text.map((name) => ({ tool_calls: [{ function: { name, arguments: { a: name } } }] })) },
  )
  const rest = fc.oneof(
    { weight: 14, arbitrary: fc.constant({ done: false }) },
    fc.constantFrom<object>({ done: true, eval_count: 1 }, { error: "Test" }, {}),
  )
  const part = fc.record({ message, rest, spaced: fc.boolean(), times: fc.nat(6) })

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
          for (const { message, rest, spaced, times } of parts) {
            for (let i = 0; i <= times; i++) {
              const one = line(message, rest, ++count)
              body += spaced ? one.replaceAll('":', '": ') : one
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

  it("make a long answer cheap: most lines are not parsed", () => {
    const body = Array.from({ length: 400 }, (_, i) => line({ content: `w${i} ` }, undefined, i)).join("") + done()
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
