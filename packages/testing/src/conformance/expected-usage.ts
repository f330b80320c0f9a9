import type { ChatUsage } from "@agentscope-ts/message"
import type { Cassette } from "../cassette.ts"
import { expectationOf, mustEqual, must } from "./expectation.ts"

type Figures = Omit<ChatUsage, "timeMs" | "costUsd">

/** The provider's figures in our terms: all input, cached reads and writes included, and all output with reasoning. */
export function expectedUsage(cassette: Cassette): Figures | undefined {
  const { usage } = expectationOf(cassette)
  if (usage === null || (usage.input === undefined && usage.output === undefined)) return undefined
  const { input = 0, output = 0, total, cached, reasoning = 0, cacheWrite, toolUseInput = 0 } = usage
  // Anthropic counts beside `input` what came from or went to the cache; Gemini what its own tools brought in
  const beside = cassette.api === "anthropic-messages" ? (cached ?? 0) + (cacheWrite ?? 0) : toolUseInput
  // Gemini counts reasoning beside `output`, and so do a few others, as only their total shows
  const apart = cassette.api.startsWith("gemini-") || total === input + output + reasoning
  return {
    inputTokens: input + beside,
    outputTokens: apart ? output + reasoning : output,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(usage.reasoning !== undefined && { reasoningTokens: usage.reasoning }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
  }
}

/**
 * Figures that the cassette does not expect must at least stand in the answer: none is made up. `answers`: how
 * many answers the figures are the sum of.
 */
export function checkUsage(usage: ChatUsage | undefined, cassette: Cassette, answers = 1): void {
  const expected = expectedUsage(cassette)
  if (expected === undefined) return mustEqual(usage, undefined, "usage that nobody sent")
  must(usage !== undefined, "usage is missing: the provider sent it")
  const { timeMs, costUsd: _, ...figures } = usage
  const told = Object.entries(figures).map(([name, figure]) => [name, figure / answers] as const)
  const known = told.filter(([name]) => name in expected)
  mustEqual(
    Object.fromEntries(known),
    { ...expected },
    answers === 1 ? "usage" : `usage for each of ${answers} answers`,
  )
  for (const [name, figure] of told) {
    if (name in expected) continue
    must(cassette.response.body.includes(String(figure)), `usage.${name} = ${figure} does not stand in the answer`)
  }
  must(timeMs >= 0, `usage.timeMs is ${timeMs}`)
}
