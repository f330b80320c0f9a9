import { type JsonObject, newId, type Opaque } from "@agentscope-ts/message"
import type { CallSink } from "@agentscope-ts/model"
import { objectIn } from "@agentscope-ts/model/wire"

/** The blocks of an answer: which text or thinking is open, and which index comes next. */
export class OpenBlocks {
  readonly sink: Pick<CallSink, "emit">
  open: AnswerBlock | undefined
  count = 0

  constructor(sink: Pick<CallSink, "emit">) {
    this.sink = sink
  }

  /** Opens the next block, and so closes a text or thinking before it. */
  next(block?: AnswerBlock): number {
    this.open = block
    return this.count++
  }
}

/** A text, thinking, or the input of a call: JSON, or a free text. */
export type BlockType = "text" | "thinking" | "json" | "free_text"

/** Something of an answer that grows. */
export class AnswerBlock {
  readonly #blocks: OpenBlocks
  readonly #type: BlockType
  #index = -1
  #id = ""
  #name = ""
  /** What its present block holds, or a call that has no name yet. In a list: a text that grows costs more to keep twice. */
  #pieces: string[] = []
  /** How much has come, in whichever blocks. */
  #length = 0
  #closed = false

  constructor(blocks: OpenBlocks, type: BlockType) {
    this.#blocks = blocks
    this.#type = type
  }

  get started(): boolean {
    return this.#index >= 0
  }

  /** A call gets its name. */
  start(id: string, name: string): void {
    if (this.started || name === "") return
    this.#id = id === "" ? `call_${newId()}` : id
    this.#name = name
    this.#index = this.#blocks.next()
    this.#blocks.sink.emit({ type: "tool_use_start", index: this.#index, id: this.#id, name })
    if (this.#type === "free_text") this.#json('{"input":"')
    for (const piece of this.#pieces) this.#tell(piece)
  }

  add(piece: string): void {
    if (piece === "" || this.#closed) return
    if (this.#blocks.open !== this && (this.#type === "text" || this.#type === "thinking")) {
      this.#index = this.#blocks.next(this)
      this.#pieces = []
    }
    this.#pieces.push(piece)
    this.#length += piece.length
    if (this.started) this.#tell(piece)
  }

  /** Takes all of it: what has not come yet is told. */
  upTo(whole: string): void {
    if (whole.length > this.#length) this.add(whole.slice(this.#length))
  }

  /** Ends it, with the provider's own data where there is any. Returns whether that could be told. */
  end(opaque: Opaque | undefined): boolean {
    if (this.#closed || !this.started) return false
    this.#closed = true
    if (this.#type === "free_text") this.#json('"}')
    // what came before other blocks is closed already, but for a free text, which ends only now
    const isOpen = this.#type === "free_text" || this.#index === this.#blocks.count - 1
    if (opaque === undefined || !isOpen) return false
    this.#blocks.open = undefined
    this.#blocks.sink.emit({ type: "block_end", index: this.#index, block: { ...this.#block(), opaque } })
    return true
  }

  #tell(piece: string): void {
    const index = this.#index
    if (this.#type === "text") this.#blocks.sink.emit({ type: "text_delta", index, text: piece })
    else if (this.#type === "thinking") this.#blocks.sink.emit({ type: "thinking_delta", index, text: piece })
    else this.#json(this.#type === "json" ? piece : JSON.stringify(piece).slice(1, -1))
  }

  #json(json: string): void {
    this.#blocks.sink.emit({ type: "tool_use_delta", index: this.#index, id: this.#id, json })
  }

  #block() {
    const text = this.#pieces.join("")
    if (this.#type === "text") return { type: "text", text } as const
    if (this.#type === "thinking") return { type: "thinking", thinking: text } as const
    const call = { type: "tool_use", id: this.#id, name: this.#name } as const
    if (this.#type === "free_text") return { ...call, input: { input: text } }
    const input = text.trim() === "" ? {} : parsed(text)
    return input ? { ...call, input } : { ...call, input: {}, rawInput: text }
  }
}

function parsed(text: string): JsonObject | undefined {
  try {
    return objectIn<JsonObject>(JSON.parse(text))
  } catch {
    return undefined
  }
}
