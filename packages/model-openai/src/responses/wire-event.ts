import type { JsonObject } from "@agentscope-ts/message"

/** An event of a stream, as far as it is read. Servers fill in what they like: nothing is taken for granted. */
export interface WireEvent {
  readonly type?: unknown
  readonly output_index?: unknown
  readonly item_id?: unknown
  readonly content_index?: unknown
  readonly summary_index?: unknown
  readonly delta?: unknown
  readonly text?: unknown
  readonly arguments?: unknown
  readonly input?: unknown
  readonly item?: unknown
  readonly part?: unknown
  readonly response?: unknown
  readonly error?: unknown
}

/** A response, or what is there of it. */
export interface WireResponse {
  readonly id?: unknown
  readonly object?: unknown
  readonly status?: unknown
  readonly store?: unknown
  readonly output?: unknown
  readonly usage?: unknown
  readonly error?: unknown
  readonly incomplete_details?: { readonly reason?: unknown } | null
}

/** An item of an answer. */
export interface WireItem extends JsonObject {
  readonly type: string
}

/** A part of a message, or of what a reasoning item tells. */
export interface WirePart {
  readonly type?: unknown
  readonly text?: unknown
  readonly refusal?: unknown
  readonly annotations?: unknown
}
