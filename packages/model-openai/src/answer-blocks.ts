import type { CallSink } from "@agentscope-ts/model"
import { BlockWriter, joinBase64, objectIn, textIn } from "@agentscope-ts/model/wire"
import { addDetails, type ReasoningDetail, textOfDetails } from "./reasoning-details.ts"

/** The blocks of an answer, with what goes with thinking, and sound. */
export class AnswerBlocks extends BlockWriter {
  readonly #provider: string
  readonly #audioType: string
  /** How much was said, in whichever blocks. */
  readonly said = { text: 0, thinking: 0 }
  #thinking = ""
  #details: ReasoningDetail[] = []
  #audio: string[] = []

  constructor(sink: CallSink, provider: string, audioType = "audio/wav") {
    super(sink)
    this.#provider = provider
    this.#audioType = audioType
  }

  override text(text: string): void {
    super.text(text)
    this.said.text += text.length
  }

  override thinking(text: string): void {
    super.thinking(text)
    this.said.thinking += text.length
    this.#thinking += text
  }

  /** Data that goes with thinking; `showText` where its text is told nowhere else. */
  reasoningDetails(pieces: readonly ReasoningDetail[], showText: boolean, whole: boolean): void {
    addDetails(this.#details, pieces, whole)
    if (showText) this.thinking(textOfDetails(pieces))
  }

  /** Spoken answers: the words as text, the sound as one block at the end. */
  audio(value: unknown): void {
    const { transcript, data } = objectIn<{ data?: unknown; transcript?: unknown }>(value) ?? {}
    this.text(textIn(transcript))
    if (textIn(data) !== "") this.#audio.push(textIn(data))
  }

  /** Closes what needs a whole block. Returns false when a tool call has no name. */
  override end(): boolean {
    const named = super.end()
    this.#closeThinking()
    if (this.#details.length > 0) this.wholeBlock(this.#thought())
    if (this.#audio.length > 0) {
      const data = joinBase64(this.#audio)
      this.#audio = []
      this.wholeBlock({ type: "audio", source: { type: "base64", mediaType: this.#audioType, data } })
    }
    return named
  }

  protected override next(type: "text" | "thinking" | "call" | "media"): number {
    this.#closeThinking()
    return super.next(type)
  }

  #closeThinking(): void {
    if (this.open !== "thinking") return
    if (this.#details.length > 0) {
      this.sink.emit({ type: "block_end", index: this.count - 1, block: this.#thought() })
    }
    this.#thinking = ""
    this.open = undefined
  }

  /** The thinking so far with its details, which are told by it. */
  #thought() {
    const opaque = { provider: this.#provider, data: { reasoning_details: this.#details } }
    this.#details = []
    return { type: "thinking", thinking: this.#thinking, opaque } as const
  }
}
