import type { StopReason } from "@agentscope-ts/message"
import type { CallEnd, CallHead, CallSink } from "../stream/call-sink.ts"
import type { AnswerParser } from "./answer-reader.ts"
import { chunkObject } from "./chunk-object.ts"
import type { FrameShape } from "./frame.ts"
import { type ChunkEffect, Frames } from "./frames.ts"
import { failureIn, failureOf, toldError } from "./http-error.ts"
import { areLines } from "./json-lines.ts"
import { malformed } from "./malformed.ts"
import { textIn } from "./read-value.ts"

/** What a {@link StreamParser} is told. */
export interface StreamParserOptions {
  /** Provider and model, for messages. */
  readonly label: string
  /** After how many chunks those of the same frame are read without parsing; false: never. For tests that compare both. */
  readonly frames?: number | false | undefined
}

/** What is the same in all chunks of a wire. */
export interface ChunkShape extends FrameShape {
  /** What messages call a chunk. Default "A chunk". */
  readonly what?: string | undefined
}

/**
 * A reader of a provider's answers: takes the chunks of a stream, or a whole answer as one chunk, and tells the sink how it
 * ended. A provider says what a chunk says ({@link read}) and how the answer ends ({@link end}); with {@link effectOf} the
 * chunks of a long text need no parsing.
 */
export abstract class StreamParser<Chunk extends object> implements AnswerParser {
  /** See `Exchange.graceMs`. A parser sets it when it has read why the model stopped. */
  graceMs: number | undefined
  protected readonly sink: CallSink
  /** Provider and model, for messages. */
  protected readonly label: string
  /** Why the model stopped; undefined until it is known that the answer came to its end. */
  protected stop: StopReason | undefined
  readonly #what: string
  readonly #frames: Frames<Chunk> | undefined
  #id = ""
  #usage: CallEnd["usage"]
  #finished = false

  constructor(sink: CallSink, { label, frames: patience }: StreamParserOptions, shape: ChunkShape = {}) {
    this.sink = sink
    this.label = label
    this.#what = shape.what ?? "A chunk"
    if (patience !== false) this.#frames = new Frames((chunk) => this.effectOf(chunk), { ...shape, patience })
  }

  /** Takes an event of the stream: its data is `text.slice(from, to)`. */
  readonly onEvent = (text: string, from: number, to: number, event: string): void => {
    const data = text.slice(from, to).trim()
    if (data === "") return
    // before anything that may fail: what broke off has its figures too
    this.#catchUp()
    if (data === "[DONE]") return this.done()
    if (event === "error") throw toldError(this.label, failureIn(data) ?? { message: data })
    if (data.includes("\n") && areLines(data)) {
      for (const line of data.split("\n")) this.onEvent(line, 0, line.length, event)
      return
    }
    const chunk = chunkObject<Chunk>(data, this.#what, this.label)
    this.read(chunk, event, false)
    this.#frames?.learn(data, chunk)
  }

  /** Takes the events that need no parsing; see `SseShortcut`. */
  readonly shortcut = (text: string, at: number): number => this.#frames?.take(text, at) ?? at

  /** Takes a whole answer. */
  whole(text: string): void {
    this.read(chunkObject<Chunk>(text, "The answer", this.label), "", true)
    if (this.stop === undefined) {
      throw malformed(`The answer of ${this.label} does not say how it ended: it says nothing, or was cut off.`)
    }
    this.complete()
  }

  /** Tells the sink how the answer ended, if it came to its end: also when the connection breaks after that. */
  complete(): void {
    if (this.#finished) return
    this.#catchUp()
    if (this.stop === undefined) return
    // what ends the blocks may tell of more than the stop reason
    const end = this.end(this.stop)
    this.#finished = true
    this.sink.finish({ id: this.#id, usage: this.#usage, stopReason: this.stop, ...end })
  }

  /** Whether the answer's id is known: what stands beside it in each chunk was told with it. */
  protected get isKnown(): boolean {
    return this.#id !== ""
  }

  /** Whether the sink was told how the answer ended. */
  protected get finished(): boolean {
    return this.#finished
  }

  /**
   * What a provider writes: what a chunk says (`event` is the name that stood before it), told to the sink, {@link stop} and
   * {@link told}. It throws {@link failure} when the chunk is one. `whole`: it is an answer by itself.
   */
  protected abstract read(chunk: Chunk, event: string, whole: boolean): void

  /** Ends the blocks, and gives what of the end is not as told: a call without a name, the words of a refusal. */
  protected abstract end(stop: StopReason): Partial<CallEnd> | undefined

  /** What a chunk does when that is one thing in one string; see `Frames`. */
  protected effectOf(_chunk: Chunk): ChunkEffect | undefined {
    return undefined
  }

  /** The figures of a chunk, from a provider whose chunks may bring some beside a text (`varying`): see {@link told}. */
  protected usageIn?(chunk: Chunk): CallEnd["usage"]

  /** `[DONE]` came, with which some endpoints end a stream. */
  protected done(): void {}

  /** The id and all figures so far, as soon as a chunk tells them: an answer that breaks off has them, too. */
  protected told({ id, usage, traced }: Omit<CallHead, "id"> & { readonly id?: unknown }): void {
    const isNew = this.#id === "" && textIn(id) !== ""
    if (isNew) this.#id = textIn(id)
    if (usage) this.#usage = usage
    if (isNew || usage) this.sink.begin({ id: this.#id, usage, traced })
  }

  /** The error that a chunk, or a part of one, tells of. */
  protected failure(value: unknown): Error {
    return toldError(this.label, failureOf(value) ?? {})
  }

  #catchUp(): void {
    if (this.usageIn === undefined) return
    const event = this.#frames?.unread()
    if (event) this.told({ usage: this.usageIn(JSON.parse(event.slice(event.indexOf("{"))) as Chunk) })
  }
}
