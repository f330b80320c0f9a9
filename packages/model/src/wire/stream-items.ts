import type { JsonObject } from "@agentscope-ts/message"
import type { CallSink } from "../stream/call-sink.ts"
import { GrowingBlock, type GrowingType, OpenBlocks } from "./growing-block.ts"
import { type ItemKey, ItemKeys } from "./item-keys.ts"
import { textIn } from "./read-value.ts"

/** An item that was begun; `blocks` and the words of refusals by their places in it. */
export interface StreamItem {
  readonly blocks: Map<string, GrowingBlock>
  readonly refusals: string[]
  /** What its first event says of it. */
  head: JsonObject
  /** There once it is whole. */
  end: JsonObject | undefined
}

/** The items of an answer, told in whichever pieces and order they come, and their blocks. */
export class StreamItems {
  readonly blocks: OpenBlocks
  readonly #items = new Map<ItemKey, StreamItem>()
  readonly #keys = new ItemKeys()

  constructor(sink: Pick<CallSink, "emit">) {
    this.blocks = new OpenBlocks(sink)
  }

  /** Whether something came, and all of it to its end. */
  get settled(): boolean {
    return this.#items.size > 0 && [...this.#items.values()].every(({ end }) => end)
  }

  /** Whether a call has no name: it cannot be told. */
  get nameless(): boolean {
    return [...this.#items.values()].some(({ blocks }) => blocks.get("call")?.started === false)
  }

  /** The words of all refusals. */
  get refusal(): string {
    return [...this.#items.values()].flatMap(({ refusals }) => refusals).join("")
  }

  /** Those that have not come to their end. */
  get open(): readonly (readonly [ItemKey, StreamItem])[] {
    return [...this.#items].filter(([, { end }]) => !end)
  }

  /** What an event's item is known by; see {@link ItemKeys}. */
  keyOf(place: number | undefined, id: string): ItemKey {
    return this.#keys.of(place, id)
  }

  /** The key of an item as the list of all of them at an answer's end has it; undefined for one that has ended. */
  keyAt(place: number, id: string): { readonly key: ItemKey } | undefined {
    if (this.#keys.hasEnded(id)) return undefined
    return { key: this.#items.has(place) || id === "" ? place : this.#keys.of(undefined, id) }
  }

  of(key: ItemKey): StreamItem {
    let item = this.#items.get(key)
    if (item === undefined) {
      item = { blocks: new Map(), refusals: [], head: {}, end: undefined }
      this.#items.set(key, item)
    }
    return item
  }

  /** The block that a piece belongs to. */
  block(key: ItemKey, type: GrowingType, place: string): GrowingBlock {
    const { blocks } = this.of(key)
    let block = blocks.get(place)
    if (block === undefined) {
      block = new GrowingBlock(this.blocks, type)
      blocks.set(place, block)
    }
    return block
  }

  begin(key: ItemKey, head: JsonObject): void {
    this.#keys.begin(key, textIn(head["id"]))
    this.of(key).head = head
  }

  /** Ends an item; undefined where it has ended before. */
  end(key: ItemKey, whole: JsonObject): StreamItem | undefined {
    const item = this.of(key)
    if (item.end) return undefined
    item.end = whole
    this.#keys.end(key, textIn(whole["id"]))
    return item
  }

  /** All of the words of a refusal, or `more` of them. */
  refuse(key: ItemKey, place: number, words: string, more: boolean): void {
    const { refusals } = this.of(key)
    refusals[place] = more ? (refusals[place] ?? "") + words : words
  }
}
