import type { ChatDelta, JsonObject } from "@agentscope-ts/message"
import { objectIn, objectsIn, textIn } from "@agentscope-ts/model/wire"
import { AnswerCall } from "./answer-call.ts"
import { AnswerPart, OpenBlocks } from "./answer-part.ts"
import type { WireItem, WirePart } from "./wire-event.ts"

/** An item that was begun. */
interface Item {
  type: string
  readonly parts: Map<string, AnswerPart>
  call: AnswerCall | undefined
  /** What the item's first event says of it. */
  readonly phase: string
  done: boolean
}

/** Turns the items of an answer into deltas of blocks, in whichever pieces and order they come. */
export class AnswerItems {
  refusal = ""
  readonly #blocks: OpenBlocks
  readonly #provider: string
  readonly #items = new Map<unknown, Item>()
  readonly #endedIds = new Set<unknown>()
  /** Whether reasoning came that can only be returned by its id: what follows it then needs its own. */
  #bare = false
  /** Whether the provider says that it keeps nothing: then ids mean nothing to it. */
  stateless = false

  constructor(emit: (delta: ChatDelta) => void, provider: string) {
    this.#blocks = new OpenBlocks(emit)
    this.#provider = provider
  }

  /** Whether something came, and all of it to its end. */
  get settled(): boolean {
    return this.#items.size > 0 && [...this.#items.values()].every(({ done }) => done)
  }

  /** Whether a call has no name: it cannot be told. */
  get nameless(): boolean {
    return [...this.#items.values()].some(({ call }) => call !== undefined && !call.started)
  }

  /** An item begins. */
  begin(key: unknown, item: WireItem): void {
    if (this.#items.has(key)) return
    const begun = this.#item(key, item.type, textIn(item["phase"]))
    if (isCall(item.type))
      callOf(begun, this.#blocks).start(textIn(item["call_id"]) || textIn(item["id"]), textIn(item["name"]))
  }

  /** What the pieces of a part are told to. */
  part(key: unknown, type: string, place: string): AnswerPart {
    const { parts } = this.#item(key, type)
    let part = parts.get(place)
    if (part === undefined) {
      part = new AnswerPart(this.#blocks, type === "message" ? "text" : "thinking")
      parts.set(place, part)
    }
    return part
  }

  /** What the pieces of a call's input are told to. */
  call(key: unknown, type: string): AnswerCall {
    return callOf(this.#item(key, type), this.#blocks)
  }

  /** A part of a message is whole. */
  partDone(key: unknown, index: number, part: WirePart): void {
    const item = this.#item(key, "message")
    if (item.type === "message" && !item.done) this.#messagePart(item, key, index, part, undefined)
  }

  /** All items as the end of an answer has them: those that no event has told, or not to their end, are. */
  all(output: readonly WireItem[]): void {
    output.forEach((item, i) => {
      if (!this.#endedIds.has(item["id"])) this.end(this.#items.has(i) ? i : (item["id"] ?? i), item)
    })
  }

  /** An item is whole. */
  end(key: unknown, whole: WireItem): void {
    if (typeof whole.type !== "string") return
    this.begin(key, whole)
    const item = this.#item(key, whole.type)
    if (item.done) return
    item.done = true
    item.type = whole.type
    if (whole["id"] !== undefined) this.#endedIds.add(whole["id"])
    const own = this.#own(whole)
    switch (whole.type) {
      case "message":
        objectsIn<WirePart>(whole["content"]).forEach((part, i) => this.#messagePart(item, key, i, part, own))
        break
      case "reasoning":
        this.#reasoning(key, own)
        break
      case "function_call":
      case "custom_tool_call":
        this.#endCall(item, own)
        break
      case "image_generation_call":
        this.#image(own)
        break
      default:
        this.#opaque(own)
    }
  }

  #item(key: unknown, type: string, phase = ""): Item {
    let item = this.#items.get(key)
    if (item === undefined) {
      item = { type, parts: new Map(), call: undefined, phase, done: false }
      this.#items.set(key, item)
    }
    return item
  }

  #messagePart(item: Item, key: unknown, index: number, part: WirePart, own: JsonObject | undefined): void {
    if (part.type === "refusal") {
      if (own) this.refusal += textIn(part.refusal)
      return
    }
    const told = this.part(key, "message", String(index))
    told.upTo(textIn(part.text))
    const annotations = objectsIn<JsonObject>(part.annotations)
    const phase = textIn(own?.["phase"]) || item.phase
    const id = this.#bare ? own?.["id"] : undefined
    if (annotations.length === 0 && phase === "" && !this.#bare) return
    // the item's end still has to say its id
    if (this.#bare && own === undefined) return
    told.close(
      this.#data({
        type: "message",
        ...(id !== undefined && { id }),
        ...(phase !== "" && { phase }),
        ...(annotations.length > 0 && { annotations }),
      }),
    )
  }

  #reasoning(key: unknown, own: JsonObject): void {
    let last: AnswerPart | undefined
    for (const field of ["summary", "content"] as const) {
      objectsIn<WirePart>(own[field]).forEach((part, i) => {
        last = this.part(key, "reasoning", `${field} ${i}`)
        last.upTo(textIn(part.text))
      })
    }
    const { id, encrypted_content: encrypted } = own
    this.#bare = encrypted === undefined && id !== undefined
    // with none of these there is nothing to give back
    if (last === undefined && encrypted === undefined && id === undefined) return
    if (last?.close(this.#data(own)) !== true) this.#opaque(own)
  }

  #endCall(item: Item, own: JsonObject): void {
    const call = callOf(item, this.#blocks)
    const freeText = own["type"] === "custom_tool_call"
    call.start(textIn(own["call_id"]) || textIn(own["id"]), textIn(own["name"]))
    const input = own[freeText ? "input" : "arguments"]
    // some servers send an object
    call.upTo(typeof input === "object" && input !== null ? JSON.stringify(input) : textIn(input))
    const { type = null, id, namespace } = own
    const data = { type, ...(this.#bare && id !== undefined && { id }), ...(namespace !== undefined && { namespace }) }
    call.end(freeText || Object.keys(data).length > 1 ? this.#data(data) : undefined)
  }

  /** A picture that was made: a block of its own, without whose bytes the item is kept beside it. */
  #image({ result, ...own }: JsonObject): void {
    if (typeof result !== "string" || result === "") return this.#opaque(own)
    const format = textIn(own["output_format"]) || "png"
    const source = { type: "base64", mediaType: `image/${format}`, data: result } as const
    const block = { type: "image", source, opaque: this.#data(own) } as const
    this.#blocks.emit({ type: "block_end", index: this.#blocks.next(), block })
  }

  /** Something of the provider's own: it only has to come back. */
  #opaque(own: JsonObject): void {
    const block = { type: "thinking", thinking: "", opaque: this.#data(own) } as const
    this.#blocks.emit({ type: "block_end", index: this.#blocks.next(), block })
  }

  #data(data: JsonObject) {
    return { provider: this.#provider, data }
  }

  /** The item as it goes back: without what is null, and without an id that nobody keeps, but for calls of built-in tools. */
  #own(item: WireItem): JsonObject {
    const nameable = ["message", "reasoning", "function_call", "custom_tool_call"].includes(item.type)
    const entries = Object.entries(objectIn<JsonObject>(item) ?? {})
    return Object.fromEntries(
      entries.filter(([name, value]) => value !== null && !(name === "id" && nameable && this.stateless)),
    )
  }
}

const isCall = (type: string): boolean => type === "function_call" || type === "custom_tool_call"

function callOf(item: Item, blocks: OpenBlocks): AnswerCall {
  item.call ??= new AnswerCall(blocks, item.type === "custom_tool_call")
  return item.call
}
