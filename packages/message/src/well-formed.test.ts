import * as fc from "fast-check"
import { expect, test } from "vitest"
import { cutText, cutTextStart, wellFormed } from "./index.ts"

const text = fc.string({ unit: "binary", maxLength: 60 })
const runs = { seed: 26, numRuns: process.env["AGENTSCOPE_SOAK"] ? 20_000 : 2000 }

test("FR-26 a cut through an emoji leaves it out", () => {
  const long = `${"x".repeat(99)}😀`
  expect(cutText(long, 100)).toBe("x".repeat(99))
  expect(cutText(long, 101)).toBe(long)
  expect(cutTextStart(`😀${"x".repeat(99)}`, 100)).toBe("x".repeat(99))
  expect(cutText("😀", 1)).toBe("")
  expect(cutText("abc", 0)).toBe("")
  expect(cutText("abc", -5)).toBe("")
  expect(cutTextStart("abc", 0)).toBe("")
})

test("FR-26 no cut splits a character, and each keeps as much as fits", () => {
  fc.assert(
    fc.property(text, fc.integer({ min: -3, max: 70 }), (value, length) => {
      const [start, end] = [cutText(value, length), cutTextStart(value, length)]
      expect(value.startsWith(start) && value.endsWith(end)).toBe(true)
      expect(start.isWellFormed() && end.isWellFormed()).toBe(true)
      const kept = Math.min(Math.max(length, 0), value.length)
      for (const cut of [start, end]) expect([kept, kept - 1]).toContain(cut.length)
      const chars = Array.from(value)
      expect(chars.slice(0, Array.from(start).length).join("")).toBe(start)
      expect(chars.slice(chars.length - Array.from(end).length).join("")).toBe(end)
    }),
    runs,
  )
})

test("FR-26 lone surrogates are replaced, and well-formed text is given back as it is", () => {
  expect(wellFormed("a\ud83d")).toBe("a\ufffd")
  expect(wellFormed("\ude00b")).toBe("\ufffdb")
  fc.assert(
    fc.property(text, (value) => {
      expect(wellFormed(value)).toBe(value)
    }),
    runs,
  )
})
