import { type JsonObject, newId, type Opaque } from "@agentscope-ts/message"
import { objectIn } from "@agentscope-ts/model/wire"
import type { OpenBlocks } from "./answer-part.ts"

/** A call of a function or of a tool that takes free text, as it comes. */
export class AnswerCall {
  readonly #blocks: OpenBlocks
  readonly #freeText: boolean
  #index = -1
  #id = ""
  #name = ""
  /** What was told of the arguments on the wire, or is held back until the call has a name. */
  #input = ""

  constructor(blocks: OpenBlocks, freeText: boolean) {
    this.#blocks = blocks
    this.#freeText = freeText
  }

  /** Whether it could be told. */
  get started(): boolean {
    return this.#index >= 0
  }

  start(id: string, name: string): void {
    if (this.started || name === "") return
    this.#id = id === "" ? `call_${newId()}` : id
    this.#name = name
    this.#index = this.#blocks.next()
    this.#blocks.emit({ type: "tool_use_start", index: this.#index, id: this.#id, name })
    if (this.#freeText) this.#tell('{"input":"')
    const held = this.#input
    this.#input = ""
    this.add(held)
  }

  add(piece: string): void {
    if (piece === "") return
    this.#input += piece
    if (this.started) this.#tell(this.#freeText ? JSON.stringify(piece).slice(1, -1) : piece)
  }

  /** Takes the whole input: what was not told of it yet is. */
  upTo(whole: string): void {
    if (whole.length > this.#input.length) this.add(whole.slice(this.#input.length))
  }

  /** Ends the call; with the provider's own data where there is any. */
  end(opaque: Opaque | undefined): void {
    if (!this.started) return
    if (this.#freeText) this.#tell('"}')
    // an earlier block is closed where its arguments were complete
    if (opaque === undefined || !(this.#freeText || this.#blocks.isLast(this.#index))) return
    const head = { type: "tool_use", id: this.#id, name: this.#name } as const
    this.#blocks.emit({ type: "block_end", index: this.#index, block: { ...head, ...this.#parsed(), opaque } })
  }

  #tell(json: string): void {
    this.#blocks.emit({ type: "tool_use_delta", index: this.#index, id: this.#id, json })
  }

  #parsed(): { readonly input: JsonObject; readonly rawInput?: string } {
    const text = this.#input
    if (this.#freeText) return { input: { input: text } }
    if (text.trim() === "") return { input: {} }
    try {
      const input = objectIn<JsonObject>(JSON.parse(text))
      if (input) return { input }
    } catch {
      // told as it is
    }
    return { input: {}, rawInput: text }
  }
}
