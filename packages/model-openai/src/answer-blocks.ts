import type { CallSink } from "@agentscope-ts/model"
import { BlockWriter, joinBase64, objectIn, textIn } from "@agentscope-ts/model/wire"
import { ReasoningDetails } from "./reasoning-details.ts"

/** The blocks of an answer, with what goes with thinking, and sound. */
export class AnswerBlocks extends BlockWriter {
  readonly #provider: string
  readonly #audioType: string
  readonly #details = new ReasoningDetails()
  #thinking = ""
  #audio: string[] = []

  constructor(sink: CallSink, provider: string, audioType = "audio/wav") {
    super(sink)
    this.#provider = provider
    this.#audioType = audioType
  }

  override thinking(text: string): void {
    super.thinking(text)
    this.#thinking += text
  }

  /** Data that goes with thinking; `showText` where its text is told nowhere else. */
  reasoningDetails(pieces: readonly object[], showText: boolean, whole: boolean): void {
    this.#details.add(pieces, whole)
    if (showText) this.thinking(ReasoningDetails.textOf(pieces))
  }

  /** Spoken answers: the words as text, the sound as one block at the end. */
  audio(value: unknown): void {
    const audio = objectIn<{ data?: unknown; transcript?: unknown }>(value)
    if (!audio) return
    this.text(textIn(audio.transcript))
    const data = textIn(audio.data)
    if (data !== "") this.#audio.push(data)
  }

  /** Closes what needs a whole block. Returns false when a tool call has no name. */
  override end(): boolean {
    const named = super.end()
    this.#closeThinking()
    if (!this.#details.empty) this.#opaqueThinking(this.next("thinking"))
    if (this.#audio.length > 0) {
      const source = { type: "base64", mediaType: this.#audioType, data: joinBase64(this.#audio) } as const
      this.sink.emit({ type: "block_end", index: this.next("media"), block: { type: "audio", source } })
      this.#audio = []
    }
    return named
  }

  protected override next(type: "text" | "thinking" | "call" | "media"): number {
    this.#closeThinking()
    return super.next(type)
  }

  #closeThinking(): void {
    if (this.open !== "thinking") return
    if (!this.#details.empty) this.#opaqueThinking(this.count - 1)
    this.#thinking = ""
    this.open = undefined
  }

  #opaqueThinking(index: number): void {
    const opaque = { provider: this.#provider, data: this.#details.take() }
    this.sink.emit({ type: "block_end", index, block: { type: "thinking", thinking: this.#thinking, opaque } })
    this.open = undefined
    this.#thinking = ""
  }
}
