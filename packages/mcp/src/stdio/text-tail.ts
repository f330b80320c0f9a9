/** The end of a stream of text, in bounded memory. */
export class TextTail {
  readonly #limit: number
  #parts: Buffer[] = []
  #size = 0

  /** `limit`: how many bytes are kept, at least. */
  constructor(limit: number) {
    this.#limit = limit
  }

  push(chunk: Buffer): void {
    // a copy: a small chunk would keep the whole buffer alive that it was read into
    this.#parts.push(Buffer.from(chunk.length > this.#limit ? chunk.subarray(-this.#limit) : chunk))
    this.#size += Math.min(chunk.length, this.#limit)
    if (this.#size > 2 * this.#limit) {
      const kept = Buffer.concat(this.#parts).subarray(-this.#limit)
      this.#parts = [kept]
      this.#size = kept.length
    }
  }

  /** The last characters, at most so many. */
  text(characters: number): string {
    const all = Buffer.concat(this.#parts).subarray(-this.#limit).toString("utf8").trim()
    if (all.length <= characters) return all
    const cut = all.slice(-characters)
    const line = cut.indexOf("\n")
    return `…${line >= 0 && line < characters / 2 ? cut.slice(line + 1) : cut}`.toWellFormed()
  }
}
