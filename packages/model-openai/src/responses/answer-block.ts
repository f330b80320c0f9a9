import { type ChatDelta, type JsonObject, newId, type Opaque } from "@agentscope-ts/message"
import { objectIn } from "@agentscope-ts/model/wire"

/** The blocks of an answer: which text or thinking is open, and which index comes next. */
export class OpenBlocks {
  readonly emit: (delta: ChatDelta) => void
  open: AnswerBlock | undefined
  count = 0

  constructor(emit: (delta: ChatDelta) => void) {
    this.emit = emit
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
  /** What it holds; of a call that has no name yet it is not told. */
  #text = ""
  /** How much has come of it, in whichever blocks. */
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
    this.#blocks.emit({ type: "tool_use_start", index: this.#index, id: this.#id, name })
    if (this.#type === "free_text") this.#json('{"input":"')
    if (this.#text !== "") this.#tell(this.#text)
  }

  add(piece: string): void {
    if (piece === "" || this.#closed) return
    const isCall = this.#type === "json" || this.#type === "free_text"
    if (!isCall && this.#blocks.open !== this) {
      this.#index = this.#blocks.next(this)
      this.#text = ""
    }
    this.#text += piece
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
    if (opaque === undefined || !(this.#type === "free_text" || this.#index === this.#blocks.count - 1)) return false
    this.#blocks.open = undefined
    this.#blocks.emit({ type: "block_end", index: this.#index, block: { ...this.#block(), opaque } })
    return true
  }

  #tell(piece: string): void {
    const index = this.#index
    if (this.#type === "text") this.#blocks.emit({ type: "text_delta", index, text: piece })
    else if (this.#type === "thinking") this.#blocks.emit({ type: "thinking_delta", index, text: piece })
    else this.#json(this.#type === "json" ? piece : JSON.stringify(piece).slice(1, -1))
  }

  #json(json: string): void {
    this.#blocks.emit({ type: "tool_use_delta", index: this.#index, id: this.#id, json })
  }

  #block() {
    const text = this.#text
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
