import { malformed, parseJson } from "./malformed.ts"
import type { SseShortcut } from "./sse.ts"

/**
 * Reads newline-delimited JSON: one value a line, blank lines ignored, LF, CR or CRLF between them wherever the text is
 * cut, and a last line without an end. A line that is no JSON, or too long, is an error, `malformed_response`.
 */
export class NdjsonReader {
  readonly #listener: (value: unknown, line: string) => void
  readonly #maxLine: number
  readonly #shortcut: SseShortcut | undefined
  #rest = ""
  #first = true

  /**
   * `listener` gets each value and its line. `maxLine`: the longest line in UTF-16 units. `shortcut` deals with complete
   * lines that need no parsing, their ends included; the last one of `text` may be incomplete.
   */
  constructor(listener: (value: unknown, line: string) => void, maxLine = 16_000_000, shortcut?: SseShortcut) {
    this.#listener = listener
    this.#maxLine = maxLine
    this.#shortcut = shortcut
  }

  /** Takes the next piece of the text. */
  push(piece: string): void {
    let next = piece
    if (this.#first && piece !== "") {
      this.#first = false
      if (piece.charCodeAt(0) === 0xfeff) next = piece.slice(1)
    }
    if (next.includes("\r")) next = next.replaceAll("\r", "\n")
    if (!next.includes("\n")) {
      this.#rest += next
      if (this.#rest.length > this.#maxLine) throw this.#tooLong()
      return
    }
    const text = this.#rest + next
    let from = 0
    for (;;) {
      if (this.#shortcut) from = this.#shortcut(text, from)
      const end = text.indexOf("\n", from)
      if (end < 0) break
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
    if (line.trim() !== "") this.#listener(parseJson(line, "A line of the stream"), line)
  }
}
