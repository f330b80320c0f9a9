import { TextCollector, type TextReader } from "./post.ts"
import { type SseListener, SseReader, type SseShortcut } from "./sse.ts"

/** What a provider knows of its answers: how an event is read, and how a whole one. */
export interface AnswerParser {
  /** Takes an event of the stream. */
  readonly onEvent: SseListener
  /** Takes an event that needs no parsing. */
  readonly shortcut?: SseShortcut | undefined
  /** See `Exchange.graceMs`. */
  readonly graceMs?: number | undefined
  /** Takes an answer that is one JSON value. */
  whole(text: string): void
  /** The body has ended: tells the sink how, if the answer came to its end. */
  complete(): void
}

/**
 * Reads the body of an answer as what it is, an event stream or one JSON value: some endpoints answer a request for a
 * stream with JSON (an error, mostly), or the other way round.
 */
export class AnswerReader implements TextReader {
  readonly #parser: AnswerParser
  #start = ""
  #reader: TextReader | undefined

  constructor(parser: AnswerParser) {
    this.#parser = parser
  }

  get graceMs(): number | undefined {
    return this.#parser.graceMs
  }

  push(piece: string): void {
    if (this.#reader) return this.#reader.push(piece)
    this.#start += piece
    const begun = this.#start.trimStart()
    // gateways send blank lines while the model thinks
    if (begun === "") return
    this.#begin(/^[[{<]/.test(begun))
  }

  end(): void {
    if (!this.#reader) this.#begin(true)
    this.#reader?.end()
    this.#parser.complete()
  }

  /** The connection broke: what came is read to its end as far as that goes, for an event may lack nothing but its blank line. */
  salvage(): void {
    try {
      this.end()
    } catch {
      // what was cut off says nothing; the failure of the connection is the one to tell
    }
  }

  #begin(json: boolean): void {
    this.#reader = json
      ? new WholeReader(this.#parser)
      : new SseReader(this.#parser.onEvent, undefined, this.#parser.shortcut)
    this.#reader.push(this.#start)
    this.#start = ""
  }
}

class WholeReader extends TextCollector {
  readonly #parser: AnswerParser

  constructor(parser: AnswerParser) {
    super()
    this.#parser = parser
  }

  override end(): void {
    super.end()
    this.#parser.whole(this.text)
  }
}
