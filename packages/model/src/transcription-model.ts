import type { AudioBlock, VideoBlock } from "@agentscope-ts/message"

/** Speech to be written down. `P` are the provider's own settings. */
export interface TranscriptionRequest<P extends object = object> {
  /** A block, or where the sound is: a path, a `file:`, `data:` or web URL. */
  readonly audio: AudioBlock | VideoBlock | string
  /** The language that is spoken, as ISO 639-1 (`en`). */
  readonly language?: string | undefined
  /** Words that help to hear right: names, the style. */
  readonly prompt?: string | undefined
  /** Asks for `segments`, by sentence or by word. */
  readonly timestamps?: "segment" | "word" | undefined
  readonly params?: P | undefined
  readonly signal?: AbortSignal | undefined
}

/** A piece of what was said; times in seconds from the beginning. */
export interface TranscriptionSegment {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** What was said; absent figures were not told. */
export interface TranscriptionResponse {
  readonly text: string
  readonly language?: string
  readonly durationSeconds?: number
  readonly segments?: readonly TranscriptionSegment[]
  readonly usage: { readonly inputTokens?: number; readonly outputTokens?: number; readonly timeMs: number }
}

/** Writes down what is said. Failures have the codes of a model. */
export interface TranscriptionModel<P extends object = object> {
  readonly provider: string
  readonly model: string
  transcribe(request: TranscriptionRequest<P>): Promise<TranscriptionResponse>
}
