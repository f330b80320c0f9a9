import type { ChatUsage } from "@agentscope-ts/message"

/** What a model costs, in US dollars per million tokens. */
export interface ModelPrice {
  readonly inputPerMTok: number
  readonly outputPerMTok: number
  /** Input read from the provider's cache. Default: the price of input. */
  readonly cachedInputPerMTok?: number
  /** Input written to the provider's cache. Default: the price of input. */
  readonly cacheWritePerMTok?: number
}

const price = (input: number, output: number, cached?: number, cacheWrite?: number): ModelPrice => ({
  inputPerMTok: input,
  outputPerMTok: output,
  ...(cached !== undefined && { cachedInputPerMTok: cached }),
  ...(cacheWrite !== undefined && { cacheWritePerMTok: cacheWrite }),
})
/** Anthropic: a cached read costs a tenth, a cache write a quarter more. */
const claude = (input: number, output: number) => price(input, output, input / 10, input * 1.25)

/**
 * List prices of well-known models (standard tier, international; end of 2025) by the provider's name of the model. Prices change:
 * give a model's own with the option `price`.
 */
export const priceTable: Readonly<Record<string, ModelPrice>> = {
  "gpt-5.1": price(1.25, 10, 0.125),
  "gpt-5": price(1.25, 10, 0.125),
  "gpt-5-mini": price(0.25, 2, 0.025),
  "gpt-5-nano": price(0.05, 0.4, 0.005),
  "gpt-4.1": price(2, 8, 0.5),
  "gpt-4.1-mini": price(0.4, 1.6, 0.1),
  "gpt-4.1-nano": price(0.1, 0.4, 0.025),
  "gpt-4o": price(2.5, 10, 1.25),
  "gpt-4o-mini": price(0.15, 0.6, 0.075),
  o3: price(2, 8, 0.5),
  "o4-mini": price(1.1, 4.4, 0.275),
  "claude-opus-4-5": claude(5, 25),
  "claude-opus-4-1": claude(15, 75),
  "claude-opus-4": claude(15, 75),
  "claude-sonnet-4-5": claude(3, 15),
  "claude-sonnet-4": claude(3, 15),
  "claude-haiku-4-5": claude(1, 5),
  "claude-3-5-haiku": claude(0.8, 4),
  "gemini-3-pro-preview": price(2, 12, 0.2),
  "gemini-2.5-pro": price(1.25, 10, 0.125),
  "gemini-2.5-flash": price(0.3, 2.5, 0.03),
  "gemini-2.5-flash-lite": price(0.1, 0.4, 0.01),
  "deepseek-chat": price(0.28, 0.42, 0.028),
  "deepseek-reasoner": price(0.28, 0.42, 0.028),
  "qwen-max": price(1.6, 6.4),
  "qwen-plus": price(0.4, 1.2),
  "qwen-flash": price(0.05, 0.4),
}

/** The listed price of a model; a dated or `-latest` name has the price of the plain one. */
export function priceOf(
  model: string,
  table: Readonly<Record<string, ModelPrice>> = priceTable,
): ModelPrice | undefined {
  const plain = model.replace(/-(?:latest|\d{8}|\d{4}-\d{2}-\d{2})$/, "")
  for (const name of [model, plain]) if (Object.hasOwn(table, name)) return table[name]
  return undefined
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
