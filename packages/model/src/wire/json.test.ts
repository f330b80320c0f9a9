import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { wireJson } from "./json.ts"

describe("wireJson", () => {
  it("FR-26 replaces half a surrogate pair, and nothing else", () => {
    expect(wireJson({ a: "x".repeat(3) + "😀".slice(0, 1) })).toBe('{"a":"xxx\\ufffd"}')
    expect(JSON.parse(wireJson("\ud83d😀\ude00"))).toBe("\ufffd😀\ufffd")
    expect(wireJson({ "\ud800": 1 })).toBe('{"\\ufffd":1}')
    expect(wireJson("\\ud83d")).toBe('"\\\\ud83d"')
    expect(wireJson("\\\ud83d")).toBe('"\\\\\\ufffd"')
  })

  it("is JSON.stringify of the well-formed text for any text", () => {
    const text = fc.string({
      unit: fc.constantFrom("\ud83d", "\ude00", "\\", "u", "d", "8", "3", '"', "\n", "é", "😀"),
    })
    fc.assert(
      fc.property(text, (value) => {
        expect(JSON.parse(wireJson([value]))).toEqual([value.toWellFormed()])
      }),
      { seed: 26 },
    )
  })
})
