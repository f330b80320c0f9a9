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
  /** What speaks for totals: two signs are enough. */
  #signs = 0
  /** How many events said only what the one before had said. */
  #same = 0

  /** `telling`: where it is known from the start. */
  constructor(telling?: Telling) {
    this.#telling = telling
  }

  get telling(): Telling | undefined {
    return this.#telling
  }

  /** One more text of the stream; `emit` gets what is new of it. */
  text(emit: (text: string) => void): void {
    this.#texts.push(new TextSoFar(emit))
  }

  /**
   * All texts as an event has them, in the order of {@link text} and empty where it has none. `moved`: it says something
   * new beside them.
   */
  event(texts: readonly string[], moved = false): void {
    if (this.#telling === undefined) this.#weigh(texts, moved)
    for (const [i, text] of this.#texts.entries()) text.push(texts[i] ?? "", this.#telling)
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

  /**
   * A total begins with the total before, whatever else the event says; a piece does by chance. It counts twice where the
   * text is long. What is all the same as before may be either, but totals seldom stand still for long.
   */
  #weigh(texts: readonly string[], beside: boolean): void {
    const moved = beside || this.#texts.some(({ last }, i) => (texts[i] ?? "").length > last.length)
    let stands = false
    for (const [i, { last }] of this.#texts.entries()) {
      if (last === "") continue
      if (!texts[i]?.startsWith(last)) return this.decide("pieces")
      if (moved) this.#signs += last.length >= surely ? 2 : 1
      else stands = true
    }
    if (stands) this.#same++
    if (this.#signs >= 2) this.decide("totals")
    else if (this.#same >= 2 * (this.#signs + 1)) this.decide("pieces")
  }
}

/** One text of a stream. */
export class TextSoFar {
  readonly #emit: (text: string) => void
  /** What was emitted, as far as totals are compared with it. */
  #sent = ""
  /** While it is not known how the stream tells: those that wait. */
  #held = ""
  /** While it is not known how the stream tells: the text as the last event had it. */
  last = ""

  constructor(emit: (text: string) => void) {
    this.#emit = emit
  }

  /** The text as an event has it; empty where it has none. */
  push(text: string, telling: Telling | undefined): void {
    if (telling === "pieces") this.#emit(text)
    else if (telling === "totals") this.#total(text)
    else if (this.last === "") {
      this.last = text
      this.#sent = text
      this.#emit(text)
    } else {
      this.#held += text
      this.last = text
    }
  }

  /** Emits what was held back. */
  release(telling: Telling): void {
    const held = this.#held
    this.#held = ""
    if (telling === "totals") this.#total(this.last)
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
