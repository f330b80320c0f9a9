import { expect, test } from "vitest"
import { addUsage } from "./index.ts"

test("usages add up", () => {
  const a = { inputTokens: 1, outputTokens: 2, timeMs: 3, costUsd: 0.5, reasoningTokens: 1 }
  const b = { inputTokens: 10, outputTokens: 20, timeMs: 30, costUsd: 0.25, cachedInputTokens: 4 }
  expect(addUsage(a, b)).toEqual({
    inputTokens: 11,
    outputTokens: 22,
    timeMs: 33,
    costUsd: 0.75,
    reasoningTokens: 1,
    cachedInputTokens: 4,
  })
})

test("FR-09 a figure that neither has stays absent; one that is 0 is kept", () => {
  const plain = { inputTokens: 0, outputTokens: 0, timeMs: 0 }
  expect(addUsage(plain, plain)).toEqual(plain)
  expect(Object.keys(addUsage(plain, plain))).toEqual(["inputTokens", "outputTokens", "timeMs"])
  expect(addUsage(plain, { ...plain, cacheWriteTokens: 0 })).toEqual({ ...plain, cacheWriteTokens: 0 })
})
