import type { JsonObject, JsonValue } from "./json.ts"

/**
 * Where media comes from. `base64` data has no `data:` prefix; a `url` is http(s), `data:`, `file:` or a local path.
 * `mediaType` is a MIME type such as `image/png`.
 */
export type MediaSource =
  | { readonly type: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly type: "url"; readonly url: string; readonly mediaType?: string }

/** Data of one provider (a signature, a reasoning item): goes back to that provider byte for byte, and to nobody else. */
export interface Opaque {
  readonly provider: string
  readonly data: JsonValue
}

/** Visible text. */
export interface TextBlock {
  readonly type: "text"
  readonly text: string
  readonly opaque?: Opaque
}

/**
 * Reasoning that a model showed. With `opaque` and an empty text: something of the provider's own that is neither text nor a
 * call of ours (encrypted reasoning, a tool that it ran itself), kept so that it can go back.
 */
export interface ThinkingBlock {
  readonly type: "thinking"
  readonly thinking: string
  readonly opaque?: Opaque
}

interface Media<T extends string> {
  readonly type: T
  readonly source: MediaSource
  readonly name?: string
  readonly opaque?: Opaque
}
/** A picture. */
export type ImageBlock = Media<"image">
/** Sound. */
export type AudioBlock = Media<"audio">
/** A film. */
export type VideoBlock = Media<"video">
/** A document or any other file. */
export type FileBlock = Media<"file">
/** Everything with a {@link MediaSource}. */
export type MediaBlock = ImageBlock | AudioBlock | VideoBlock | FileBlock

/**
 * A model's request to run a tool. `input` is always an object; a free-text tool's is `{ input: text }`. `rawInput` is
 * there only when the arguments did not parse: such a call never runs.
 */
export interface ToolUseBlock<In = JsonObject> {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  readonly input: In
  readonly rawInput?: string
  readonly opaque?: Opaque
}

/** How a tool call ended. */
export type ToolResultState = "success" | "error" | "interrupted" | "denied" | "suspended"

/** The answer to the {@link ToolUseBlock} of the same `id`. `structured` is the tool's own value, for programs. */
export interface ToolResultBlock<Out = unknown> {
  readonly type: "tool_result"
  readonly id: string
  readonly name: string
  readonly output: readonly (TextBlock | MediaBlock)[]
  readonly state: ToolResultState
  readonly structured?: Out
  readonly metadata?: JsonObject
}

/** Any part of a message. */
export type ContentBlock = TextBlock | ThinkingBlock | MediaBlock | ToolUseBlock | ToolResultBlock
/** The tags of {@link ContentBlock}. */
export type BlockType = ContentBlock["type"]
/** The block with a given tag. */
export type BlockOf<T extends BlockType> = Extract<ContentBlock, { readonly type: T }>
