import { describe, expect, it } from "vitest"
import { expressionsIn } from "./arithmetic.ts"

describe("arithmetic in prose", () => {
  it.each([
    ["what is 17 times 23?", ["17 * 23"]],
    ["2+2", ["2 + 2"]],
    ["15% of 80", ["15 / 100 * 80"]],
    ["the square root of 144", ["sqrt(144)"]],
    ["2^10 and 3*4", ["2^10", "3 * 4"]],
    ["1,234 + 5", ["1234 + 5"]],
    ["add 2 and 3", ["2 + 3"]],
    ["the sum of 1, 2 and 3.5", ["1 + 2 + 3.5"]],
    ["divide 10 by 4", ["10 / 4"]],
    ["subtract 3 from 10", ["10 - 3"]],
    ["12 x 12", ["12 * 12"]],
    ["12 × 12 ÷ 2", ["12 * 12 / 2"]],
    ["five times (two plus 3)", ["5 * (2 + 3)"]],
    ["2 to the power of 8", ["2^8"]],
    ["7 squared", ["7^2"]],
    ["5 factorial", ["5!"]],
    ["max(1, 2, 3)", ["max(1, 2, 3)"]],
    ["average of 1, 2, 6", ["(1 + 2 + 6) / 3"]],
    ["100 - 7 * -2", ["100 - 7 * -2"]],
    ["2 ** 10", ["2 ** 10"]],
  ])("reads %j", (prose, expressions) => {
    expect(expressionsIn(prose)).toEqual(expressions)
  })

  it.each([
    "list the files",
    "2026-12-01",
    "version 1.2.3",
    "at 12:30",
    "a-1",
    "3",
    "(4 + 5",
    "the first one",
    "x2+y3",
    "e",
  ])("finds none in %j", (prose) => {
    expect(expressionsIn(prose)).toEqual([])
  })
})
