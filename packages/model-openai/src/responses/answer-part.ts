import type { ChatDelta, Opaque } from "@agentscope-ts/message"

/** The blocks of an answer that are told one after the other: which is open, and which index comes next. */
export class OpenBlocks {
  readonly #emit: (delta: ChatDelta) => void
  #count = 0
  /** The part whose text or thinking block is open. */
  open: AnswerPart | undefined

  constructor(emit: (delta: ChatDelta) => void) {
    this.#emit = emit
  }

  /** Opens the next block, and so closes a text or thinking before it. */
  next(part?: AnswerPart): number {
    this.open = part
    return this.#count++
  }

  /** Whether no block was opened after this one. */
  isLast(index: number): boolean {
    return index === this.#count - 1
  }

  emit(delta: ChatDelta): void {
    this.#emit(delta)
  }
}

/** A part of an item that grows: a text, or thinking. */
export class AnswerPart {
  readonly #blocks: OpenBlocks
  readonly #type: "text" | "thinking"
  #index = -1
  /** What its block holds. */
  #text = ""
  /** How much was told of it, in whichever blocks. */
  #told = 0
  #closed = false

  constructor(blocks: OpenBlocks, type: "text" | "thinking") {
    this.#blocks = blocks
    this.#type = type
  }

  add(text: string): void {
    if (text === "" || this.#closed) return
    if (this.#blocks.open !== this) {
      this.#index = this.#blocks.next(this)
      this.#text = ""
    }
    this.#text += text
    this.#told += text.length
    const index = this.#index
    this.#blocks.emit(
      this.#type === "text" ? { type: "text_delta", index, text } : { type: "thinking_delta", index, text },
    )
  }

  /** Takes the whole text: what was not told of it yet is. */
  upTo(whole: string): void {
    if (whole.length > this.#told) this.add(whole.slice(this.#told))
  }

  /** Ends its block with the provider's own data, when it is the open one. Returns whether it was. */
  close(opaque: Opaque): boolean {
    if (this.#blocks.open !== this) return false
    const block =
      this.#type === "text"
        ? ({ type: "text", text: this.#text, opaque } as const)
        : ({ type: "thinking", thinking: this.#text, opaque } as const)
    this.#blocks.emit({ type: "block_end", index: this.#index, block })
    this.#blocks.open = undefined
    this.#closed = true
    return true
  }
}
