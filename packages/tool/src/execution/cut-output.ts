import {
  cutText,
  cutTextStart,
  type JsonObject,
  type MediaBlock,
  type TextBlock,
  wellFormed,
} from "@agentscope-ts/message"

type Block = TextBlock | MediaBlock

/** An output that was too long. */
export interface Cut {
  /** All of its text. */
  readonly text: string
  /** The output cut, with a word at the cut about where the rest is, if anything is known of that. */
  output(where?: string): readonly Block[]
}

/** What a result shows of a tool's blocks. */
interface Shown {
  readonly output: readonly Block[]
  readonly metadata?: JsonObject
  readonly cut?: Cut
}

/** Base64 media beyond this many characters in one result are left out: no provider takes a request of that size. */
const mostMedia = 2 ** 25

/**
 * Cuts the text of blocks to `limit` characters in all: the first two thirds and the last third of them are kept, and what
 * stands between says how much is missing. Media stay whole, up to 32 MB of base64 in all.
 */
export function bounded(blocks: readonly Block[], limit: number, metadata?: JsonObject): Shown {
  let total = 0
  let media = 0
  for (const block of blocks) {
    if (block.type === "text") total += block.text.length
    else media += sizeOf(block)
  }
  const held = media > mostMedia ? withoutLargest(blocks) : blocks
  if (total > limit) return shownCut(held, limit, total, () => textsOf(blocks).join(""), metadata)
  const output = held.map((block) => (block.type === "text" ? { ...block, text: wellFormed(block.text) } : block))
  return { output, ...(metadata && { metadata }) }
}

/** The same for blocks that hold at least the first and the last `limit` of `total` characters; `whole` gives all of them. */
export function shownCut(
  blocks: readonly Block[],
  limit: number,
  total: number,
  whole: () => string,
  metadata?: JsonObject,
): Shown {
  const truncated = { characters: total, shown: limit }
  const output = (where?: string): readonly Block[] => cutBlocks(blocks, limit, total, where)
  const cut = {
    get text() {
      return whole()
    },
    output,
  }
  return { output: output(), metadata: { ...metadata, truncated }, cut }
}

/** How many characters of a cut text are from its end. */
export const tailOf = (limit: number): number => Math.floor(limit / 3)

function cutBlocks(blocks: readonly Block[], limit: number, total: number, where: string | undefined): Block[] {
  const tail = tailOf(limit)
  const head = limit - tail
  let after = textsOf(blocks).reduce((sum, text) => sum + text.length, 0)
  let before = 0
  let isCut = false
  const output: Block[] = []
  for (const block of blocks) {
    if (block.type !== "text") {
      output.push(block)
      continue
    }
    const { length } = block.text
    after -= length
    const first = cutText(block.text, Math.min(length, head - before))
    const last = cutTextStart(block.text, Math.min(length, tail - after))
    before += length
    if (first.length === length || last.length === length) output.push({ ...block, text: wellFormed(block.text) })
    else {
      const note = isCut ? "" : cutNote(total, limit, where, after > 0 || last !== "")
      isCut = true
      const text = detached(first) + note + detached(last)
      if (text !== "") output.push({ ...block, text })
    }
  }
  if (!isCut) output.push({ type: "text", text: cutNote(total, limit, where, false).trim() })
  return output
}

function cutNote(total: number, limit: number, where: string | undefined, goesOn: boolean): string {
  const note = `[The output was cut here: ${total - limit} of its ${total} characters are left out.${where ? ` ${where}` : ""}]`
  return `\n${note}${goesOn ? "\n" : ""}`
}

const textsOf = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => (block.type === "text" ? [block.text] : []))

const sizeOf = ({ source }: MediaBlock): number => (source.type === "base64" ? source.data.length : 0)

/** Media stay in their order as long as there is room for them. */
function withoutLargest(blocks: readonly Block[]): Block[] {
  let room = mostMedia
  return blocks.map((block) => {
    if (block.type === "text") return block
    const size = sizeOf(block)
    if (size <= room) {
      room -= size
      return block
    }
    return { type: "text", text: `[${block.type} left out: ${size} characters of base64 are too many for a result.]` }
  })
}

/** A copy that does not keep the long string alive which it was cut from; lone surrogates become U+FFFD. */
export function detached(part: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(part))
}
