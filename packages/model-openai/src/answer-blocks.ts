import type { CallSink } from "@agentscope-ts/model"
import { BlockWriter } from "@agentscope-ts/model/wire"
import { addDetails, type ReasoningDetail, textOfDetails } from "./reasoning-details.ts"

/** The blocks of an answer, with what goes with thinking. */
export class AnswerBlocks extends BlockWriter {
  readonly #provider: string
  /** How much was said, in whichever blocks. */
  readonly said = { text: 0, thinking: 0 }
  #thinking = ""
  #details: ReasoningDetail[] = []

  constructor(sink: CallSink, provider: string) {
    super(sink)
    this.#provider = provider
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

  /** Closes what needs a whole block. Returns false when a tool call has no name. */
  override end(): boolean {
    const named = super.end()
    this.#closeThinking()
    if (this.#details.length > 0) this.wholeBlock(this.#thought())
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
