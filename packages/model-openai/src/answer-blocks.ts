import type { ChatDelta } from "@agentscope-ts/message"
import type { CallSink } from "@agentscope-ts/model"
import { type CallPiece, objectIn, textIn, ToolCalls } from "@agentscope-ts/model/wire"
import { ReasoningDetails } from "./reasoning-details.ts"

/** Turns what an answer says into deltas of blocks: a new kind of content opens a new block. */
export class AnswerBlocks {
  readonly calls: ToolCalls
  readonly #sink: CallSink
  readonly #provider: string
  readonly #audioType: string
  readonly #details = new ReasoningDetails()
  #count = 0
  #open: "text" | "thinking" | "call" | undefined
  #thinking = ""
  #audio: string[] = []

  constructor(sink: CallSink, provider: string, audioType = "audio/wav") {
    this.#sink = sink
    this.#provider = provider
    this.#audioType = audioType
    this.calls = new ToolCalls({ next: () => this.#next("call"), emit: (delta) => this.#sink.emit(delta) })
  }

  text(text: string): void {
    if (text === "") return
    if (this.#open !== "text") this.#next("text")
    this.#sink.emit({ type: "text_delta", index: this.#count - 1, text })
  }

  thinking(text: string): void {
    if (text === "") return
    if (this.#open !== "thinking") this.#next("thinking")
    this.#thinking += text
    this.#sink.emit({ type: "thinking_delta", index: this.#count - 1, text })
  }

  /** Data that goes with thinking; `showText` where its text is told nowhere else. */
  reasoningDetails(pieces: readonly object[], showText: boolean, whole: boolean): void {
    this.#details.add(pieces, whole)
    if (showText) this.thinking(ReasoningDetails.textOf(pieces))
  }

  call(piece: CallPiece, whole = false): void {
    this.calls.add(piece, whole)
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
  end(): boolean {
    const named = this.calls.end()
    this.#closeThinking()
    if (!this.#details.empty) this.#opaqueThinking(this.#next("thinking"))
    if (this.#audio.length > 0) {
      const source = { type: "base64", mediaType: this.#audioType, data: joinBase64(this.#audio) } as const
      this.#emit({ type: "block_end", index: this.#next(undefined), block: { type: "audio", source } })
      this.#audio = []
    }
    return named
  }

  #next(type: "text" | "thinking" | "call" | undefined): number {
    this.#closeThinking()
    this.#open = type
    return this.#count++
  }

  #closeThinking(): void {
    if (this.#open !== "thinking") return
    if (!this.#details.empty) this.#opaqueThinking(this.#count - 1)
    this.#thinking = ""
    this.#open = undefined
  }

  #opaqueThinking(index: number): void {
    const opaque = { provider: this.#provider, data: this.#details.take() }
    this.#emit({ type: "block_end", index, block: { type: "thinking", thinking: this.#thinking, opaque } })
    this.#open = undefined
    this.#thinking = ""
  }

  #emit(delta: ChatDelta): void {
    this.#sink.emit(delta)
  }
}

/** Pieces that were encoded one by one: where one ends in padding, the bytes must be put together. */
function joinBase64(pieces: readonly string[]): string {
  if (pieces.slice(0, -1).every((piece) => piece.length % 4 === 0 && !piece.endsWith("="))) return pieces.join("")
  const bytes = pieces.map((piece) => atob(piece)).join("")
  return btoa(bytes)
}
