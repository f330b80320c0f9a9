/**
 * What a model call, or a whole reply, took. `inputTokens` is all input, cached reads and cache writes included;
 * `outputTokens` includes reasoning. Figures that the provider did not send are absent, never 0. `timeMs` is wall time.
 */
export interface ChatUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
  readonly timeMs: number
  /** US dollars, when the model's price is known. */
  readonly costUsd?: number
}

/** Why a model stopped. The last two occur only in the partial response of a failed or aborted stream. */
export type StopReason =
  | "stop"
  | "tool_use"
  | "length"
  | "content_filter"
  | "refusal"
  | "malformed_tool_call"
  | "error"
  | "interrupted"

/** The sum of two usages; an optional figure is absent only where both lack it. */
export function addUsage(a: ChatUsage, b: ChatUsage): ChatUsage {
  const sum: { -readonly [K in keyof ChatUsage]: ChatUsage[K] } = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    timeMs: a.timeMs + b.timeMs,
  }
  for (const key of ["cachedInputTokens", "cacheWriteTokens", "reasoningTokens", "costUsd"] as const) {
    const [x, y] = [a[key], b[key]]
    if (x !== undefined || y !== undefined) sum[key] = (x ?? 0) + (y ?? 0)
  }
  return sum
}
