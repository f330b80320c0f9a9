import { expect, test } from "vitest"
import { isThenable } from "./index.ts"

test.each([
  ["a promise", Promise.resolve(1), true],
  // oxlint-disable-next-line unicorn/no-thenable
  ["an object of another make", { then: () => {} }, true],
  // oxlint-disable-next-line unicorn/no-thenable
  ["a function that answers later", Object.assign(() => {}, { then: () => {} }), true],
  // oxlint-disable-next-line unicorn/no-thenable
  ["an object with a field of that name", { then: "later" }, false],
  ["null", null, false],
  ["nothing", undefined, false],
  ["text", "then", false],
  ["a function", () => {}, false],
])("%s has to be awaited: %#", (_, value, thenable) => {
  expect(isThenable<unknown>(value)).toBe(thenable)
})
