import type { ChatDelta, ChatUsage, StopReason } from "@agentscope-ts/message"
import type { AttributeValue } from "@agentscope-ts/tracing"

/** The figures of a call, as far as the provider tells them. */
export type ToldUsage = { [K in keyof ChatUsage]?: ChatUsage[K] | undefined } & {
  /** How much of `cacheWriteTokens` the cache keeps for longer than usual, and for another price; it only goes into the cost. */
  cacheWriteLongTokens?: number | undefined
}

/** How a call ended. Figures that the provider did not send are left out; `id` is the provider's id of the response. */
export interface CallEnd {
  id?: string | undefined
  stopReason: StopReason
  usage?: ToldUsage | undefined
  /** The value for the request's schema, from a provider that parses it itself; otherwise it is parsed from the text. */
  structured?: unknown
  /** The words of a refusal, from a provider that keeps them apart from what the model says. */
  refusal?: string | undefined
}

/** Attributes of a span, by name. */
export type TracedAttributes = Readonly<Record<string, AttributeValue | undefined>>

/** What is known of an answer before its end. */
export type CallHead = Pick<CallEnd, "id" | "usage"> & {
  /** What only a trace says of the answer, such as the exact model that gave it. */
  traced?: TracedAttributes | undefined
}

/** Where a provider puts what its model says. */
export interface CallSink {
  /** Whether the caller wants a stream; if not, the provider makes a non-streaming request. */
  readonly streaming: boolean
  /**
   * Tells the provider's response id, or figures, before the end: snapshots carry them, and so does an answer that breaks
   * off. Called again, it adds to what it said before. Need not be called.
   */
  begin(head: CallHead): void
  /**
   * Tells of something that the caller should know and that does not fail the call (a setting that the provider cannot
   * keep, say): agents pass it on as a `warning` event. `code` is stable, in snake_case.
   */
  warn(code: string, message: string): void
  /**
   * Adds a delta; consumers get this very object. Opening a block closes an open text or thinking block; a tool call is
   * closed when a later block opens and its arguments are complete, else at the end: `block_end` is for whole blocks
   * (media, blocks with opaque data). Several blocks may be open at once, told apart by `index`.
   */
  emit(delta: ChatDelta): void
  /** Ends the response and closes what is open. Called again, it adds to what it said before. */
  finish(end: CallEnd): void
}
