import { expect, test } from "vitest"
import { GrowingText } from "./growing-text.ts"

test("holds all that was added, at every length", () => {
  const text = new GrowingText()
  let all = ""
  for (let i = 0; i < 3000; i++) {
    text.add(`${i} `)
    all += `${i} `
    if (i % 100 === 0) expect([text.whole, text.length]).toEqual([all, all.length])
  }
  expect(text.whole).toBe(all)
})

test("is empty again once cleared", () => {
  const text = new GrowingText()
  for (const piece of ["a".repeat(5000), "b"]) text.add(piece)
  text.clear()
  expect([text.whole, text.length]).toEqual(["", 0])
  text.add("c")
  expect(text.whole).toBe("c")
})
