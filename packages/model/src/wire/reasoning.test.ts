import { expect, test } from "vitest"
import { reasoningBudget, reasoningEffort, roomToAnswer, thinkingPlan, type ThinkingWays } from "./reasoning.ts"

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

test("a wish to think is told in the model's way, as far as it can be had", () => {
  const warnings: string[] = []
  const ways = (by: ThinkingWays["by"], rests: ThinkingWays["rests"], blocked?: string): ThinkingWays => {
    return { model: "m", by, rests, blocked, warn: (code) => void warnings.push(code) }
  }
  expect(thinkingPlan(undefined, ways("effort", "never"))).toBeUndefined()
  expect(thinkingPlan("off", ways("none", "default"))).toBeUndefined()
  expect(thinkingPlan("off", ways("budget", "told"))).toBe("off")
  expect(thinkingPlan("low", ways("either", "default"))).toEqual({ effort: "low" })
  expect(thinkingPlan({ budgetTokens: 3000 }, ways("either", "default"))).toEqual({ budget: 3000 })
  expect(thinkingPlan({ budgetTokens: 3000 }, ways("effort", "default"))).toEqual({ effort: "medium" })
  expect(thinkingPlan("high", ways("effort", "default", "why"))).toEqual({ effort: "high" })
  expect(warnings).toEqual([])
  expect(thinkingPlan("off", ways("effort", "never"))).toEqual({ effort: "low" })
  expect(thinkingPlan("low", ways("none", "default"))).toBeUndefined()
  expect(thinkingPlan("low", ways("budget", "default", "why"))).toBeUndefined()
  expect(warnings).toEqual(["unsupported_param", "unsupported_param", "thinking_disabled"])
})
