import type { CallSink } from "../stream/call-sink.ts"
import type { ChunkEffect } from "./frames.ts"
import { type GrowingType, OpenBlocks } from "./growing-block.ts"
import { IndexedBlock } from "./indexed-block.ts"
import { objectsIn } from "./read-value.ts"

type Fields = Readonly<Record<string, unknown>>

/** What a wire says in its blocks' fields. */
export interface IndexedForms {
  /** What a block with these fields is to us. */
  readonly typeOf: (fields: Fields) => GrowingType
  /** Takes what a new block begins with: the id and name of a call, a text. */
  readonly begin: (block: IndexedBlock) => void
  /** Whether more of a block is to be expected, though another has come: then only its own end ends it. */
  readonly goesOn: (block: IndexedBlock) => boolean
  /** Ends a block of which all has come. Called again where more comes after all. */
  readonly end: (block: IndexedBlock) => void
}

/** What a chunk says of one block: `key` is where its text stands, as in `ChunkEffect`. */
export interface Said {
  readonly index: number
  readonly type: GrowingType
  readonly key: string
  readonly text: string
}

/**
 * The blocks of an answer, started by an index and fields with a `type`, then added to: one after the other, or several side
 * by side. An index that is missing is NaN.
 */
export class IndexedBlocks {
  /** The one that was last spoken of. */
  open: IndexedBlock | undefined
  readonly #blocks: OpenBlocks
  readonly #forms: IndexedForms
  readonly #all: IndexedBlock[] = []
  /** The last one of each index. */
  readonly #known = new Map<number, IndexedBlock>()

  constructor(sink: CallSink, forms: IndexedForms) {
    this.#blocks = new OpenBlocks(sink)
    this.#forms = forms
  }

  /** Whether a call came without a name: it cannot be told. */
  get nameless(): boolean {
    return this.#all.some(({ type, started }) => type === "json" && !started)
  }

  /** The block of an index, which is spoken of now; without an index, the one that was last spoken of. */
  at(index: number): IndexedBlock | undefined {
    if (this.open?.index === index || Number.isNaN(index)) return this.open
    const block = this.#known.get(index)
    if (block) this.#turnTo(block)
    return block
  }

  /**
   * Starts a block. A start that comes late or twice goes on with the block that is known; another id, or a start after an
   * end, is another block: some servers give all of them the same index.
   */
  start(index: number, fields: Fields): void {
    this.#turnTo(undefined)
    const known = this.#known.get(index)
    const goesOn = known && !known.closed && isSame(known, fields)
    this.open = goesOn ? known : new IndexedBlock(this.#blocks, this.#forms.typeOf(fields), index, fields)
    if (goesOn) return
    this.#all.push(this.open)
    this.#known.set(index, this.open)
    this.#forms.begin(this.open)
  }

  /** More of a block's text, thinking or JSON. Some servers leave out the start of a text or thinking. */
  say(index: number, type: GrowingType, text: string): void {
    const known = this.at(index)
    if (known && !known.closed && hears(known, type)) return known.add(text)
    if (text === "" || (type !== "text" && type !== "thinking")) return
    this.start(index, { type })
    this.open?.add(text)
  }

  /** What a chunk did that says something of one block, for `Frames`. `saidIn` reads what a chunk says, when that is all it does. */
  effectOf(chunk: Fields, saidIn: (chunk: Fields) => Said | undefined): ChunkEffect | undefined {
    const said = saidIn(chunk)
    if (said === undefined) return undefined
    const { index, type, key } = said
    const read = (other: unknown): string | undefined => {
      const next = saidIn(other as Fields)
      return next?.type === type && Object.is(next.index, index) ? next.text : undefined
    }
    const { open } = this
    const say = (text: string): void => {
      // mostly it is still the same block: the shortest way, for every token takes it
      if (this.open === open && open?.type === type && !open.closed) open.add(text)
      else this.say(index, type, text)
    }
    return { key, say, read }
  }

  /** Takes the whole content of a message: a list of blocks, or a text. */
  whole(content: unknown): void {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objectsIn<Fields>(content)
    for (const [index, fields] of blocks.entries()) {
      this.start(index, fields)
      this.end(index)
    }
  }

  /** Ends the block of an index, and no other. */
  end(index: number): void {
    const block = Number.isNaN(index) ? this.open : this.#known.get(index)
    if (block === undefined) return
    block.ended = true
    this.#forms.end(block)
  }

  /** Ends all that is open. */
  endAll(): void {
    this.#turnTo(undefined)
    this.#all.forEach(this.#forms.end)
  }

  #turnTo(block: IndexedBlock | undefined): void {
    const before = this.open
    this.open = block
    if (before && before !== block && !this.#forms.goesOn(before)) this.#forms.end(before)
  }
}

/** What is the provider's own may have JSON for its input. */
const hears = ({ type }: IndexedBlock, said: GrowingType): boolean =>
  type === said || (type === "own" && said === "json")

function isSame({ fields, ended }: IndexedBlock, { type, id, name }: Fields): boolean {
  if (fields["type"] !== type || fields["id"] !== id) return false
  return ended ? typeof id === "string" && id !== "" : fields["name"] === name
}
