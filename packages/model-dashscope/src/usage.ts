import type { CallEnd } from "@agentscope-ts/model"
import { figureIn as figure, objectIn } from "@agentscope-ts/model/wire"

/** The provider's figures in our terms: both sums hold all that the details tell. Undefined where there is no usage at all. */
export function usageOf(value: unknown): CallEnd["usage"] {
  const usage = objectIn<Record<string, unknown>>(value)
  if (!usage) return undefined
  const input = objectIn<Record<string, unknown>>(usage["prompt_tokens_details"] ?? usage["input_tokens_details"])
  const output = objectIn<Record<string, unknown>>(usage["output_tokens_details"])
  const inputTokens = figure(usage["input_tokens"])
  const outputTokens = figure(usage["output_tokens"])
  if (inputTokens === undefined && outputTokens === undefined) return undefined
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens: figure(input?.["cached_tokens"]),
    cacheWriteTokens: figure(input?.["cache_creation_input_tokens"]),
    reasoningTokens: figure(output?.["reasoning_tokens"]),
  }
}
