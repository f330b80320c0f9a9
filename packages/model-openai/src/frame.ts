const QUOTE = 34
const BACKSLASH = 92
const SPACE = 32

/** Stands for the text while a frame is proved; no provider sends it. */
const probe = "\\u0001probe\\u0002"
const probeText = "\u0001probe\u0002"

/** The inside of a JSON string: none of the characters that JSON forbids in one. */
const stringBody = String.raw`[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*`
/** A regular expression remembers each character of a string it may have to give back: not for the very long. */
const maxText = 4_000_000

/**
 * The bytes around the text of an event's chunk. A later event with the same bytes around another string says the same but
 * for that text: it need not be parsed. That the string is where the text comes from is proved once, by parsing the frame
 * with a probe in its place.
 */
export class Frame {
  /** Where the event ends that {@link match} has found, its blank line included. */
  end = 0
  // sticky: it looks at one place only. Compiled, it compares several characters at a time and makes no garbage; cutting
  // out the head and comparing takes twice as long, startsWith on a text that was joined from pieces twenty times
  readonly #event: RegExp
  readonly #headLength: number
  readonly #tailLength: number

  private constructor(head: string, tail: string) {
    this.#event = new RegExp(`data: ?${literal(head)}${stringBody}${literal(tail)}\n\n`, "y")
    this.#headLength = head.length
    this.#tailLength = tail.length
  }

  /**
   * The frame of a chunk around the string value of `key` (its name as on the wire, with quotes and colon), when `read`
   * finds in a chunk with the probe nothing but the probe. Undefined where there is no such frame.
   */
  static of(line: string, key: string, read: (chunk: unknown) => string | undefined): Frame | undefined {
    const at = line.indexOf(key)
    if (at < 0) return undefined
    let start = at + key.length
    while (line.charCodeAt(start) === SPACE) start++
    if (line.charCodeAt(start++) !== QUOTE) return undefined
    let end = start
    for (; line.charCodeAt(end) !== QUOTE; end++) if (line.charCodeAt(end) === BACKSLASH) end++
    const [head, tail] = [line.slice(0, start), line.slice(end)]
    try {
      return read(JSON.parse(head + probe + tail)) === probeText ? new Frame(head, tail) : undefined
    } catch {
      return undefined
    }
  }

  /** The text of the event that starts at `at`; undefined when it has other bytes around it: then it must be parsed. */
  match(text: string, at: number): string | undefined {
    const event = this.#event
    if (text.length > maxText) return undefined
    event.lastIndex = at
    if (!event.test(text)) return undefined
    this.end = event.lastIndex
    const start = at + (text.charCodeAt(at + 5) === SPACE ? 6 : 5) + this.#headLength
    const value = text.slice(start, this.end - 2 - this.#tailLength)
    if (!value.includes("\\")) return value
    try {
      return JSON.parse(`"${value}"`) as string
    } catch {
      return undefined
    }
  }
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
}
