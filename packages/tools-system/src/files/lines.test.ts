import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { lineBreakOf, numbered, snippet, spliceLines, splitLines, withLineBreaks } from "./lines.ts"

const splice = (text: string, from: number, to: number, content: string): string =>
  spliceLines(splitLines(text), from, to, content, lineBreakOf(text)).lines.join("")

describe("lines", () => {
  it("are split with their line breaks, and joined again", () => {
    expect(splitLines("a\nb\r\n\nc")).toEqual(["a\n", "b\r\n", "\n", "c"])
    expect(splitLines("")).toEqual([])
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "\n", "\r", "é") }),
        (text) => splitLines(text).join("") === text,
      ),
    )
  })

  it("keep the kind of line break that most have", () => {
    expect(lineBreakOf("a\r\nb\r\nc\n")).toBe("\r\n")
    expect(lineBreakOf("a\nb\r\n")).toBe("\n")
    expect(lineBreakOf("a")).toBe("\n")
    expect(withLineBreaks("a\nb\r\nc", "\r\n")).toBe("a\r\nb\r\nc")
    expect(withLineBreaks("a\r\nb", "\n")).toBe("a\nb")
  })

  it("are numbered without their line breaks", () => {
    expect(numbered(["a\n", "b\r\n", "c"], 9)).toBe("9: a\n10: b\n11: c")
  })

  it("are shown with five around a change", () => {
    const lines = Array.from({ length: 20 }, (_, i) => `${i + 1}\n`)
    expect(snippet(lines, 10, 11)).toMatchObject({ from: 5, to: 16 })
    expect(snippet(lines, 1, 1)).toMatchObject({ from: 1, to: 6 })
    expect(snippet(lines, 20, 20)).toMatchObject({ from: 15, to: 20 })
  })
})

describe("replacing and inserting lines", () => {
  it.each([
    ["a\nb\nc\n", 2, 2, "B", "a\nB\nc\n"],
    ["a\nb\nc\n", 2, 2, "B\n", "a\nB\nc\n"],
    ["a\nb\nc\n", 2, 3, "x\ny\nz", "a\nx\ny\nz\n"],
    ["a\nb\nc", 3, 3, "C", "a\nb\nC"],
    ["a\nb\nc", 2, 3, "C\n", "a\nC\n"],
    ["a\nb\n", 1, 0, "new", "new\na\nb\n"],
    ["a\nb\n", 3, 2, "new", "a\nb\nnew\n"],
    ["a\nb", 3, 2, "new", "a\nb\nnew"],
    ["", 1, 0, "new", "new\n"],
    ["a\r\nb\r\n", 2, 2, "x\ny", "a\r\nx\r\ny\r\n"],
    ["a\nb\nc\n", 2, 2, "", "a\nc\n"],
    ["a\nb\nc", 3, 3, "", "a\nb\n"],
    ["a\nb\nc\n", 2, 1, "x\n\n", "a\nx\n\nb\nc\n"],
  ])("%j lines %i-%i by %j", (text, from, to, content, expected) => {
    expect(splice(text, from, to, content)).toBe(expected)
  })

  it("leave every other line as it was, byte for byte", () => {
    const text = fc
      .array(fc.constantFrom("a", "b\r", "", "é"), { minLength: 1, maxLength: 8 })
      .map((lines) => `${lines.join("\n")}\n`)
    fc.assert(
      fc.property(text, fc.nat(7), fc.nat(7), fc.constantFrom("x", "x\ny", "x\n"), (before, a, b, content) => {
        const lines = splitLines(before)
        const from = 1 + (a % lines.length)
        const to = Math.min(lines.length, from + (b % 3))
        const after = splitLines(splice(before, from, to, content))
        expect(after.slice(0, from - 1)).toEqual(lines.slice(0, from - 1))
        expect(after.slice(after.length - (lines.length - to))).toEqual(lines.slice(to))
      }),
    )
  })
})
