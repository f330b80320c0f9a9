import { expect, it } from "vitest"
import { figuresIn, laterFields } from "./read-value.ts"

it("sums the counts that are there", () => {
  expect(figuresIn({ a: 1, b: 2, c: "3" }, "a", "b", "c", "d")).toBe(3)
  expect(figuresIn({ c: "3", d: -1 }, "c", "d")).toBeUndefined()
})

it("takes the last word of each field", () => {
  const before = laterFields({}, { a: 1, b: 2 })
  expect(laterFields(before, { a: null, b: 3 })).toEqual({ a: 1, b: 3 })
  for (const nothing of [undefined, null, [1], "x"]) expect(laterFields(before, nothing)).toBe(before)
})
