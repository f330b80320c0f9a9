import { AgentScopeError, ambient, errorJson } from "@agentscope-ts/message"
import { modelError } from "./errors/model-error.ts"
import { retryDelay, type RetryPolicy, withRetryAt } from "./retry-policy.ts"
import type { ResponseBuilder } from "./stream/response-builder.ts"

/** Makes a call, and makes it again by the policy for as long as it fails before it has said anything. */
export async function attempts(
  send: () => Promise<void>,
  builder: ResponseBuilder,
  policy: RetryPolicy,
  signal: AbortSignal | undefined,
  name: string,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted()
    try {
      await send()
      if (builder.finished) return
      const message = `The answer of ${name} ended before it was complete.`
      throw modelError({ code: "malformed_response", message })
    } catch (error) {
      if (signal?.aborted) throw error
      // the answer is complete: a connection that breaks after it loses nothing
      if (builder.finished && AgentScopeError.is(error, "network")) return
      const delayMs = builder.started || builder.finished ? undefined : retryDelay(policy, attempt, error)
      if (delayMs === undefined) throw withRetryAt(error)
      builder.sink?.onRetry?.({ attempt: attempt + 1, delayMs, error: errorJson(error) })
      builder.reset()
      await ambient().sleep(delayMs, signal)
    }
  }
}
