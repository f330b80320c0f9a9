import { expect, test } from "vitest"
import { textPieces } from "./text-pieces.ts"

test("a text that fits is one piece, a blank one none", () => {
  expect(textPieces(" a b ", 10)).toEqual(["a b"])
  expect(textPieces(" \n\t", 10)).toEqual([])
})

test.each([
  ["after a paragraph", "one one.\n\ntwo. three", ["one one.", "two. three"]],
  ["after a sentence", "one one. two two two", ["one one.", "two two two"]],
  ["after a word", "one one two two two", ["one one two", "two two"]],
  ["anywhere, where nothing ends", "abcdefghijklmno", ["abcdefghijkl", "mno"]],
])("a longer one is cut %s", (_where, text, pieces) => {
  expect(textPieces(text, 12)).toEqual(pieces)
})

test("no piece is too long, nothing but spaces is lost, and no character is cut", () => {
  const text = `${"😀".repeat(50)} ${"word ".repeat(40)}\n\n${"长".repeat(99)}。${"x".repeat(99)}`
  for (let length = 3; length < 40; length++) {
    const pieces = textPieces(text, length)
    for (const piece of pieces) {
      expect(piece.length).toBeLessThanOrEqual(length)
      expect(piece.isWellFormed()).toBe(true)
    }
    expect(pieces.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""))
  }
})
