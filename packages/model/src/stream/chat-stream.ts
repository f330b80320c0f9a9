import type { ChatDelta, ErrorJson, ToolUseBlock } from "@agentscope-ts/message"
import type { CallWarning, ChatResponse, ChatSnapshot } from "../chat-response.ts"
import type { Gate } from "./gate.ts"

/** Listens to a stream synchronously, with no iterator between. What a listener throws fails the call. */
export interface ChatStreamSink {
  onDelta?(delta: ChatDelta): void
  /** A tool call is complete and may run; with `rawInput` its arguments did not parse and it must not. */
  onToolUse?(block: ToolUseBlock): void
  /**
   * The call is made again after `delayMs`; `attempt` counts from 1. Either it failed before it said anything, or its
   * answer did not do: then all that came of it is void, and blocks count from 0 again.
   */
  onRetry?(retry: { readonly attempt: number; readonly delayMs: number; readonly error: ErrorJson }): void
  /** What the response has as `warnings`, at once; each comes once a call. */
  onWarning?(warning: CallWarning): void
  /** Passed by every request of the call, those of retries and repeated questions too, before any other gate. */
  readonly gate?: Gate
}

/**
 * A model's answer as it comes. Nothing is sent until it is first used. It has one consumer (`for await`, `snapshots` or
 * `drive`: a second one gets the error `stream_consumed`); `response` and `partial` are there for everybody. Leaving a
 * `for await` early aborts the request.
 */
export interface ChatStream<T = unknown> extends AsyncIterable<ChatDelta> {
  /** After each delta all that has come so far. Reading a snapshot costs something, leaving it unread nothing. */
  snapshots(): AsyncIterable<ChatSnapshot>
  /** The finished answer; asking for it starts the call. Rejects with the call's `AgentScopeError`. */
  readonly response: Promise<ChatResponse<T>>
  /** Runs the call into a synchronous listener: the cheapest way. */
  drive(sink: ChatStreamSink): Promise<ChatResponse<T>>
  /** What there is by now, also after a failure: `stopReason` is `interrupted`, or `error` after a failure. */
  partial(): ChatResponse
}
