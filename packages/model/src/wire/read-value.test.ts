import { expect, it } from "vitest"
import { figureIn, figuresIn, laterFields } from "./read-value.ts"

it("sums the counts that are there", () => {
  expect(figuresIn({ a: 1, b: 2, c: "x" }, "a", "b", "c", "d")).toBe(3)
  expect(figuresIn({ c: "x", d: -1 }, "c", "d")).toBeUndefined()
})

it("takes a count that is written as a text, and no other text", () => {
  expect(["0", "12", 3, 0].map(figureIn)).toEqual([0, 12, 3, 0])
  for (const none of ["", " 1", "1.5", "-1", "1e3", "0x1", "many", "9".repeat(16), null, true, [1], Number.NaN]) {
    expect(figureIn(none), String(none)).toBeUndefined()
  }
})

it("takes the last word of each field", () => {
  const before = laterFields({}, { a: 1, b: 2 })
  expect(laterFields(before, { a: null, b: 3 })).toEqual({ a: 1, b: 3 })
  for (const nothing of [undefined, null, [1], "x"]) expect(laterFields(before, nothing)).toBe(before)
})
