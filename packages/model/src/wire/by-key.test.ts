import { expect, test } from "vitest"
import { byKey } from "./by-key.ts"

test("what was made of some keys is given again", () => {
  const pair = byKey((a: string, b: string) => ({ a, b }))
  expect(pair("x", "y")).toEqual({ a: "x", b: "y" })
  expect(pair("x", "y")).toBe(pair("x", "y"))
  expect(pair("x", "z")).not.toBe(pair("x", "y"))
})
