import type { CallEnd, CallSink } from "@agentscope-ts/model"
import {
  type ChunkEffect,
  figureIn as figure,
  type IndexedBlock,
  IndexedBlocks,
  malformed,
  objectIn,
  objectsIn,
  stopReasonOf,
  StreamParser,
  type StreamParserOptions,
  textIn,
} from "@agentscope-ts/model/wire"
import { blockForms } from "./answer-block.ts"

/** An event, or a part of one: nothing is taken for granted but that it is an object. */
type Wire = Readonly<Record<string, unknown>>

/** The fields of deltas that say something, by the deltas' type, and the kinds of blocks that they belong to. */
const fields: Readonly<Record<string, "text" | "thinking" | "partial_json">> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
}
const fieldOf = ({ type }: IndexedBlock) => (type === "text" || type === "thinking" ? type : "partial_json")
/** How long a body may stay open after the stop reason, and after the last event. */
const graceAfterStopMs = 5000
const graceAfterEndMs = 250
const shape = { what: "An event", before: "(?:event: ?content_block_delta\n)?data: ?", padded: true }

/** Reads the events of a Messages stream, or a whole message, into the sink. */
export class EventReader extends StreamParser<Wire> {
  readonly #blocks: IndexedBlocks
  /** As told so far: each figure is of the whole answer and takes the place of the one before. */
  #usage: Wire | undefined
  #refusal: string | undefined

  constructor(sink: CallSink, options: StreamParserOptions) {
    super(sink, options, shape)
    this.#blocks = new IndexedBlocks(sink, blockForms)
  }

  protected override read(event: Wire, name: string, whole: boolean): void {
    const type = textIn(event["type"]) || name
    if (event["error"] || type === "error") throw this.failure(event)
    if (whole) {
      if (!Array.isArray(event["content"])) throw malformed(`The answer of ${this.label} has no content.`)
      this.stop = "stop"
      return this.#message(event)
    }
    switch (type) {
      case "message_start":
        return this.#message(objectIn<Wire>(event["message"]) ?? {})
      case "content_block_start":
        return this.#blocks.start(Number(event["index"]), objectIn<Wire>(event["content_block"]) ?? {})
      case "content_block_delta":
        return this.#delta(Number(event["index"]), objectIn<Wire>(event["delta"]) ?? {})
      case "content_block_stop":
        return this.#blocks.end()
      case "message_delta":
        return this.#told(event["usage"], objectIn<Wire>(event["delta"]) ?? {})
      case "message_stop":
        this.graceMs = graceAfterEndMs
        this.stop ??= "stop"
        return this.complete()
    }
  }

  protected override end(): Partial<CallEnd> {
    this.#blocks.end()
    return { refusal: this.#refusal, ...(this.#blocks.nameless && { stopReason: "malformed_tool_call" }) }
  }

  #message(message: Wire): void {
    this.told({ id: message["id"] })
    objectsIn<Wire>(message["content"]).forEach((block, i) => this.#blocks.start(i, block))
    this.#blocks.end()
    this.#told(message["usage"], message)
  }

  #delta(index: number, delta: Wire): void {
    const field = fields[textIn(delta["type"])]
    // some servers leave out the start of a text
    const isLate = this.#blocks.open?.index !== index && field !== undefined && field !== "partial_json"
    if (isLate) this.#blocks.start(index, { type: field })
    const block = this.#blocks.open
    if (block?.index !== index) return
    const { type, citation, ...more } = delta
    if (field === fieldOf(block)) block.add(textIn(delta[field]))
    else if (!field) block.grow(type === "citations_delta" ? { citations: [citation] } : more)
  }

  #told(usage: unknown, message: Wire): void {
    const figures = Object.entries(objectIn<Wire>(usage) ?? {}).filter(([, value]) => value !== null)
    if (figures.length > 0) {
      this.#usage = { ...this.#usage, ...Object.fromEntries(figures) }
      this.told({ usage: usageOf(this.#usage) })
    }
    const word = textIn(message["stop_reason"])
    if (word === "") return
    this.graceMs ??= graceAfterStopMs
    this.stop = stopReasonOf(word)
    this.#refusal = textIn(objectIn<Wire>(message["stop_details"])?.["explanation"]) || undefined
    if (word !== "pause_turn") return
    this.sink.warn("turn_paused", `${this.label} paused its turn: send its answer back as it is, and it goes on.`)
  }

  protected override effectOf(event: Wire): ChunkEffect | undefined {
    const block = this.#blocks.open
    if (!block || textFor(block, event) === undefined) return undefined
    const read = (other: unknown) => textFor(block, other as Wire)
    return { key: `"${fieldOf(block)}":`, say: (text) => block.add(text), read }
  }
}

/** The text that an event adds to a block, when that is all it does. */
function textFor(block: IndexedBlock, event: Wire): string | undefined {
  const delta = objectIn<Wire>(event["delta"])
  const isOne = event["type"] === "content_block_delta" && event["index"] === block.index && !event["error"]
  const field = fieldOf(block)
  return isOne && delta && fields[textIn(delta["type"])] === field ? textIn(delta[field]) : undefined
}

/** In our terms: Anthropic's `input_tokens` leaves out what was read from or written to the cache. */
function usageOf(told: Wire): CallEnd["usage"] {
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
