import type { CallSink } from "@agentscope-ts/model"
import {
  BlockWriter,
  callPieceOf,
  failureOf,
  figureIn,
  Frames,
  NdjsonReader,
  objectIn,
  objectsIn,
  type SaidString,
  singleEffect,
  SseReader,
  stopReasonOf,
  TextCollector,
  type TextReader,
  textIn,
  toldError,
} from "@agentscope-ts/model/wire"

/** A line of a stream, or a whole answer, as far as it is read. */
interface WireLine {
  readonly message?: unknown
  readonly done?: unknown
  readonly done_reason?: unknown
  readonly prompt_eval_count?: unknown
  readonly eval_count?: unknown
  readonly error?: unknown
}

interface WireSaid {
  readonly content?: unknown
  readonly thinking?: unknown
  readonly tool_calls?: unknown
}

/** What a {@link LineReader} is told. */
export interface LineReaderOptions {
  /** Provider and model, for messages. */
  readonly label: string
  /** Whether a stream was asked for; else the answer is one JSON value on any number of lines. */
  readonly streams: boolean
  /** After how many lines those of the same frame are read without parsing; false: never. For tests that compare both. */
  readonly frames?: number | false | undefined
}

/** How long a body may stay open after its last line. */
const graceAfterDoneMs = 250
/** How an event stream begins. */
const frames = ["data:", "event:", "id:", ":"]
const shape = { before: "", after: "\n", varying: '"created_at": ?"[0-9TZ:.+-]*"' }

/** Reads the answer of `/api/chat` into the sink: lines of JSON, or one value. */
export class LineReader implements TextReader {
  /** See `Exchange.graceMs` of the wire kit. */
  graceMs: number | undefined
  readonly #sink: CallSink
  readonly #label: string
  readonly #blocks: BlockWriter
  readonly #lines: NdjsonReader
  #reader: TextReader | undefined
  /** What came before it was known what it is. */
  #start = ""
  #finished = false

  constructor(sink: CallSink, { label, streams, frames: patience }: LineReaderOptions) {
    this.#sink = sink
    this.#label = label
    const blocks = new BlockWriter(sink)
    this.#blocks = blocks
    const frames =
      patience === false
        ? undefined
        : new Frames((line: WireLine) => singleEffect(line, blocks, saidIn), { ...shape, patience })
    const onLine = (value: unknown, text: string): void => {
      this.#line(value)
      frames?.learn(text, value as WireLine)
    }
    this.#lines = new NdjsonReader(onLine, undefined, frames && ((text, at) => frames.take(text, at)))
    if (!streams) this.#reader = this.#whole()
  }

  push(piece: string): void {
    if (this.#reader) return this.#reader.push(piece)
    this.#start += piece
    this.#reader = this.#readerFor(this.#start.trimStart())
    this.#reader?.push(this.#start)
  }

  end(): void {
    if (this.#reader) return this.#reader.end()
    this.#lines.push(this.#start)
    this.#lines.end()
  }

  /** The connection broke: what came is read to its end as far as that goes. */
  salvage(): void {
    try {
      this.end()
    } catch {
      // what was cut off says nothing; the failure of the connection is the one to tell
    }
  }

  /** By how it begins: some gateways put a stream in the frames of events, or answer with one value on many lines. */
  #readerFor(start: string): TextReader | undefined {
    if (/^\{?[ \t]{0,99}$/.test(start) || frames.some((field) => field.startsWith(start))) return undefined
    if (/^\{[ \t]*[\r\n]/.test(start)) return this.#whole()
    return isFramed(start) ? this.#events() : this.#lines
  }

  #events(): TextReader {
    return new SseReader((text, from, to) => {
      if (!text.startsWith("[DONE]", from)) this.#lines.push(`${text.slice(from, to)}\n`)
    })
  }

  /** One value; but some gateways stream whatever they are asked. */
  #whole(): TextReader {
    const collector = new TextCollector()
    const end = (): void => {
      collector.end()
      const value = jsonIn(collector.text)
      if (value !== undefined) return this.#line(value)
      const reader = isFramed(collector.text.trimStart()) ? this.#events() : this.#lines
      reader.push(collector.text)
      reader.end()
    }
    return { push: (piece) => collector.push(piece), end }
  }

  #line(value: unknown): void {
    const line = objectIn<WireLine>(value)
    if (line === undefined || line.error) {
      throw toldError(this.#label, failureOf(value) ?? { message: "a line is no object" })
    }
    const said = objectIn<WireSaid>(line.message)
    this.#blocks.thinking(textIn(said?.thinking))
    this.#blocks.text(textIn(said?.content))
    for (const call of objectsIn<object>(said?.tool_calls)) this.#blocks.call(callPieceOf(call), true)
    if (line.done === true && !this.#finished) this.#finish(line)
  }

  #finish(line: WireLine): void {
    this.#finished = true
    this.graceMs = graceAfterDoneMs
    const stopReason = stopReasonOf(textIn(line.done_reason))
    const usage = { inputTokens: figureIn(line.prompt_eval_count), outputTokens: figureIn(line.eval_count) }
    this.#sink.finish({ stopReason, usage, ...this.#blocks.ended(stopReason) })
  }
}

/** The strings that a line says; undefined where it does something else. Calls come whole, so that they have no frame. */
function saidIn({ message, done, error }: WireLine): readonly SaidString[] | undefined {
  const said = objectIn<WireSaid>(message)
  if (done || error || !said || objectsIn(said.tool_calls).length > 0) return undefined
  return [
    { key: '"content":', text: textIn(said.content), as: "text" },
    { key: '"thinking":', text: textIn(said.thinking), as: "thinking" },
  ]
}

const isFramed = (start: string): boolean => frames.some((field) => start.startsWith(field))

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
