import { ambient } from "@agentscope-ts/message"
import { type RetryPolicy, retryDelay, withRetryAt } from "./retry-policy.ts"

/** What a retrying call asks and tells. */
export interface RetryHooks {
  /** Whether the failed attempt may be made again at all. Default: yes. */
  mayRetry?(error: unknown): boolean
  /** A retry follows after `delayMs`; `attempt` counts from 1. */
  onRetry?(attempt: number, delayMs: number, error: unknown): void
}

/**
 * Makes an attempt, and makes it again by the policy for as long as it fails. Rejects with the last failure, or with
 * `signal.reason` when the signal aborts before an attempt or while it waits.
 */
export async function retrying<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  signal: AbortSignal | undefined,
  hooks: RetryHooks = {},
): Promise<T> {
  for (let count = 0; ; count++) {
    signal?.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      if (signal?.aborted) throw error
      const delayMs = hooks.mayRetry?.(error) === false ? undefined : retryDelay(policy, count, error)
      if (delayMs === undefined) throw withRetryAt(error)
      hooks.onRetry?.(count + 1, delayMs, error)
      await ambient().sleep(delayMs, signal)
    }
  }
}
