import { newId, type Opaque } from "@agentscope-ts/message"
import type { CallSink } from "../stream/call-sink.ts"
import { GrowingText } from "../stream/growing-text.ts"
import { objectOf } from "../stream/partial-json.ts"

/** The blocks of an answer: which text or thinking is open, and which index comes next. */
export class OpenBlocks {
  readonly sink: Pick<CallSink, "emit">
  open: GrowingBlock | undefined
  count = 0

  constructor(sink: Pick<CallSink, "emit">) {
    this.sink = sink
  }

  /** Opens the next block, and so closes a text or thinking before it. */
  next(block?: GrowingBlock): number {
    this.open = block
    return this.count++
  }
}

/** A text, thinking, the input of a call (JSON, or a free text), or something of the provider's `own`. */
export type GrowingType = "text" | "thinking" | "json" | "free_text" | "own"

/**
 * Something of an answer that grows and may end with data of the provider's own. A text that goes on after another block has
 * spoken is a new block; what is the provider's `own` is told only when it ends, as thinking without words.
 */
export class GrowingBlock {
  readonly type: GrowingType
  readonly #blocks: OpenBlocks
  #index = -1
  #id = ""
  #name = ""
  /** What its present block holds, or a call that has no name yet. */
  #text = new GrowingText()
  /** How much has come, in whichever blocks. */
  #length = 0
  #closed = false

  constructor(blocks: OpenBlocks, type: GrowingType) {
    this.#blocks = blocks
    this.type = type
  }

  get started(): boolean {
    return this.#index >= 0
  }

  /** Whether it has ended: nothing can follow. */
  get closed(): boolean {
    return this.#closed
  }

  /** What its present block holds. */
  get text(): string {
    return this.#text.whole
  }

  /** A call gets its name. */
  start(id: string, name: string): void {
    if (this.started || name === "") return
    this.#id = id === "" ? `call_${newId()}` : id
    this.#name = name
    this.#index = this.#blocks.next()
    this.#blocks.sink.emit({ type: "tool_use_start", index: this.#index, id: this.#id, name })
    if (this.type === "free_text") this.#json('{"input":"')
    if (this.#text.length > 0) this.#tell(this.#text.whole)
  }

  add(piece: string): void {
    if (piece === "" || this.#closed) return
    if (this.#blocks.open !== this && this.#isSpeech) {
      this.#index = this.#blocks.next(this)
      this.#text = new GrowingText()
    }
    this.#text.add(piece)
    this.#length += piece.length
    if (this.started) this.#tell(piece)
  }

  /** Takes all of it: what has not come yet is told. */
  upTo(whole: string): void {
    if (whole.length > this.#length) this.add(whole.slice(this.#length))
  }

  /**
   * Ends it, with the provider's data where there are any. Returns whether they could be told: not with a call that has no
   * name, or no JSON for input, or with a text that other blocks have closed.
   */
  end(opaque: Opaque | undefined): boolean {
    if (this.#closed) return false
    const isCall = !this.#isSpeech && this.type !== "own"
    if (!this.started && (isCall || opaque === undefined)) return false
    if (!this.started) this.#index = this.#blocks.next()
    this.#closed = true
    if (this.type === "free_text") this.#json('"}')
    // what came before other blocks is closed already, but for a free text, which ends only now
    const isOpen = this.type === "free_text" || this.#index === this.#blocks.count - 1
    if (opaque === undefined || !isOpen) return false
    const block = this.#block()
    if (block === undefined) return false
    this.#blocks.open = undefined
    this.#blocks.sink.emit({ type: "block_end", index: this.#index, block: { ...block, opaque } })
    return true
  }

  get #isSpeech(): boolean {
    return this.type === "text" || this.type === "thinking"
  }

  #tell(piece: string): void {
    const index = this.#index
    if (this.type === "text") this.#blocks.sink.emit({ type: "text_delta", index, text: piece })
    else if (this.type === "thinking") this.#blocks.sink.emit({ type: "thinking_delta", index, text: piece })
    else if (this.type !== "own") this.#json(this.type === "json" ? piece : JSON.stringify(piece).slice(1, -1))
  }

  #json(json: string): void {
    this.#blocks.sink.emit({ type: "tool_use_delta", index: this.#index, id: this.#id, json })
  }

  #block() {
    const { text } = this
    if (this.type === "text") return { type: "text", text } as const
    if (this.type === "thinking") return { type: "thinking", thinking: text } as const
    if (this.type === "own") return { type: "thinking", thinking: "" } as const
    const input = this.type === "free_text" ? { input: text } : text.trim() === "" ? {} : objectOf(text)
    return input && ({ type: "tool_use", id: this.#id, name: this.#name, input } as const)
  }
}
