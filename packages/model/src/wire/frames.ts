import { Frame, type FrameShape } from "./frame.ts"

/** What a chunk did, when it did one thing only: told a text, some thinking, or a piece of arguments. */
export interface ChunkEffect {
  /** The name of the text's field as on the wire, with quotes and colon: `"text":`. */
  readonly key: string
  /** Says the text of another chunk with the same frame. */
  readonly say: (text: string) => void
  /** The text that a parsed chunk has where this one had its; undefined when it says anything else besides. */
  readonly read: (chunk: unknown) => string | undefined
}

/**
 * How many chunks are parsed before a frame is made. A frame costs what parsing some fifty chunks does, and an answer that
 * has come this far is likely to be as long again.
 */
const defaultPatience = 24
/** How often a frame must serve to be worth its price. */
const worthHits = 32

/** Options of {@link Frames}. */
export interface FramesOptions extends FrameShape {
  /** How many chunks are parsed before a frame is made. Default 24. */
  readonly patience?: number | undefined
}

/**
 * The frame that the last chunks of a stream had, and what to do with the next one in it: what makes a long answer cheap
 * to read. A reader asks {@link take} at the start of an event, and tells {@link learn} what it had to parse.
 */
export class Frames<Chunk> {
  readonly #effectOf: (chunk: Chunk) => ChunkEffect | undefined
  readonly #shape: FrameShape
  readonly #patience: number
  #frame: Frame | undefined
  #effect: ChunkEffect | undefined
  #parsed = 0
  #lastKey = ""
  #learned = 0
  #hits = 0
  #unread: string | undefined
  #unreadFrom = 0
  #unreadTo = 0

  /** `effectOf`: what a chunk did, when that was one thing in one string; undefined when it was nothing or more. */
  constructor(effectOf: (chunk: Chunk) => ChunkEffect | undefined, options: FramesOptions = {}) {
    this.#effectOf = effectOf
    this.#shape = options
    this.#patience = options.patience ?? defaultPatience
  }

  /** Handles the events from `at` on that are in the frame, and answers where the first begins that must be parsed. */
  take(text: string, at: number): number {
    const frame = this.#frame
    const say = this.#effect?.say
    if (frame === undefined || say === undefined) return at
    for (let from = at; ; from = frame.end) {
      const value = frame.match(text, from)
      if (value === undefined) return from
      this.#hits++
      say(value)
      this.#unread = text
      this.#unreadFrom = from
      this.#unreadTo = frame.end
    }
  }

  /** The last event that was handled here, once: it may have told figures that no later one tells. */
  unread(): string | undefined {
    const event = this.#unread?.slice(this.#unreadFrom, this.#unreadTo)
    this.#unread = undefined
    return event
  }

  /** A chunk was parsed. When the one before it did the same, its frame is kept for those that follow. */
  learn(line: string, chunk: Chunk): void {
    if (++this.#parsed <= this.#patience) return
    // where no two chunks are alike (a counter or padding in each), frames do not pay
    if (this.#learned >= 4 && this.#hits < this.#learned * worthHits) return
    const effect = this.#effectOf(chunk)
    const again = effect !== undefined && effect.key === this.#lastKey
    this.#lastKey = effect?.key ?? ""
    if (!again) return
    this.#learned++
    this.#frame = Frame.of(line, effect.key, effect.read, this.#shape)
    this.#effect = effect
  }
}
