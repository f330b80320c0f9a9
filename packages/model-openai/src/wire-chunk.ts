/**
 * A chunk of a stream, or a whole answer, as far as it is read. Compatible endpoints fill in what they like: nothing is
 * taken for granted but that it is an object.
 */
export interface WireChunk {
  readonly id?: unknown
  readonly object?: unknown
  readonly choices?: unknown
  readonly usage?: unknown
  readonly error?: unknown
  readonly message?: unknown
  readonly detail?: unknown
  readonly x_groq?: { readonly usage?: unknown } | null
}

/** One of a chunk's choices; only the first is read. */
export interface WireChoice {
  readonly index?: unknown
  readonly delta?: WireDelta | null
  readonly message?: WireDelta | null
  readonly finish_reason?: unknown
  readonly usage?: unknown
  readonly error?: unknown
}

/** What a choice adds, or its whole message. */
export interface WireDelta {
  readonly content?: unknown
  readonly reasoning_content?: unknown
  readonly reasoning?: unknown
  readonly reasoning_details?: unknown
  readonly refusal?: unknown
  readonly tool_calls?: unknown
  readonly function_call?: unknown
  readonly audio?: unknown
}

/** A part of a content that is a list. */
export interface WirePart {
  readonly type?: unknown
  readonly text?: unknown
  readonly thinking?: unknown
  readonly refusal?: unknown
}
