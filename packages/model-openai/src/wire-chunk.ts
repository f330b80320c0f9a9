/**
 * An object as far as it is read. Compatible endpoints fill in what they like: nothing is taken for granted of its fields,
 * or that it has any.
 */
type Fields<Names extends string> = { readonly [Name in Names]?: unknown }

/** A chunk of a stream, or a whole answer. */
export interface WireChunk
  extends Fields<
    | "id"
    | "object"
    | "choices"
    | "usage"
    | "error"
    | "message"
    | "detail"
    | "model"
    | "service_tier"
    | "system_fingerprint"
  > {
  readonly x_groq?: Fields<"usage"> | null
}

/** One of a chunk's choices; only the first is read. */
export interface WireChoice extends Fields<"index" | "finish_reason" | "usage" | "error"> {
  readonly delta?: WireDelta | null
  readonly message?: WireDelta | null
}

/** What a choice adds, or its whole message. */
export type WireDelta = Fields<
  | "content"
  | "reasoning_content"
  | "reasoning"
  | "reasoning_details"
  | "refusal"
  | "tool_calls"
  | "function_call"
  | "audio"
  | "images"
>

/** A part of a content that is a list. */
export type WirePart = Fields<"type" | "text" | "thinking" | "refusal" | "image_url">
