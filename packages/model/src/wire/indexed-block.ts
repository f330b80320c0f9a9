import { GrowingBlock, type GrowingType, type OpenBlocks } from "./growing-block.ts"

/** A block of an answer that its wire tells apart by an index, begun with some fields of the wire's, which grow too. */
export class IndexedBlock extends GrowingBlock {
  readonly index: number
  readonly fields: Record<string, unknown>
  /** Whether its end was told. More may come all the same. */
  ended = false

  constructor(blocks: OpenBlocks, type: GrowingType, index: number, fields: object) {
    super(blocks, type)
    this.index = index
    this.fields = { ...fields }
  }

  /** More of its fields: texts and lists grow, anything else takes the place of what was there. */
  grow(more: object): void {
    for (const [key, value] of Object.entries(more) as [string, unknown][]) {
      const before = this.fields[key]
      if (typeof before === "string" && typeof value === "string") this.fields[key] = before + value
      else if (Array.isArray(before) && Array.isArray(value)) this.fields[key] = [...before, ...value] as unknown[]
      else this.fields[key] = value
    }
  }
}
