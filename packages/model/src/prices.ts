import type { ChatUsage } from "@agentscope-ts/message"
import { findModel, modelFacts } from "./model-facts.ts"

/** What a model costs, in US dollars per million tokens. */
export interface ModelPrice {
  readonly inputPerMTok: number
  readonly outputPerMTok: number
  /** Input read from the provider's cache. Default: the price of input. */
  readonly cachedInputPerMTok?: number
  /** Input written to the provider's cache. Default: the price of input. */
  readonly cacheWritePerMTok?: number
  /** Input written to the cache for longer than usual (an hour, at Anthropic). Default: the price of a usual write. */
  readonly cacheWriteLongPerMTok?: number
}

/** What a price is asked for; the time does not matter. */
export interface CostFigures extends Omit<ChatUsage, "timeMs"> {
  /** How much of `cacheWriteTokens` was written for longer than usual. */
  readonly cacheWriteLongTokens?: number | undefined
}

/** The list prices of {@link modelFacts}, by the provider's name of the model. */
export const priceTable: Readonly<Record<string, ModelPrice>> = Object.fromEntries(
  Object.entries(modelFacts).flatMap(([name, { price }]) => (price ? [[name, price] as const] : [])),
)

/** The listed price of a model; a dated, prefixed or `-latest` name has the price of the plain one. */
export function priceOf(
  model: string,
  table: Readonly<Record<string, ModelPrice>> = priceTable,
): ModelPrice | undefined {
  const found = findModel(model, table)
  return found?.itself ? found.value : undefined
}

/** What a call cost in US dollars: cached reads and cache writes are part of `inputTokens` and charged at their own price. */
export function costOf(usage: CostFigures, price: ModelPrice): number {
  const cached = usage.cachedInputTokens ?? 0
  const written = usage.cacheWriteTokens ?? 0
  const long = Math.min(usage.cacheWriteLongTokens ?? 0, written)
  const writePrice = price.cacheWritePerMTok ?? price.inputPerMTok
  const plain = Math.max(0, usage.inputTokens - cached - written)
  const microUsd =
    plain * price.inputPerMTok +
    cached * (price.cachedInputPerMTok ?? price.inputPerMTok) +
    (written - long) * writePrice +
    long * (price.cacheWriteLongPerMTok ?? writePrice) +
    usage.outputTokens * price.outputPerMTok
  return microUsd / 1e6
}
