import { expect, test } from "vitest"
import { describeValue } from "./describe-value.ts"

test.each<[unknown, string]>([
  [null, "null"],
  [undefined, "undefined"],
  [3, "3"],
  [true, "true"],
  ["hi", '"hi"'],
  ["x".repeat(80), `"${"x".repeat(50)}"`],
  [[1], "a list"],
  [{ secret: "s" }, "an Object"],
  [Object.create(null), "an object"],
  [new Date(0), "a Date"],
  [new URL("http://x"), "a URL"],
  [new AbortController(), "an AbortController"],
  [() => 1, "a function"],
])("%j is told by its kind, and no object by what it holds", (value, told) => {
  expect(describeValue(value)).toBe(told)
})
