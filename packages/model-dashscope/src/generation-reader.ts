import type { StopReason } from "@agentscope-ts/message"
import type { CallEnd, CallSink } from "@agentscope-ts/model"
import {
  type AnswerParser,
  chunkObject,
  failureIn,
  failureOf,
  Frames,
  malformed,
  singleEffect,
  stopReasonOf,
  StreamBlocks,
  textIn,
  toldError,
} from "@agentscope-ts/model/wire"
import { type Said, saidBy, saidIn, usageOf, type WireChunk } from "./wire-chunk.ts"

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
  varying: '"\\w+_tokens": ?(?:0|[1-9]\\d*)',
}

/** Reads the events of a generation, or a whole one, into the sink. */
export class GenerationReader implements AnswerParser {
  /** See `Exchange.graceMs` of the wire kit. */
  graceMs: number | undefined
  readonly #sink: CallSink
  readonly #label: string
  readonly #told: StreamBlocks
  readonly #frames: Frames<WireChunk> | undefined
  #id = ""
  #usage: CallEnd["usage"]
  #stop: StopReason | undefined
  #finished = false

  constructor(sink: CallSink, { label, totals, frames: patience }: GenerationReaderOptions) {
    this.#sink = sink
    this.#label = label
    const told = new StreamBlocks(sink, totals ? "totals" : undefined)
    this.#told = told
    if (patience === false) return
    const effect = (chunk: WireChunk) => (told.inPieces ? singleEffect(chunk, told.blocks, saidIn) : undefined)
    this.#frames = new Frames(effect, { ...shape, patience })
  }

  /** Takes an event of the stream: its data is `text.slice(from, to)`. */
  readonly onEvent = (text: string, from: number, to: number, event: string): void => {
    const data = text.slice(from, to).trim()
    if (data === "" || data === "[DONE]") return
    if (event === "error") throw toldError(this.#label, failureIn(data) ?? { message: data })
    const chunk = chunkObject<WireChunk>(data, "An event", this.#label)
    this.#chunk(chunk, false)
    this.#frames?.learn(data, chunk)
  }

  /** Takes an event that needs no parsing; see `SseShortcut` of the wire kit. */
  readonly shortcut = (text: string, at: number): number => this.#frames?.take(text, at) ?? -1

  /** Takes a whole generation. */
  whole(text: string): void {
    const chunk = chunkObject<WireChunk>(text, "The answer", this.#label)
    if (!this.#chunk(chunk, true)) throw malformed(`The answer of ${this.#label} has no choice in it.`)
    this.#stop ??= "stop"
    this.complete()
  }

  /** Tells the sink how the answer ended, if it came to its end: also when the connection breaks after that. */
  complete(): void {
    if (this.#finished || this.#stop === undefined) return
    this.#finished = true
    const named = this.#told.end()
    const none = this.#stop === "tool_use" && this.#told.blocks.calls.empty
    const stopReason = named ? (none ? "stop" : this.#stop) : "malformed_tool_call"
    this.#sink.finish({ id: this.#id, usage: this.#usage, stopReason })
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
    const usage = usageOf(chunk.usage)
    if (usage) this.#sink.begin({ usage })
    this.#usage = usage ?? this.#usage
    if (said) this.#said(said, whole)
    return said !== undefined
  }

  #said({ thinking, text, calls, finish }: Said, whole: boolean): void {
    this.#told.said(thinking, text, calls, whole)
    if (finish === "") return
    this.#stop = stopReasonOf(finish)
    this.graceMs ??= graceAfterFinishMs
  }
}
