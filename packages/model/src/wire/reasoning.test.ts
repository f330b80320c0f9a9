import { expect, test } from "vitest"
import { reasoningBudget, reasoningEffort, roomToAnswer } from "./reasoning.ts"

test("words and budgets stand for each other", () => {
  expect((["low", "medium", "high"] as const).map((word) => reasoningBudget(word))).toEqual([2048, 8192, 16_384])
  expect(reasoningBudget({ budgetTokens: 5 })).toBe(5)
  expect([1, 2048, 2049, 8192, 8193].map((budgetTokens) => reasoningEffort({ budgetTokens }))).toEqual([
    "low",
    "low",
    "medium",
    "medium",
    "high",
  ])
})

test("a limit that thinking would use up is raised, and said where the caller gave it", () => {
  const warnings: string[] = []
  const warn = (code: string): void => void warnings.push(code)
  const room = { model: "m", budget: 1000, asked: undefined, usual: 4000, most: 4500, warn }
  expect(roomToAnswer(room)).toBe(4000)
  expect(roomToAnswer({ ...room, usual: 500 })).toBe(1500)
  expect(warnings).toEqual([])
  expect(roomToAnswer({ ...room, asked: 1000 })).toBe(2000)
  expect(roomToAnswer({ ...room, budget: 4000, asked: 4000 })).toBe(4500)
  expect(warnings).toEqual(["max_tokens_raised", "max_tokens_raised"])
  expect(() => roomToAnswer({ ...room, budget: 4500 })).toThrow(/leaves m no room/)
})
