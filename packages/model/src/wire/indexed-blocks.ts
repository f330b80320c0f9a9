import type { CallSink } from "../stream/call-sink.ts"
import { type GrowingType, OpenBlocks } from "./growing-block.ts"
import { IndexedBlock } from "./indexed-block.ts"

/** What a wire says in its blocks' fields. */
export interface IndexedForms {
  /** What a block with these fields is to us. */
  readonly typeOf: (fields: Readonly<Record<string, unknown>>) => GrowingType
  /** Takes what a new block begins with: the id and name of a call, a text. */
  readonly begin: (block: IndexedBlock) => void
  /** Ends a block of which all has come. Called again where more comes after all. */
  readonly end: (block: IndexedBlock) => void
}

/** The blocks of an answer that come one after the other: started by an index and fields with a `type`, then added to. */
export class IndexedBlocks {
  /** The one that is open. */
  open: IndexedBlock | undefined
  readonly #blocks: OpenBlocks
  readonly #forms: IndexedForms
  readonly #known = new Map<number, IndexedBlock>()

  constructor(sink: CallSink, forms: IndexedForms) {
    this.#blocks = new OpenBlocks(sink)
    this.#forms = forms
  }

  /** Whether a call came without a name: it cannot be told. */
  get nameless(): boolean {
    return [...this.#known.values()].some(({ type, started }) => type === "json" && !started)
  }

  /** Starts a block. A start that comes late or twice, or after an end that came too soon, goes on with the one that is known. */
  start(index: number, fields: Readonly<Record<string, unknown>>): void {
    this.end()
    const known = this.#known.get(index)
    if (known && known.fields["type"] === fields["type"] && !known.closed) {
      this.open = known
      return
    }
    this.open = new IndexedBlock(this.#blocks, this.#forms.typeOf(fields), index, fields)
    this.#known.set(index, this.open)
    this.#forms.begin(this.open)
  }

  /** Ends the open block. */
  end(): void {
    const block = this.open
    this.open = undefined
    if (block) this.#forms.end(block)
  }
}
