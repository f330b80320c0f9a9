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
export function costOf(usage: Omit<ChatUsage, "timeMs">, price: ModelPrice): number {
  const cached = usage.cachedInputTokens ?? 0
  const written = usage.cacheWriteTokens ?? 0
  const plain = Math.max(0, usage.inputTokens - cached - written)
  const microUsd =
    plain * price.inputPerMTok +
    cached * (price.cachedInputPerMTok ?? price.inputPerMTok) +
    written * (price.cacheWritePerMTok ?? price.inputPerMTok) +
    usage.outputTokens * price.outputPerMTok
  return microUsd / 1e6
}
