/** How the events of a stream tell a text: each what is new, or each all there is so far. */
export type Telling = "pieces" | "totals"

/** Long enough that the next piece does not begin with all of it by chance. */
const surely = 8

/**
 * How one stream tells its texts, for endpoints that may do either. It mostly shows in the second event; until it does, what
 * would differ is held back.
 */
export class StreamTelling {
  #telling: Telling | undefined
  readonly #texts: TextSoFar[] = []

  /** `telling`: where it is known from the start. */
  constructor(telling?: Telling) {
    this.#telling = telling
  }

  get telling(): Telling | undefined {
    return this.#telling
  }

  /** A text of the stream; `emit` gets what is new of it. */
  text(emit: (text: string) => void): TextSoFar {
    const text = new TextSoFar(this, emit)
    this.#texts.push(text)
    return text
  }

  decide(telling: Telling): void {
    if (this.#telling !== undefined) return
    this.#telling = telling
    for (const text of this.#texts) text.release(telling)
  }

  /** The stream has ended. A stream of pieces would have had an event without text by then. */
  end(): void {
    this.decide("totals")
  }
}

/** One text of a stream. */
export class TextSoFar {
  readonly #stream: StreamTelling
  readonly #emit: (text: string) => void
  /** What was emitted, as far as totals are compared with it. */
  #sent = ""
  /** While it is not known how the stream tells: the last event's text, and those that wait. */
  #last = ""
  #held = ""
  #grew = false
  #stood = false

  constructor(stream: StreamTelling, emit: (text: string) => void) {
    this.#stream = stream
    this.#emit = emit
  }

  /** The text as an event has it; empty where it has none. */
  push(text: string): void {
    const { telling } = this.#stream
    if (telling === "pieces") this.#emit(text)
    else if (telling === "totals") this.#total(text)
    else if (this.#last === "") this.#first(text)
    else if (!text.startsWith(this.#last)) {
      this.#stream.decide("pieces")
      this.#emit(text)
    } else this.#undecided(text)
  }

  #first(text: string): void {
    this.#last = text
    this.#sent = text
    this.#emit(text)
  }

  /** It begins with all that the event before had. Twice longer than before, it must be a total; twice the same, a piece. */
  #undecided(text: string): void {
    const grows = text.length > this.#last.length
    const decided = grows ? this.#grew || this.#last.length >= surely : this.#stood
    this.#held += text
    this.#last = text
    if (grows) this.#grew = true
    else this.#stood = true
    if (decided) this.#stream.decide(grows ? "totals" : "pieces")
  }

  /** Emits what was held back. */
  release(telling: Telling): void {
    const held = this.#held
    this.#held = ""
    if (telling === "totals") this.#total(this.#last)
    else if (held !== "") this.#emit(held)
  }

  #total(text: string): void {
    if (text.startsWith(this.#sent)) {
      const rest = text.slice(this.#sent.length)
      this.#sent = text
      this.#emit(rest)
    } else if (!this.#sent.startsWith(text)) {
      // no total after all: it is added
      this.#sent += text
      this.#emit(text)
    }
  }
}
