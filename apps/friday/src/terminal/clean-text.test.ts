import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cleanText, revealLine, revealText, TextCleaner } from "./clean-text.ts"

const numRuns = process.env["AGENTSCOPE_SOAK"] ? 5000 : 500
// oxlint-disable-next-line no-control-regex
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u
const piece = fc.constantFrom(
  "\u001b[31m",
  "\u001b[2J",
  "\u001b]0;title\u0007",
  "\u001b]8;;https://x\u001b\\",
  "\u001b",
  "\u009b5A",
  "\r",
  "\n",
  "\t",
  "\b",
  "\u0000",
  "\u202e",
  "a",
  "é",
  "文",
  "😀",
  "word ",
  "[31m",
)
const text = fc.array(piece, { maxLength: 20 }).map((parts) => parts.join(""))

describe("text for the terminal", () => {
  it("loses its escape sequences and control characters, and nothing else", () => {
    expect(cleanText("a\u001b[31mred\u001b[0m\tb\r\nc")).toBe("ared\tb\nc")
    expect(cleanText("\u001b]0;title\u0007x\u001b]8;;https://evil\u001b\\link\u001b]8;;\u001b\\")).toBe("xlink")
    expect(cleanText("ab\u202ecd\u0008\u0000e")).toBe("abcde")
    expect(cleanText("naïve 文件 😀\n")).toBe("naïve 文件 😀\n")
    expect(cleanText("cut \ud83d")).toBe("cut \ufffd")
  })

  it("has nothing unseen in it, whatever came", () => {
    fc.assert(
      fc.property(text, (any) => {
        expect(cleanText(any)).not.toMatch(unseen)
        expect(revealText(any)).not.toMatch(unseen)
      }),
      { numRuns, seed: 1 },
    )
  })

  it("shows what is unseen where somebody decides", () => {
    expect(revealText("ls\u001b[2K\rrm -rf /\u202e")).toBe("ls\\u{1b}[2K\\u{d}rm -rf /\\u{202e}")
    expect(revealText("tab\there\nnaïve 文件 😀")).toBe("tab\there\nnaïve 文件 😀")
    expect(revealLine("a\tb\nc")).toBe("a\\u{9}b\\u{a}c")
  })

  it.each([
    0x0, 0x8, 0xb, 0x1b, 0x7f, 0x85, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x1680, 0x180e, 0x2003, 0x200b, 0x200d,
    0x200e, 0x2028, 0x2029, 0x202e, 0x2060, 0x2066, 0x2800, 0x3000, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xe000, 0xd83d,
    0xdc00, 0xfffe, 0xe0001, 0xe0041, 0xe0100, 0xf0000, 0x10fffd,
  ])("writes out U+%x, which nobody sees", (code) => {
    expect(revealText(`a${String.fromCodePoint(code)}b`)).toBe(`a\\u{${code.toString(16)}}b`)
  })

  it("is the same in pieces as in one", () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(60), { maxLength: 6 }), (whole, cuts) => {
        const cleaner = new TextCleaner()
        const points = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b), whole.length]
        let out = ""
        for (let i = 1; i < points.length; i++) out += cleaner.push(whole.slice(points[i - 1], points[i]))
        out += cleaner.end()
        expect(out).not.toMatch(unseen)
        // a sequence that is cut where its end cannot be told yet may leave its letters, never its effect
        if (!whole.includes("\u001b") && !whole.includes("\u009b")) expect(out).toBe(cleanText(whole))
      }),
      { numRuns, seed: 2 },
    )
  })

  it("holds back a sequence and half a character that a piece cuts", () => {
    const cleaner = new TextCleaner()
    expect(cleaner.push("red \u001b[3")).toBe("red ")
    expect(cleaner.push("1mtext \ud83d")).toBe("text ")
    expect(cleaner.push("\ude00!")).toBe("😀!")
    expect(cleaner.push("end\u001b")).toBe("end")
    expect(cleaner.end()).toBe("")
  })
})
