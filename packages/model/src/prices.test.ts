import { describe, expect, test } from "vitest"
import { costOf, priceOf, priceTable } from "./prices.ts"

describe("priceOf", () => {
  test("finds a model by its name, dated and latest ones by the plain name", () => {
    expect(priceOf("gpt-4o")).toBe(priceTable["gpt-4o"])
    expect(priceOf("gpt-4o-2024-08-06")).toBe(priceTable["gpt-4o"])
    expect(priceOf("claude-sonnet-4-5-20250929")).toBe(priceTable["claude-sonnet-4-5"])
    expect(priceOf("qwen-plus-latest")).toBe(priceTable["qwen-plus"])
  })

  test("does not guess", () => {
    expect(priceOf("gpt-4o-nova")).toBeUndefined()
    expect(priceOf("toString")).toBeUndefined()
    expect(priceOf("")).toBeUndefined()
  })

  test("looks into another table when given one", () => {
    const own = { inputPerMTok: 1, outputPerMTok: 2 }
    expect(priceOf("mine-latest", { mine: own })).toBe(own)
  })
})

describe("costOf", () => {
  const price = { inputPerMTok: 4, outputPerMTok: 10, cachedInputPerMTok: 1, cacheWritePerMTok: 5 }

  test("charges each kind of token once, at its own price", () => {
    const usage = {
      inputTokens: 1000,
      cachedInputTokens: 600,
      cacheWriteTokens: 100,
      outputTokens: 50,
      reasoningTokens: 40,
    }
    expect(costOf(usage, price)).toBeCloseTo((300 * 4 + 600 * 1 + 100 * 5 + 50 * 10) / 1e6)
  })

  test("charges what is cached for longer at the price of that, or of a usual write", () => {
    const usage = { inputTokens: 1000, cacheWriteTokens: 700, cacheWriteLongTokens: 300, outputTokens: 0 }
    expect(costOf(usage, { ...price, cacheWriteLongPerMTok: 8 })).toBeCloseTo((300 * 4 + 400 * 5 + 300 * 8) / 1e6)
    expect(costOf(usage, price)).toBeCloseTo((300 * 4 + 700 * 5) / 1e6)
    expect(priceOf("claude-sonnet-4-5")).toMatchObject({ inputPerMTok: 3, cacheWriteLongPerMTok: 6 })
  })

  test("cached tokens cost as much as input where no price of theirs is known", () => {
    const plain = { inputPerMTok: 4, outputPerMTok: 10 }
    expect(costOf({ inputTokens: 1000, cachedInputTokens: 600, cacheWriteTokens: 100, outputTokens: 0 }, plain)).toBe(
      0.004,
    )
  })

  test("is never below zero, whatever a provider counts", () => {
    expect(costOf({ inputTokens: 0, cachedInputTokens: 10, outputTokens: 0 }, price)).toBeCloseTo(1e-5)
  })
})

test("every price of the table is plausible: output dearer than input, cached input cheaper", () => {
  for (const [name, { inputPerMTok, outputPerMTok, cachedInputPerMTok = 0 }] of Object.entries(priceTable)) {
    expect(outputPerMTok, name).toBeGreaterThan(inputPerMTok)
    expect(cachedInputPerMTok, name).toBeLessThan(inputPerMTok)
  }
})
