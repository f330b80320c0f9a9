import { malformed, parseJson } from "./malformed.ts"

/**
 * Reads newline-delimited JSON: one value a line, blank lines ignored, LF, CR or CRLF between them wherever the text is
 * cut, and a last line without an end. A line that is no JSON, or too long, is an error, `malformed_response`.
 */
export class NdjsonReader {
  readonly #listener: (value: unknown) => void
  readonly #maxLine: number
  #rest = ""
  #first = true

  /** `maxLine`: the longest line in UTF-16 units. */
  constructor(listener: (value: unknown) => void, maxLine = 16_000_000) {
    this.#listener = listener
    this.#maxLine = maxLine
  }

  /** Takes the next piece of the text. */
  push(piece: string): void {
    let next = piece
    if (this.#first && piece !== "") {
      this.#first = false
      if (piece.charCodeAt(0) === 0xfeff) next = piece.slice(1)
    }
    if (next.includes("\r")) next = next.replaceAll("\r", "\n")
    let end = next.indexOf("\n")
    if (end < 0) {
      this.#rest += next
      if (this.#rest.length > this.#maxLine) throw this.#tooLong()
      return
    }
    end += this.#rest.length
    const text = this.#rest + next
    let from = 0
    for (; end >= 0; end = text.indexOf("\n", from)) {
      this.#line(text.slice(from, end))
      from = end + 1
    }
    this.#rest = text.slice(from)
  }

  /** The text has ended: a last line without a line end counts. */
  end(): void {
    const line = this.#rest
    this.#rest = ""
    this.#line(line)
  }

  #tooLong(): Error {
    return malformed(`The stream has a line of more than ${this.#maxLine} characters: it was given up.`)
  }

  #line(line: string): void {
    if (line.trim() !== "") this.#listener(parseJson(line, "A line of the stream"))
  }
}
