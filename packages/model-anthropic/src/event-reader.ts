import type { StopReason } from "@agentscope-ts/message"
import type { CallEnd, CallSink } from "@agentscope-ts/model"
import {
  type AnswerParser,
  failureOf,
  figureIn as figure,
  Frames,
  malformed,
  objectIn,
  objectsIn,
  parseJson,
  textIn,
  toldError,
} from "@agentscope-ts/model/wire"
import { AnswerBlock, type Voice } from "./answer-block.ts"

/** What an {@link EventReader} is told. */
export interface EventReaderOptions {
  /** Provider and model, for messages. */
  readonly label: string
  /** After how many events those of the same frame are read without parsing; false: never. For tests that compare both. */
  readonly frames?: number | false | undefined
}

/** An event, or a part of one: nothing is taken for granted but that it is an object. */
type Wire = Readonly<Record<string, unknown>>

const fields: Readonly<Record<string, AnswerBlock["field"]>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
}
const stops: Readonly<Record<string, StopReason>> = {
  tool_use: "tool_use",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
}
/** How long a body may stay open after the stop reason, and after the last event. */
const graceAfterStopMs = 5000
const graceAfterEndMs = 250

/** Reads the events of a Messages stream, or a whole message, into the sink. */
export class EventReader implements AnswerParser {
  /** See `Exchange.graceMs` of the wire kit. */
  graceMs: number | undefined
  readonly #sink: CallSink
  readonly #label: string
  readonly #frames: Frames<Wire> | undefined
  /** The block that is open, for they come one after the other, and all that there were. */
  #block: AnswerBlock | undefined
  readonly #blocks = new Map<number, AnswerBlock>()
  readonly #voice: Voice = {}
  #id = ""
  /** As told so far: each figure is of the whole answer and takes the place of the one before. */
  #usage: Wire | undefined
  #stop: StopReason | undefined
  #refusal: string | undefined
  #nameless = false
  #finished = false

  constructor(sink: CallSink, { label, frames: patience }: EventReaderOptions) {
    this.#sink = sink
    this.#label = label
    if (patience === false) return
    const before = "(?:event: ?content_block_delta\n)?data: ?"
    this.#frames = new Frames((event) => this.#effectOf(event), { patience, before, padded: true })
  }

  /** Takes an event of the stream: its data is `text.slice(from, to)`. */
  readonly onEvent = (text: string, from: number, to: number, name: string): void => {
    const data = text.slice(from, to).trim()
    // what gateways of another format end with
    if (data === "" || data === "[DONE]") return
    if (name === "error" && data.charCodeAt(0) !== 123) throw toldError(this.#label, { message: data })
    const event = objectIn<Wire>(parseJson(data, `An event of ${this.#label}`))
    if (!event) throw malformed(`An event of ${this.#label} is no object: ${data.slice(0, 100)}`)
    if (name === "error") throw this.#failure(event)
    this.#event(event, textIn(event["type"]) || name)
    this.#frames?.learn(data, event)
  }

  /** Takes an event that needs no parsing; see `SseShortcut` of the wire kit. */
  readonly shortcut = (text: string, at: number): number => this.#frames?.take(text, at) ?? -1

  /** Takes a whole message. */
  whole(text: string): void {
    const body = parseJson(text, `The answer of ${this.#label}`)
    const message = objectIn<Wire>(body)
    if (!message || message["error"] || message["type"] === "error") throw this.#failure(body)
    if (!Array.isArray(message["content"])) throw malformed(`The answer of ${this.#label} has no content.`)
    this.#message(message)
    this.#stop ??= "stop"
    this.complete()
  }

  /** Tells the sink how the answer ended, if it came to its end: also when the connection breaks after that. */
  complete(): void {
    if (this.#finished || this.#stop === undefined) return
    this.#endBlock()
    this.#finished = true
    const stopReason = this.#nameless ? "malformed_tool_call" : this.#stop
    this.#sink.finish({ id: this.#id, usage: usageOf(this.#usage), stopReason, refusal: this.#refusal })
  }

  #event(event: Wire, type: string): void {
    if (event["error"]) throw this.#failure(event)
    switch (type) {
      case "error":
        throw this.#failure(event)
      case "message_start":
        return this.#message(objectIn<Wire>(event["message"]) ?? {})
      case "content_block_start":
        return this.#start(Number(event["index"]), objectIn<Wire>(event["content_block"]) ?? {})
      case "content_block_delta":
        return this.#delta(Number(event["index"]), objectIn<Wire>(event["delta"]) ?? {})
      case "content_block_stop":
        return this.#endBlock()
      case "message_delta":
        return this.#told(event["usage"], objectIn<Wire>(event["delta"]) ?? {})
      case "message_stop":
        this.graceMs = graceAfterEndMs
        this.#stop ??= "stop"
        return this.complete()
    }
  }

  #message(message: Wire): void {
    this.#id = textIn(message["id"])
    this.#sink.begin({ id: this.#id })
    objectsIn<Wire>(message["content"]).forEach((block, i) => this.#start(i, block))
    this.#endBlock()
    this.#told(message["usage"], message)
  }

  #start(index: number, wire: Wire): void {
    this.#endBlock()
    const known = this.#blocks.get(index)
    // a start that comes late or twice, or a text that ended before its time: it goes on
    if (known && known.type === wire["type"] && !known.isTold) return void (this.#block = known)
    // a call of nothing cannot be told
    const isNameless = wire["type"] === "tool_use" && textIn(wire["name"]) === ""
    this.#nameless ||= isNameless
    if (isNameless) return
    this.#block = new AnswerBlock(index, wire, this.#sink, this.#voice)
    this.#blocks.set(index, this.#block)
  }

  #endBlock(): void {
    const block = this.#block
    this.#block = undefined
    block?.end()
  }

  #delta(index: number, delta: Wire): void {
    const field = fields[textIn(delta["type"])]
    // some servers leave out the start of a text
    if (this.#block?.index !== index && field && field !== "partial_json") this.#start(index, { type: field })
    const block = this.#block
    if (block?.index !== index) return
    if (field === block.field) block.add(textIn(delta[field]))
    else if (!field) block.delta(delta)
  }

  #told(usage: unknown, message: Wire): void {
    const figures = Object.entries(objectIn<Wire>(usage) ?? {}).filter(([, value]) => value !== null)
    if (figures.length > 0) this.#usage = { ...this.#usage, ...Object.fromEntries(figures) }
    const word = textIn(message["stop_reason"])
    if (word === "") return
    this.graceMs ??= graceAfterStopMs
    // a word nobody knows means that it came to its end
    this.#stop = stops[word] ?? "stop"
    this.#refusal = textIn(objectIn<Wire>(message["stop_details"])?.["explanation"]) || undefined
    if (word !== "pause_turn") return
    this.#sink.warn("turn_paused", `${this.#label} paused its turn: send its answer back as it is, and it goes on.`)
  }

  #effectOf(event: Wire) {
    const block = this.#block
    const textIn = (other: unknown): string | undefined => block && textFor(block, other as Wire)
    if (!block || textIn(event) === undefined) return undefined
    return { key: `"${block.field}":`, say: (text: string) => block.add(text), read: textIn }
  }

  #failure(event: unknown): Error {
    return toldError(this.#label, failureOf(objectIn<Wire>(event)?.["error"] ?? event) ?? {})
  }
}

/** The text that an event adds to a block, when that is all it does. */
function textFor({ index, field }: AnswerBlock, event: Wire): string | undefined {
  const delta = objectIn<Wire>(event["delta"])
  const isOne = event["type"] === "content_block_delta" && event["index"] === index && !event["error"]
  return isOne && delta && fields[textIn(delta["type"])] === field ? textIn(delta[field]) : undefined
}

/** In our terms: Anthropic's `input_tokens` leaves out what was read from or written to the cache. */
function usageOf(told: Wire | undefined): CallEnd["usage"] {
  if (!told) return undefined
  const input = figure(told["input_tokens"])
  const cached = figure(told["cache_read_input_tokens"])
  const written = figure(told["cache_creation_input_tokens"])
  return {
    inputTokens: input === undefined ? undefined : input + (cached ?? 0) + (written ?? 0),
    outputTokens: figure(told["output_tokens"]),
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: figure(objectIn<Wire>(told["output_tokens_details"])?.["thinking_tokens"]),
  }
}
