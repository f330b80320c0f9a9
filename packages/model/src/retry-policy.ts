import { AgentScopeError, ambient, newId } from "@agentscope-ts/message"

/** How a failed call is made again. Only calls that have said nothing yet are. */
export interface RetryPolicy {
  /** How many times after the first. Default 2. */
  maxRetries?: number | undefined
  /** The first wait in milliseconds; each next one is twice as long, give or take a quarter. Default 500. */
  initialDelayMs?: number | undefined
  /**
   * The longest wait in milliseconds. A provider that asks for a longer one makes the call fail at once, with
   * `details.retryAt` (ISO 8601). Default 60 000.
   */
  maxDelayMs?: number | undefined
  /** Which errors are worth it. Default: those that say `retryable`. */
  retryOn?: ((error: unknown) => boolean) | undefined
}

/** The wait in milliseconds before retry number `attempt` (from 0), or undefined when there is to be none. */
export function retryDelay(policy: RetryPolicy, attempt: number, error: unknown): number | undefined {
  const { maxRetries = 2, initialDelayMs = 500, maxDelayMs = 60_000, retryOn = isRetryable } = policy
  if (attempt >= maxRetries || !retryOn(error)) return undefined
  const asked = retryAfterMs(error)
  if (asked !== undefined) return asked > maxDelayMs ? undefined : asked
  return Math.round(Math.min(initialDelayMs * 2 ** attempt * (0.75 + jitter() / 2), maxDelayMs))
}

/** What the provider asked to wait, in milliseconds. */
export function retryAfterMs(error: unknown): number | undefined {
  const asked = AgentScopeError.is(error) ? error.details["retryAfterMs"] : undefined
  return typeof asked === "number" && asked >= 0 ? asked : undefined
}

/** The error with `details.retryAt` when the provider said when to come back. */
export function withRetryAt(error: unknown): unknown {
  const asked = retryAfterMs(error)
  if (asked === undefined || !AgentScopeError.is(error) || "retryAt" in error.details) return error
  const { code, message, retryable, cause, details } = error
  // the last moment that a Date can hold is as good as never
  const retryAt = new Date(Math.min(ambient().now() + asked, 8.64e15)).toISOString()
  return new AgentScopeError({ code, message, retryable, cause, details: { ...details, retryAt } })
}

const isRetryable = (error: unknown): boolean => AgentScopeError.is(error) && error.retryable

/** From 0 to 1, out of the seam's ids: under a tape the same waits come again. */
function jitter(): number {
  let sum = 0
  for (const char of newId()) sum += char.charCodeAt(0)
  return (sum % 101) / 100
}
