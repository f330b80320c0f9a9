import type { AudioBlock } from "@agentscope-ts/message"

/** A text to be spoken. `P` are the provider's own settings. */
export interface SpeechRequest<P extends object = object> {
  readonly text: string
  /** The provider's name of a voice. */
  readonly voice?: string | undefined
  /** The form of the sound: `mp3`, `wav`, `pcm`, … */
  readonly format?: string | undefined
  /** 1 is the voice's own pace. */
  readonly speed?: number | undefined
  readonly params?: P | undefined
  readonly signal?: AbortSignal | undefined
}

/** What was spoken. */
export interface SpeechResponse {
  readonly audio: AudioBlock
  readonly usage: { readonly timeMs: number }
}

/** Speaks texts. Failures have the codes of a model. */
export interface SpeechModel<P extends object = object> {
  readonly provider: string
  readonly model: string
  synthesize(request: SpeechRequest<P>): Promise<SpeechResponse>
  /** The bytes of the sound as they come. Leaving early ends the request. */
  stream(request: SpeechRequest<P>): AsyncIterable<Uint8Array>
}
