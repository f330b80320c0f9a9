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
  #run = 0
  #learned = 0
  #hits = 0

  /** Handles the event at `at` when it is in the frame, and answers where it ends; -1 when it must be parsed. */
  take(text: string, at: number): number {
    const frame = this.#frame
    const value = frame?.match(text, at)
    if (frame === undefined || value === undefined) return -1
    this.#hits++
    this.#effect?.say(value)
    return frame.end
  }

  /** A chunk was parsed. The third one of a kind in a row is worth a frame: short answers do not pay for one. */
  learn(line: string, effect: ChunkEffect | undefined): void {
    this.#run = effect !== undefined && effect.key === this.#lastKey ? this.#run + 1 : 1
    this.#lastKey = effect?.key ?? ""
    if (effect === undefined || this.#run < 3) return
    // where no two chunks are alike (a counter or padding in each), frames are not worth their price
    if (this.#learned >= 4 && this.#hits < this.#learned * 4) return
    this.#learned++
    this.#frame = Frame.of(line, effect.key, effect.read)
    this.#effect = effect
  }
}
