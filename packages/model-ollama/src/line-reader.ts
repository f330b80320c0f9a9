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
const shape = { before: "", after: "\n", varying: '"created_at": ?"[0-9TZ:.+-]*"' }

/** Reads the answer of `/api/chat` into the sink: lines of JSON, or one value. */
export class LineReader implements TextReader {
  /** See `Exchange.graceMs` of the wire kit. */
  graceMs: number | undefined
  readonly #sink: CallSink
  readonly #label: string
  readonly #blocks: BlockWriter
  readonly #lines: NdjsonReader
  readonly #whole: TextCollector | undefined
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
    if (!streams) this.#whole = new TextCollector()
  }

  push(piece: string): void {
    if (this.#whole) this.#whole.push(piece)
    else this.#lines.push(piece)
  }

  end(): void {
    if (this.#whole) {
      this.#whole.end()
      const value = jsonIn(this.#whole.text)
      if (value !== undefined) return this.#line(value)
      // some gateways stream whatever they are asked
      this.#lines.push(this.#whole.text)
    }
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
    const named = this.#blocks.end()
    this.#sink.finish({
      stopReason: named ? stopReasonOf(textIn(line.done_reason)) : "malformed_tool_call",
      usage: { inputTokens: figureIn(line.prompt_eval_count), outputTokens: figureIn(line.eval_count) },
    })
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

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
