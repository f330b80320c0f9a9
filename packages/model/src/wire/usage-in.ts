import type { CallEnd } from "../stream/call-sink.ts"
import { figureIn as figure, objectIn } from "./read-value.ts"

/**
 * A provider's figures in our terms, from the words of OpenAI's APIs, or of one that names them alike; what it does not tell
 * stays absent. Both sums hold all that the details tell. Undefined where there is no usage at all.
 */
export function usageIn(value: unknown): CallEnd["usage"] {
  const usage = objectIn<Record<string, unknown>>(value)
  if (!usage) return undefined
  const input = objectIn<Record<string, unknown>>(usage["prompt_tokens_details"] ?? usage["input_tokens_details"])
  const output = objectIn<Record<string, unknown>>(usage["completion_tokens_details"] ?? usage["output_tokens_details"])
  const inputTokens = figure(usage["prompt_tokens"] ?? usage["input_tokens"])
  const outputTokens = figure(usage["completion_tokens"] ?? usage["output_tokens"])
  if (inputTokens === undefined && outputTokens === undefined) return undefined
  const reasoningTokens = figure(output?.["reasoning_tokens"] ?? usage["reasoning_tokens"])
  const total = figure(usage["total_tokens"])
  // xAI and Gemini leave reasoning out of completion_tokens, as only their total shows
  const apart = total !== undefined && total === (inputTokens ?? 0) + (outputTokens ?? 0) + (reasoningTokens ?? 0)
  return {
    inputTokens,
    outputTokens: apart && outputTokens !== undefined ? outputTokens + (reasoningTokens ?? 0) : outputTokens,
    // OpenAI's place; DeepSeek's; Moonshot's and Together's
    cachedInputTokens: figure(input?.["cached_tokens"] ?? usage["prompt_cache_hit_tokens"] ?? usage["cached_tokens"]),
    // gateways write 0 for models that know no cache writes
    cacheWriteTokens: figure(input?.["cache_write_tokens"] ?? input?.["cache_creation_input_tokens"]) || undefined,
    reasoningTokens,
  }
}
