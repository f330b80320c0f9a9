const QUOTE = 34
const BACKSLASH = 92
const SPACE = 32

/** Stands for the text while a frame is proved; no provider sends it. */
const probe = "\\u0001probe\\u0002"
const probeText = "\u0001probe\u0002"

/** The inside of a string that has nothing to be read, nor what must not be there at all. */
const plain = String.raw`[^"\\\x00-\x1f]*`

/** How an event stands around its JSON, after line ends were made LF, and what in it says nothing. */
export interface FrameShape {
  /** What comes before the JSON, as the source of a regular expression. Default `data: ?`. */
  readonly before?: string | undefined
  /** What comes after it. Default a line end and a blank line. */
  readonly after?: string | undefined
  /**
   * The parts of a chunk that may differ from one to the next and change nothing of what it does (a counter, a time), as the
   * source of a regular expression without groups that capture: `"sequence_number":\\d+`.
   */
  readonly varying?: string | undefined
  /** Whether any number of blanks may stand before the last brace: some servers hide the length of a text so. */
  readonly padded?: boolean | undefined
}

/**
 * The bytes around the text of an event's chunk. A later event with the same bytes around another string says the same but
 * for that text: it need not be parsed. That the string is where the text comes from is proved once, by parsing the frame
 * with a probe in its place.
 */
export class Frame {
  /** Where the event ends that {@link match} has found, what stands after it included. */
  end = 0
  // sticky: they look at one place only. Compiled, they compare several characters at a time and make no garbage; cutting
  // out the head and comparing takes twice as long, startsWith on a text that was joined from pieces twenty times
  readonly #head: RegExp
  readonly #plainTail: RegExp
  readonly #tail: RegExp

  private constructor(head: string, tail: string, shape: FrameShape) {
    const { before = "data: ?", after = "\n\n", varying, padded } = shape
    const last = padded ? String.raw` *\}${literal(after)}` : literal(after)
    this.#head = new RegExp(before + patternOf(head, varying), "y")
    const rest = patternOf(padded ? tail.replace(/ *\}$/, "") : tail, varying) + last
    this.#plainTail = new RegExp(plain + rest, "y")
    this.#tail = new RegExp(rest, "y")
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
      if (read(JSON.parse(head + probe + tail)) !== probeText) return undefined
      return new Frame(head, tail, shape)
    } catch {
      return undefined
    }
  }

  /** The text of the event that starts at `at`; undefined when it has other bytes around it: then it must be parsed. */
  match(text: string, at: number): string | undefined {
    const head = this.#head
    head.lastIndex = at
    if (!head.test(text)) return undefined
    const start = head.lastIndex
    const tail = this.#plainTail
    tail.lastIndex = start
    if (!tail.test(text)) return this.#matchEscaped(text, start)
    this.end = tail.lastIndex
    return text.slice(start, text.indexOf('"', start))
  }

  #matchEscaped(text: string, start: number): string | undefined {
    const tail = this.#tail
    const end = endOfString(text, start)
    tail.lastIndex = end
    if (end < 0 || !tail.test(text)) return undefined
    this.end = tail.lastIndex
    try {
      return JSON.parse(text.slice(start - 1, end + 1)) as string
    } catch {
      return undefined
    }
  }
}

/** A text as a pattern in which `varying` may vary. */
function patternOf(text: string, varying: string | undefined): string {
  if (varying === undefined) return literal(text)
  return text.split(new RegExp(varying)).map(literal).join(`(?:${varying})`)
}

/** Where a JSON string ends that begins before `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++
  return slashes % 2 === 1
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
}
