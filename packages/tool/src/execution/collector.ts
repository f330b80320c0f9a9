import { cutText, cutTextStart, type MediaBlock, type TextBlock } from "@agentscope-ts/message"
import { isToolResponse, type ToolResponse } from "../define/response.ts"
import { plainText } from "./json-text.ts"
import { bounded, detached, shownCut, tailOf } from "./cut-output.ts"
import { isOutputBlock, keptOf, merged, type Output } from "./output.ts"

type Block = TextBlock | MediaBlock

/** The most characters that are kept to be spilled. */
const mostKept = 2 ** 26

/**
 * Joins what a generator yields: texts are glued together, blocks stay blocks, other values stand as JSON on lines of their
 * own. Past `limit` characters, text is counted and only its end kept; all of it, up to 64 million characters, where it
 * `keepsAll`.
 */
export class Collector {
  readonly #limit: number
  readonly #keepsAll: boolean
  #blocks: Block[] = []
  #texts: string[] = []
  #total = 0
  /** The end of the text, once it is past the limit, and all of it. */
  #end = ""
  #all: string[] | undefined
  #response: ToolResponse<unknown> | undefined
  #value: unknown
  #valued = false
  /** Whether what came last stands on a line of its own. */
  #alone = false

  constructor(limit: number, keepsAll = false) {
    this.#limit = limit
    this.#keepsAll = keepsAll
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
    if (text.length > left) this.#keepRest(text)
    this.#total += text.length
    if (left <= 0) return []
    const kept = cutText(text, left)
    this.#texts.push(kept)
    return [{ type: "text", text: kept }]
  }

  #keepRest(text: string): void {
    const before = this.#total > this.#limit ? "" : this.#textSoFar()
    if (this.#keepsAll && this.#total < mostKept) (this.#all ??= [before]).push(text)
    const tail = tailOf(this.#limit)
    const end = this.#end + cutTextStart(before, tail) + cutTextStart(text, tail)
    // flat and on its own, but not anew for each small piece
    this.#end = end.length > 2 * tail ? detached(cutTextStart(end, tail)) : end
  }

  #textSoFar(): string {
    return this.#blocks.map((block) => (block.type === "text" ? block.text : "")).join("") + this.#texts.join("")
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
    const blocks = this.empty ? [{ type: "text" as const, text: "" }] : this.#blocks
    const shown = this.#total > this.#limit ? this.#cut() : bounded(blocks, this.#limit)
    const value = this.#response ? this.#response.structured : isOutputBlock(this.#value) ? undefined : this.#value
    return merged(shown, keptOf(value, this.#limit), this.#response)
  }

  #cut(): Output {
    const end = cutTextStart(this.#end, tailOf(this.#limit))
    const all = this.#all ?? []
    const left = this.#total - mostKept
    const note = left > 0 ? `\n[${left} more characters were not kept.]` : ""
    return shownCut(
      [...this.#blocks, { type: "text", text: end }],
      this.#limit,
      this.#total,
      () => cutText(all.join(""), mostKept) + note,
    )
  }

  /** The generator's value in code: the joined text, or the last yield that was none. */
  get value(): unknown {
    if (this.#response) return this.#response.structured
    return this.#valued ? this.#value : this.#texts.join("")
  }
}
