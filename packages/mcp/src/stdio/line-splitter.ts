const newline = 10

/** Cuts a stream of bytes into lines; nothing is decoded or copied before its line is whole. */
export class LineSplitter {
  readonly #limit: number
  #parts: Buffer[] = []
  #size = 0

  /** `limit`: the most bytes of a line. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** The lines that end in this chunk, or undefined where one has become too long. */
  push(chunk: Buffer): readonly string[] | undefined {
    const lines: string[] = []
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      lines.push(this.#take(chunk.subarray(from, at)))
      from = at + 1
    }
    if (from < chunk.length) {
      this.#parts.push(chunk.subarray(from))
      this.#size += chunk.length - from
    }
    return this.#size > this.#limit ? undefined : lines
  }

  /** What stands after the last line. */
  rest(): string {
    return this.#take(Buffer.alloc(0))
  }

  /** The beginning of what stands after the last line so far, of so many bytes. */
  pending(bytes: number): string {
    return Buffer.concat(this.#parts.slice(0, bytes)).subarray(0, bytes).toString("utf8").toWellFormed()
  }

  #take(end: Buffer): string {
    const line = this.#parts.length === 0 ? end : Buffer.concat([...this.#parts, end])
    this.#parts = []
    this.#size = 0
    return line.toString("utf8")
  }
}
