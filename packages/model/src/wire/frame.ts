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

/** How an event stands around its JSON, after line ends were made LF. */
export interface FrameShape {
  /** What comes before the JSON, as the source of a regular expression without groups. Default `data: ?`. */
  readonly before?: string | undefined
  /** What comes after it. Default a line end and a blank line. */
  readonly after?: string | undefined
}

/**
 * The bytes around the text of an event's chunk. A later event with the same bytes around another string says the same but
 * for that text: it need not be parsed. That the string is where the text comes from is proved once, by parsing the frame
 * with a probe in its place.
 */
export class Frame {
  /** Where the event ends that {@link match} has found, what stands after it included. */
  end = 0
  // sticky: it looks at one place only. Compiled, it compares several characters at a time and makes no garbage; cutting
  // out the head and comparing takes twice as long, startsWith on a text that was joined from pieces twenty times
  readonly #event: RegExp
  readonly #head: string
  /** The length of all that follows the text. */
  readonly #tail: number

  private constructor(head: string, tail: string, { before = "data: ?", after = "\n\n" }: FrameShape) {
    this.#event = new RegExp(`${before}${literal(head)}${stringBody}${literal(tail + after)}`, "y")
    this.#head = head
    this.#tail = tail.length + after.length
  }

  /**
   * The frame of a chunk around the string value of `key` (its name as on the wire, with quotes and colon), when `read`
   * finds in a chunk with the probe nothing but the probe. Undefined where there is no such frame.
   */
  static of(
    line: string,
    key: string,
    read: (chunk: unknown) => string | undefined,
    shape: FrameShape = {},
  ): Frame | undefined {
    const at = line.indexOf(key)
    if (at < 0) return undefined
    let start = at + key.length
    while (line.charCodeAt(start) === SPACE) start++
    if (line.charCodeAt(start++) !== QUOTE) return undefined
    let end = start
    for (; line.charCodeAt(end) !== QUOTE; end++) if (line.charCodeAt(end) === BACKSLASH) end++
    const [head, tail] = [line.slice(0, start), line.slice(end)]
    try {
      return read(JSON.parse(head + probe + tail)) === probeText ? new Frame(head, tail, shape) : undefined
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
    const start = text.indexOf(this.#head, at) + this.#head.length
    const value = text.slice(start, this.end - this.#tail)
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
