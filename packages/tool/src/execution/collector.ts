import { cutText, type MediaBlock, type TextBlock } from "@agentscope-ts/message"
import { isToolResponse, type ToolResponse } from "../define/response.ts"
import { plainText } from "./json-text.ts"
import { cutNote, detached, isOutputBlock, keptOf, merged, type Output } from "./output.ts"

type Block = TextBlock | MediaBlock

/**
 * Joins what a generator yields: texts are glued together, blocks stay blocks, other values stand as JSON on lines of their
 * own. Past `limit` characters, text is counted and no longer kept.
 */
export class Collector {
  readonly #limit: number
  #blocks: Block[] = []
  #texts: string[] = []
  #total = 0
  #response: ToolResponse<unknown> | undefined
  #value: unknown
  #valued = false
  /** Whether what came last stands on a line of its own. */
  #alone = false

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes one yield and returns the blocks it adds to the output. */
  add(value: unknown): readonly Block[] {
    if (value === undefined) return []
    if (typeof value === "string") return this.#addText(value, false)
    if (typeof value === "object" && value !== null && isToolResponse(value)) {
      this.#response = value
      return value.content.flatMap((block) => this.#addBlock(block))
    }
    this.#value = value
    this.#valued = true
    return isOutputBlock(value) ? this.#addBlock(value) : this.#addText(plainText(value), true)
  }

  #addBlock(block: Block): readonly Block[] {
    if (block.type === "text") return this.#addText(block.text, false)
    this.#flush()
    this.#blocks.push(block)
    return [block]
  }

  #addText(added: string, alone: boolean): readonly Block[] {
    if (added === "") return []
    const text = this.#texts.length > 0 && (alone || this.#alone) ? `\n${added}` : added
    this.#alone = alone
    const left = this.#limit - this.#total
    this.#total += text.length
    if (left <= 0) return []
    const kept = cutText(text, left)
    this.#texts.push(kept)
    return [{ type: "text", text: kept }]
  }

  #flush(): void {
    if (this.#texts.length === 0) return
    const text = this.#texts.join("")
    this.#texts = []
    this.#blocks.push({ type: "text", text: this.#total > this.#limit ? detached(text) : text.toWellFormed() })
  }

  /** Whether there is any output so far. */
  get empty(): boolean {
    return this.#blocks.length === 0 && this.#texts.length === 0
  }

  /** What was yielded so far, as output. */
  get output(): Output {
    this.#flush()
    const cut = this.#total > this.#limit
    const note: Block = { type: "text", text: cutNote(this.#total, this.#limit).trim() }
    const shown = {
      output: cut ? [...this.#blocks, note] : this.empty ? [{ type: "text" as const, text: "" }] : this.#blocks,
      ...(cut && { metadata: { truncated: { characters: this.#total, shown: this.#limit } } }),
    }
    const value = this.#response ? this.#response.structured : isOutputBlock(this.#value) ? undefined : this.#value
    return merged(shown, keptOf(value, this.#limit), this.#response)
  }

  /** The generator's value in code: the joined text, or the last yield that was none. */
  get value(): unknown {
    if (this.#response) return this.#response.structured
    return this.#valued ? this.#value : this.#texts.join("")
  }
}
