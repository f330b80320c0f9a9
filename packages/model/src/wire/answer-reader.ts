import { areLines } from "./json-lines.ts"
import { JsonListReader } from "./json-list.ts"
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
  /** Whether a stream may come as a JSON list too: its items are then the events. */
  readonly streamsLists?: boolean | undefined
  /** Takes an answer that is one JSON value. */
  whole(text: string): void
  /** The body has ended: tells the sink how, if the answer came to its end. */
  complete(): void
}

/**
 * Reads the body of an answer as what it is, an event stream, a list of events or one JSON value: some endpoints answer a request for a
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
    const isList = begun.startsWith("[") && this.#parser.streamsLists === true
    this.#begin(isList ? "list" : /^[[{<]/.test(begun) ? "whole" : "events")
  }

  end(): void {
    if (!this.#reader) this.#begin("whole")
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

  #begin(form: "events" | "list" | "whole"): void {
    this.#reader = readerOf(this.#parser, form)
    this.#reader.push(this.#start)
    this.#start = ""
  }
}

function readerOf(parser: AnswerParser, form: "events" | "list" | "whole"): TextReader {
  if (form === "whole") return new WholeReader(parser)
  if (form === "events") return new SseReader(parser.onEvent, undefined, parser.shortcut)
  return new JsonListReader((item) => parser.onEvent(item, 0, item.length, ""))
}

/** One JSON value; some gateways leave out the frames of a stream, so that its events are lines. */
class WholeReader extends TextCollector {
  readonly #parser: AnswerParser

  constructor(parser: AnswerParser) {
    super()
    this.#parser = parser
  }

  override end(): void {
    super.end()
    if (!areLines(this.text)) return this.#parser.whole(this.text)
    for (const line of this.text.split("\n")) {
      if (line.trim() !== "") this.#parser.onEvent(line, 0, line.length, "")
    }
  }
}
