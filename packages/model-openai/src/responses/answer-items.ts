import type { JsonObject } from "@agentscope-ts/message"
import type { CallSink } from "@agentscope-ts/model"
import { GrowingBlock, type ItemKey, objectsIn, type StreamItem, StreamItems, textIn } from "@agentscope-ts/model/wire"
import { noTools, type RequestTools } from "./request-tools.ts"

/** The items that go back as they were said, and need no id where nothing is stored. */
const inline = ["message", "reasoning", "function_call", "custom_tool_call"]

/** Turns the items of an answer into deltas of blocks, in whichever pieces and order they come. */
export class AnswerItems extends StreamItems {
  /** Whether the provider says that it keeps nothing: then ids mean nothing to it. */
  stateless = false
  readonly #provider: string
  readonly #tools: RequestTools
  /** Whether reasoning came that can only be returned by its id: what follows it then needs its own. */
  #bare = false

  constructor(sink: Pick<CallSink, "emit">, provider: string, tools = noTools) {
    super(sink)
    this.#provider = provider
    this.#tools = tools
  }

  /** An item begins. */
  override begin(key: ItemKey, item: JsonObject): void {
    super.begin(key, item)
    if (!this.#tools.mayRun(item)) this.#call(key, item)
  }

  /** Nothing more comes: calls that might have been the provider's are told. */
  settle(): void {
    for (const [key, { head }] of this.open) this.#call(key, head)
  }

  /** A part of a message is whole. */
  partDone(key: ItemKey, index: number, part: JsonObject): void {
    const { head, end } = this.of(key)
    // where ids count, that of the message comes with its end
    if (!end && !this.#bare) this.#part(key, index, part, head)
  }

  /** All items as the end of an answer has them: those that no event has told, or not to their end, are. */
  all(output: readonly JsonObject[]): void {
    output.forEach((item, i) => {
      const at = this.keyAt(i, textIn(item["id"]))
      if (at) this.end(at.key, item)
    })
  }

  /** An item is whole. */
  override end(key: ItemKey, whole: JsonObject): StreamItem | undefined {
    const item = typeof whole["type"] === "string" ? super.end(key, whole) : undefined
    if (item) this.#end(key, whole, item)
    return item
  }

  #end(key: ItemKey, whole: JsonObject, item: StreamItem): void {
    const own = this.#own({ ...whole, phase: whole["phase"] ?? item.head["phase"] ?? null })
    if (this.#tools.isRun(whole) && !item.blocks.get("call")?.started) {
      item.blocks.delete("call")
      return this.#opaque(own)
    }
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
        // what began as a call of the provider's own
        item.blocks.delete("call")
        this.#opaque(own)
    }
  }

  #part(key: ItemKey, index: number, part: JsonObject, { id, phase }: JsonObject): void {
    if (part["type"] === "refusal") this.refuse(key, index, textIn(part["refusal"]), false)
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

  #reasoning(key: ItemKey, own: JsonObject): void {
    let last = [...this.of(key).blocks.values()].findLast(({ type }) => type === "thinking")
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
  #call(key: ItemKey, { type, call_id, id, name }: JsonObject): GrowingBlock | undefined {
    if (type !== "function_call" && type !== "custom_tool_call") return undefined
    const block = this.block(key, type === "function_call" ? "json" : "free_text", "call")
    block.start(textIn(call_id) || textIn(id), textIn(name))
    return block
  }

  #endCall(key: ItemKey, own: JsonObject): void {
    const { type = null, id, namespace, caller, arguments: json, input = json } = own
    const call = this.#call(key, own)
    // some servers send an object
    call?.upTo(typeof input === "object" && input !== null ? JSON.stringify(input) : textIn(input))
    const data = { type, ...(this.#bare && id && { id }), ...(namespace && { namespace }), ...(caller && { caller }) }
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
    this.blocks.sink.emit({ type: "block_end", index: this.blocks.next(), block })
  }

  /** Something of the provider's own: it only has to come back. */
  #opaque(own: JsonObject): void {
    new GrowingBlock(this.blocks, "own").end(this.#data(own))
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
