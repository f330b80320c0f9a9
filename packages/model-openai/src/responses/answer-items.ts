import type { JsonObject } from "@agentscope-ts/message"
import type { CallSink } from "@agentscope-ts/model"
import { GrowingBlock, type GrowingType, objectIn, objectsIn, OpenBlocks, textIn } from "@agentscope-ts/model/wire"

/** An item that was begun; `blocks` by their places in it. */
interface Item {
  readonly blocks: Map<string, GrowingBlock>
  /** What its first event says of it. */
  head: JsonObject
  /** There once it is whole. */
  end: JsonObject | undefined
}

/** The items that go back as they were said, and need no id where nothing is stored. */
const inline = ["message", "reasoning", "function_call", "custom_tool_call"]

/** Turns the items of an answer into deltas of blocks, in whichever pieces and order they come. */
export class AnswerItems {
  refusal = ""
  /** Whether the provider says that it keeps nothing: then ids mean nothing to it. */
  stateless = false
  readonly #blocks: OpenBlocks
  readonly #provider: string
  readonly #items = new Map<unknown, Item>()
  readonly #ended = new Set<unknown>()
  /** Whether reasoning came that can only be returned by its id: what follows it then needs its own. */
  #bare = false

  constructor(sink: Pick<CallSink, "emit">, provider: string) {
    this.#blocks = new OpenBlocks(sink)
    this.#provider = provider
  }

  /** Whether something came, and all of it to its end. */
  get settled(): boolean {
    return this.#items.size > 0 && [...this.#items.values()].every(({ end }) => end)
  }

  /** Whether a call has no name: it cannot be told. */
  get nameless(): boolean {
    return [...this.#items.values()].some(({ blocks }) => blocks.get("call")?.started === false)
  }

  /** What tells an event's item apart: its place, or its id where a server leaves that out or gives it to a second item. */
  keyOf({ output_index: index, item_id, item }: JsonObject): unknown {
    const id = item_id ?? objectIn<JsonObject>(item)?.["id"]
    if (typeof index !== "number") return id
    const { end } = this.#items.get(index) ?? {}
    return end !== undefined && id !== undefined && end["id"] !== id ? id : index
  }

  /** The block that a piece belongs to. */
  block(key: unknown, type: GrowingType, place: string): GrowingBlock {
    const { blocks } = this.#item(key)
    let block = blocks.get(place)
    if (block === undefined) {
      block = new GrowingBlock(this.#blocks, type)
      blocks.set(place, block)
    }
    return block
  }

  /** An item begins. */
  begin(key: unknown, item: JsonObject): void {
    this.#item(key).head = item
    this.#call(key, item)
  }

  /** A part of a message is whole. */
  partDone(key: unknown, index: number, part: JsonObject): void {
    const { head, end } = this.#item(key)
    // where ids count, that of the message comes with its end
    if (!end && !this.#bare) this.#part(key, index, part, head)
  }

  /** All items as the end of an answer has them: those that no event has told, or not to their end, are. */
  all(output: readonly JsonObject[]): void {
    output.forEach((item, i) => {
      if (!this.#ended.has(item["id"])) this.end(this.#items.has(i) ? i : (item["id"] ?? i), item)
    })
  }

  /** An item is whole. */
  end(key: unknown, whole: JsonObject): void {
    const item = this.#item(key)
    if (item.end || typeof whole["type"] !== "string") return
    item.end = whole
    if (whole["id"] !== undefined) this.#ended.add(whole["id"])
    const own = this.#own({ ...whole, phase: whole["phase"] ?? item.head["phase"] ?? null })
    switch (whole["type"]) {
      case "message":
        objectsIn<JsonObject>(own["content"]).forEach((part, i) => this.#part(key, i, part, own))
        break
      case "reasoning":
        this.#reasoning(key, own)
        break
      case "function_call":
      case "custom_tool_call":
        this.#endCall(key, own)
        break
      case "image_generation_call":
        this.#image(own)
        break
      default:
        this.#opaque(own)
    }
  }

  #item(key: unknown): Item {
    let item = this.#items.get(key)
    if (item === undefined) {
      item = { blocks: new Map(), head: {}, end: undefined }
      this.#items.set(key, item)
    }
    return item
  }

  #part(key: unknown, index: number, part: JsonObject, { id, phase }: JsonObject): void {
    if (part["type"] === "refusal") this.refusal += textIn(part["refusal"])
    if (part["type"] !== "output_text") return
    const block = this.block(key, "text", String(index))
    block.upTo(textIn(part["text"]))
    const annotations = objectsIn<JsonObject>(part["annotations"])
    const own = {
      type: "message",
      ...(this.#bare && id && { id }),
      ...(phase && { phase }),
      ...(annotations.length > 0 && { annotations }),
    }
    block.end(Object.keys(own).length > 1 ? this.#data(own) : undefined)
  }

  #reasoning(key: unknown, own: JsonObject): void {
    let last: GrowingBlock | undefined
    for (const field of ["summary", "content"]) {
      objectsIn<JsonObject>(own[field]).forEach((part, i) => {
        last = this.block(key, "thinking", `${field} ${i}`)
        last.upTo(textIn(part["text"]))
      })
    }
    const { id, encrypted_content: encrypted } = own
    this.#bare = encrypted === undefined && id !== undefined
    // with none of these there is nothing to give back
    if (last === undefined && encrypted === undefined && id === undefined) return
    if (last?.end(this.#data(own)) !== true) this.#opaque(own)
  }

  /** The block of a call's input, which is told as soon as it has a name; undefined for an item that is no call. */
  #call(key: unknown, { type, call_id, id, name }: JsonObject): GrowingBlock | undefined {
    if (type !== "function_call" && type !== "custom_tool_call") return undefined
    const block = this.block(key, type === "function_call" ? "json" : "free_text", "call")
    block.start(textIn(call_id) || textIn(id), textIn(name))
    return block
  }

  #endCall(key: unknown, own: JsonObject): void {
    const { type = null, id, namespace, arguments: json, input = json } = own
    const call = this.#call(key, own)
    // some servers send an object
    call?.upTo(typeof input === "object" && input !== null ? JSON.stringify(input) : textIn(input))
    const data = { type, ...(this.#bare && id && { id }), ...(namespace && { namespace }) }
    call?.end(type === "custom_tool_call" || Object.keys(data).length > 1 ? this.#data(data) : undefined)
  }

  /** A picture that was made: a block of its own, beside which the rest of the item is kept. */
  #image({ result, ...own }: JsonObject): void {
    if (typeof result !== "string" || result === "") return this.#opaque(own)
    const source = {
      type: "base64",
      mediaType: `image/${textIn(own["output_format"]) || "png"}`,
      data: result,
    } as const
    const block = { type: "image", source, opaque: this.#data(own) } as const
    this.#blocks.sink.emit({ type: "block_end", index: this.#blocks.next(), block })
  }

  /** Something of the provider's own: it only has to come back. */
  #opaque(own: JsonObject): void {
    new GrowingBlock(this.#blocks, "own").end(this.#data(own))
  }

  #data(data: JsonObject) {
    return { provider: this.#provider, data }
  }

  /** The item as it goes back: without what is null, and without an id that nobody keeps. */
  #own(item: JsonObject): JsonObject {
    const anonymous = this.stateless && inline.includes(textIn(item["type"]))
    return Object.fromEntries(
      Object.entries(item).filter(([name, value]) => value !== null && !(name === "id" && anonymous)),
    )
  }
}
