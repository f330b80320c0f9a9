import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { clip, splitAt, wrap } from "./width.ts"

describe("lines of so many columns", () => {
  it("cuts with an ellipsis, counting wide characters twice", () => {
    expect(clip("hello", 5)).toBe("hello")
    expect(clip("hello!", 5)).toBe("hell…")
    expect(clip("文件名称", 5)).toBe("文件…")
    expect(clip("a😀b", 4)).toBe("a😀b")
    expect(clip("e\u0301e\u0301", 2)).toBe("e\u0301e\u0301")
  })

  it("wraps at blanks, or through a word that is too long", () => {
    expect(wrap("one two three", 8)).toEqual(["one two", "three"])
    expect(wrap("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"])
    expect(wrap("", 4)).toEqual([""])
    expect(wrap("文件名称", 3)).toEqual(["文", "件", "名", "称"])
  })

  it("loses nothing but the blanks it wraps at", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 2, max: 20 }), (line, columns) => {
        const plain = line.replaceAll(/\s/gu, "")
        expect(wrap(line, columns).join("").replaceAll(/\s/gu, "")).toBe(plain)
        const [head, rest] = splitAt(line, columns)
        expect(head + rest).toBe(line)
      }),
      { numRuns: 300, seed: 1 },
    )
  })
})
