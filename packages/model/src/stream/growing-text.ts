// A regular expression makes its subject flat in place.
const flattens = /\0/

/** How long what was added may get before it is made flat. */
const enough = 1024

/**
 * A text that grows by small pieces. Joined as they come, each would cost the collector a node of a rope and the piece
 * itself (some 50 bytes) for as long as the text lives: they are made one flat string from time to time.
 */
export class GrowingText {
  #before = ""
  #latest = ""

  get length(): number {
    return this.#before.length + this.#latest.length
  }

  add(piece: string): void {
    this.#latest += piece
    if (this.#latest.length < enough) return
    flattens.test(this.#latest)
    this.#before += this.#latest
    this.#latest = ""
  }

  clear(): void {
    this.#before = ""
    this.#latest = ""
  }

  /** All of it so far. */
  get whole(): string {
    return this.#before + this.#latest
  }
}
