import type { StopReason } from "@agentscope-ts/message"
import type { CallEnd, CallSink } from "@agentscope-ts/model"
import {
  type AnswerParser,
  BlockWriter,
  type CallPiece,
  callPieceOf,
  failureIn,
  failureOf,
  Frames,
  malformed,
  objectIn,
  parseJson,
  StreamTelling,
  textIn,
  type TextSoFar,
  toldError,
} from "@agentscope-ts/model/wire"
import { effectOf } from "./chunk-effect.ts"
import { usageOf } from "./usage.ts"
import { type Said, saidBy, type WireChunk } from "./wire-chunk.ts"

/** What a {@link GenerationReader} is told. */
export interface GenerationReaderOptions {
  /** Provider and model, for messages. */
  readonly label: string
  /** Whether totals were asked for: each event of the stream then has all there is so far. */
  readonly totals?: boolean | undefined
  /** After how many events those of the same frame are read without parsing; false: never. For tests that compare both. */
  readonly frames?: number | false | undefined
}

/** How long a body may stay open after the finish reason. */
const graceAfterFinishMs = 2000
const shape = {
  before: "(?:id: ?\\d+\\n)?(?:event: ?result\\n)?(?::HTTP_STATUS/200\\n)?data: ?",
  varying: '"\\w+_tokens": ?\\d+',
}

/** Reads the events of a generation, or a whole one, into the sink. */
export class GenerationReader implements AnswerParser {
  /** See `Exchange.graceMs` of the wire kit. */
  graceMs: number | undefined
  readonly #sink: CallSink
  readonly #label: string
  readonly #blocks: BlockWriter
  readonly #frames: Frames<WireChunk> | undefined
  readonly #stream: StreamTelling
  readonly #text: TextSoFar
  readonly #thinking: TextSoFar
  /** The calls as they were last told, while events may tell them as totals. */
  readonly #calls: CallPiece[] = []
  #id = ""
  #usage: CallEnd["usage"]
  #stop: StopReason | undefined
  #finished = false

  constructor(sink: CallSink, { label, totals, frames: patience }: GenerationReaderOptions) {
    this.#sink = sink
    this.#label = label
    const blocks = new BlockWriter(sink)
    const stream = new StreamTelling(totals ? "totals" : undefined)
    this.#blocks = blocks
    this.#stream = stream
    this.#thinking = stream.text((text) => blocks.thinking(text))
    this.#text = stream.text((text) => blocks.text(text))
    if (patience === false) return
    const effect = (chunk: WireChunk) => (stream.telling === "pieces" ? effectOf(chunk, blocks) : undefined)
    this.#frames = new Frames(effect, { ...shape, patience })
  }

  /** Takes an event of the stream: its data is `text.slice(from, to)`. */
  readonly onEvent = (text: string, from: number, to: number, event: string): void => {
    const data = text.slice(from, to).trim()
    if (data === "" || data === "[DONE]") return
    if (event === "error") throw toldError(this.#label, failureIn(data) ?? { message: data })
    const chunk = this.#object(data, "An event")
    this.#chunk(chunk, false)
    this.#frames?.learn(data, chunk)
  }

  /** Takes an event that needs no parsing; see `SseShortcut` of the wire kit. */
  readonly shortcut = (text: string, at: number): number => this.#frames?.take(text, at) ?? -1

  /** Takes a whole generation. */
  whole(text: string): void {
    const chunk = this.#object(text, "The answer")
    if (!this.#chunk(chunk, true)) throw malformed(`The answer of ${this.#label} has no choice in it.`)
    this.#stop ??= "stop"
    this.complete()
  }

  /** Tells the sink how the answer ended, if it came to its end: also when the connection breaks after that. */
  complete(): void {
    if (this.#finished || this.#stop === undefined) return
    this.#finished = true
    this.#stream.end()
    const named = this.#blocks.end()
    const none = this.#stop === "tool_use" && this.#blocks.calls.empty
    const stopReason = named ? (none ? "stop" : this.#stop) : "malformed_tool_call"
    this.#sink.finish({ id: this.#id, usage: this.#usage, stopReason })
  }

  #object(text: string, what: string): WireChunk {
    const value = parseJson(text, `${what} of ${this.#label}`)
    const chunk = objectIn<WireChunk>(value)
    if (!chunk) throw toldError(this.#label, failureOf(value) ?? { message: "an event is no object" })
    return chunk
  }

  /** Returns whether the chunk says anything. */
  #chunk(chunk: WireChunk, whole: boolean): boolean {
    const said = saidBy(chunk)
    // some answers have an empty code beside their output
    if (chunk.error || (!said && (textIn(chunk.code) !== "" || textIn(chunk.message) !== ""))) {
      throw toldError(this.#label, failureOf(chunk) ?? {})
    }
    if (this.#id === "" && typeof chunk.request_id === "string" && chunk.request_id !== "") {
      this.#id = chunk.request_id
      this.#sink.begin({ id: chunk.request_id })
    }
    this.#usage = usageOf(chunk.usage) ?? this.#usage
    if (said) this.#said(said, whole)
    return said !== undefined
  }

  #said({ thinking, text, calls, finish }: Said, whole: boolean): void {
    if (whole) {
      this.#blocks.thinking(thinking)
      this.#blocks.text(text)
    } else {
      this.#thinking.push(thinking)
      this.#text.push(text)
    }
    for (const [i, call] of calls.entries()) this.#call(callPieceOf(call, i), whole)
    if (finish === "") return
    this.#stop = stopReasonOf(finish)
    this.graceMs ??= graceAfterFinishMs
  }

  #call(piece: CallPiece, whole: boolean): void {
    if (whole || this.#stream.telling === "pieces") return this.#blocks.call(piece, whole)
    const { id, index, json } = piece
    const sameId = id === "" ? -1 : this.#calls.findIndex((call) => call.id === id)
    const at =
      sameId >= 0 ? sameId : this.#calls.findIndex((call) => call.index === index && (id === "" || call.id === ""))
    const before = this.#calls[at]
    this.#calls[before ? at : this.#calls.length] = { ...piece, id: id || (before?.id ?? "") }
    // so far it is the same whether it is a piece or a total
    if (before === undefined || before.json.trim() === "") return this.#blocks.call(piece)
    if (this.#stream.telling === undefined) this.#stream.decide(isTotal(before, piece) ? "totals" : "pieces")
    const rest = this.#stream.telling === "totals" && json.startsWith(before.json)
    this.#blocks.call(rest ? { ...piece, json: json.slice(before.json.length) } : piece)
  }
}

/** A total repeats the name, which a piece has no need to; and arguments that begin twice with the same are no JSON. */
function isTotal(before: CallPiece, { id, name, json }: CallPiece): boolean {
  if (name === "" || id !== before.id || !json.startsWith(before.json)) return false
  return id !== "" || json.length > before.json.length
}

/** A word nobody knows means that the model came to its end. */
function stopReasonOf(word: string): StopReason {
  switch (word.toLowerCase()) {
    case "tool_calls":
    case "function_call":
      return "tool_use"
    case "length":
    case "max_tokens":
      return "length"
    case "content_filter":
    case "data_inspection_failed":
      return "content_filter"
    default:
      return "stop"
  }
}
