import { malformed } from "./malformed.ts"

/** One event of an event stream. `event` is absent for the default type, `message`. */
export interface SseEvent {
  readonly event?: string
  readonly data: string
}

/**
 * Receives each event: its data is `text.slice(from, to)`, its type `event` (empty for the default). A range and no
 * string, so that a reader which knows the shape of the frames need not cut them out first.
 */
export type SseListener = (text: string, from: number, to: number, event: string) => void

/**
 * Deals with the events from `at` on that it knows by their bytes, and answers where the first one begins that it does not
 * know, which is then read as usual: `at` itself where that is the first.
 */
export type SseShortcut = (text: string, at: number) => number

const LF = 10
const CR = 13
const SPACE = 32
const BOM = 0xfeff

/** Whether the line at `at` is a `data:` line; unlike cutting it out this makes no garbage. */
function isData(text: string, at: number): boolean {
  return (
    text.charCodeAt(at) === 100 &&
    text.charCodeAt(at + 1) === 97 &&
    text.charCodeAt(at + 2) === 116 &&
    text.charCodeAt(at + 3) === 97 &&
    text.charCodeAt(at + 4) === 58
  )
}

/**
 * Reads an event stream (`text/event-stream`) by the rules of the WHATWG HTML standard: a leading byte order mark, LF,
 * CR and CRLF line ends wherever the text is cut, comments, several data lines, event types. An event without the blank
 * line that should end it is dispatched at the end, as servers do leave it out. `id` and `retry` mean nothing to a POST.
 */
export class SseReader {
  readonly #listener: SseListener
  readonly #maxLine: number
  readonly #shortcut: SseShortcut | undefined
  #rest = ""
  #data: string | undefined
  #event = ""
  #first = true
  #afterCr = false

  /** `maxLine`: the longest line in UTF-16 units; a longer one is an error, `malformed_response`. */
  constructor(listener: SseListener, maxLine = 16_000_000, shortcut?: SseShortcut) {
    this.#listener = listener
    this.#maxLine = maxLine
    this.#shortcut = shortcut
  }

  /** Takes the next piece of the text. */
  push(piece: string): void {
    const next = this.#unify(piece)
    if (!next.includes("\n")) {
      // joined, not searched again: a long line in small pieces stays linear
      this.#rest += next
      if (this.#rest.length > this.#maxLine) throw this.#tooLong()
      return
    }
    const text = this.#rest + next
    let from = 0
    for (;;) {
      if (this.#shortcut && this.#data === undefined && this.#event === "") {
        from = this.#shortcut(text, from)
      }
      const end = text.indexOf("\n", from)
      if (end < 0) break
      // the usual event, one data line and a blank one, is handed over as a range of what came in
      if (this.#data === undefined && text.charCodeAt(end + 1) === LF && isData(text, from)) {
        const at = from + (text.charCodeAt(from + 5) === SPACE ? 6 : 5)
        const event = this.#event
        this.#event = ""
        from = end + 2
        this.#listener(text, at, end, event)
      } else {
        this.#line(text, from, end)
        from = end + 1
      }
    }
    this.#rest = text.slice(from)
  }

  /** The text has ended: a last line or event that was not closed counts. */
  end(): void {
    if (this.#rest !== "") this.push("\n")
    this.#dispatch()
  }

  /** The piece without a byte order mark and with LF as its only line end. */
  #unify(piece: string): string {
    let text = piece
    if (this.#first && text !== "") {
      this.#first = false
      if (text.charCodeAt(0) === BOM) text = text.slice(1)
    }
    if (this.#afterCr && text !== "") {
      this.#afterCr = false
      if (text.charCodeAt(0) === LF) text = text.slice(1)
    }
    if (!text.includes("\r")) return text
    this.#afterCr = text.charCodeAt(text.length - 1) === CR
    return text.replace(/\r\n?/g, "\n")
  }

  #line(text: string, from: number, end: number): void {
    if (from === end) return this.#dispatch()
    const line = text.slice(from, end)
    const colon = line.indexOf(":")
    const field = colon < 0 ? line : line.slice(0, colon)
    if (field !== "data" && field !== "event") return
    const value = colon < 0 ? "" : line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1)
    if (field === "event") this.#event = value
    else this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    if (this.#data !== undefined && this.#data.length > this.#maxLine) throw this.#tooLong()
  }

  #tooLong(): Error {
    return malformed(`The event stream has a line or event of more than ${this.#maxLine} characters: it was given up.`)
  }

  #dispatch(): void {
    const data = this.#data
    const event = this.#event
    this.#event = ""
    if (data === undefined) return
    this.#data = undefined
    this.#listener(data, 0, data.length, event)
  }
}
