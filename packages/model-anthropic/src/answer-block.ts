import type { JsonObject } from "@agentscope-ts/message"
import { GrowingBlock, objectIn, objectOf, objectsIn, type OpenBlocks, textIn } from "@agentscope-ts/model/wire"

type Wire = Record<string, unknown>

const kinds = { text: "text", thinking: "thinking", tool_use: "json" } as const

/** A block of the answer while it comes. */
export class AnswerBlock {
  readonly index: number
  readonly type: string
  /** The field of a delta that adds to this block's text. */
  readonly field: "text" | "thinking" | "partial_json"
  /** Whether the whole block was told: nothing can follow. */
  isTold = false
  readonly #wire: Wire
  readonly #block: GrowingBlock

  constructor(index: number, wire: Wire, blocks: OpenBlocks) {
    this.index = index
    this.type = textIn(wire["type"])
    this.field = this.type === "text" || this.type === "thinking" ? this.type : "partial_json"
    this.#wire = { ...wire }
    this.#block = new GrowingBlock(blocks, kinds[this.type as keyof typeof kinds] ?? "own")
    if (this.type === "tool_use") this.#block.start(textIn(wire["id"]), textIn(wire["name"]))
    else this.add(textIn(wire[this.field]))
  }

  /** More of the text. */
  add(text: string): void {
    this.#block.add(text)
  }

  /** A delta that adds to something else than the text: texts and lists grow, anything else takes its place. */
  delta({ type, citation, ...fields }: Wire): void {
    for (const [key, value] of Object.entries(type === "citations_delta" ? { citations: [citation] } : fields)) {
      const before = this.#wire[key]
      if (typeof before === "string" && typeof value === "string") this.#wire[key] = before + value
      else if (Array.isArray(before) && Array.isArray(value)) this.#wire[key] = [...before, ...value] as unknown[]
      else this.#wire[key] = value
    }
  }

  /** The block is whole: what goes with it is told. */
  end(): void {
    if (this.isTold || this.type === "") return
    const data = this.#data()
    const isOwn = Object.keys(data).length > 0
    if (isOwn) this.isTold = this.#block.end({ provider: "anthropic", data: data as JsonObject })
  }

  /** What goes with the block: of text its citations, of thinking its signature; of what is Anthropic's own all of it. */
  #data(): Wire {
    const { type: _, id: __, name: ___, input, caller, ...rest } = this.#wire
    switch (this.type) {
      case "text": {
        const citations = objectsIn(rest["citations"])
        return citations.length > 0 ? { citations } : {}
      }
      case "thinking":
        return textIn(rest["signature"]) === "" ? {} : { signature: rest["signature"] }
      case "tool_use": {
        // no pieces came: the arguments are where the call began
        const told = objectIn<Wire>(input) ?? {}
        if (this.#block.text.trim() === "" && Object.keys(told).length > 0) this.add(JSON.stringify(told))
        // who called, where that was not the model itself
        const isDirect = (objectIn<Wire>(caller)?.["type"] ?? "direct") === "direct"
        return { ...(!isDirect && { caller }), ...rest }
      }
      default: {
        const pieces = objectOf(this.#block.text)
        return { ...this.#wire, ...(pieces && { input: pieces }) }
      }
    }
  }
}
