import { Frame } from "./frame.ts"

/** What a chunk did, when it did one thing only: told a text, some thinking, or a piece of arguments. */
export interface ChunkEffect {
  readonly key: string
  /** Says the text of another chunk with the same frame. */
  readonly say: (text: string) => void
  /** The text that a parsed chunk has where this one had its; undefined when it says anything else besides. */
  readonly read: (chunk: unknown) => string | undefined
}

/** The frame that the last chunks had, and what to do with the next one in it. */
export class Frames {
  #frame: Frame | undefined
  #effect: ChunkEffect | undefined
  #lastKey = ""
  #learned = 0
  #hits = 0

  /** Handles the chunk when it is in the frame; otherwise it must be parsed, and {@link learn} be told what it did. */
  take(text: string, from: number, to: number): boolean {
    const value = this.#frame?.match(text, from, to)
    if (value === undefined) return false
    this.#hits++
    this.#effect?.say(value)
    return true
  }

  /** A chunk was parsed. The second one of a kind in a row is worth a frame: short answers do not pay for one. */
  learn(line: string, effect: ChunkEffect | undefined): void {
    const again = effect !== undefined && effect.key === this.#lastKey
    this.#lastKey = effect?.key ?? ""
    if (effect === undefined || !again) return
    // where no two chunks are alike (a counter or padding in each), frames are not worth their price
    if (this.#learned >= 4 && this.#hits < this.#learned * 4) return
    this.#learned++
    this.#frame = Frame.of(line, effect.key, effect.read)
    this.#effect = effect
  }
}
