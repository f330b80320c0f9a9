import type { CallEnd, CallSink } from "@agentscope-ts/model"
import {
  figureIn as figure,
  IndexedBlocks,
  indexIn,
  laterFields,
  malformed,
  objectIn,
  type Said,
  stopReasonOf,
  StreamParser,
  type StreamParserOptions,
  textIn,
  tracedAnswer,
  warnPaused,
} from "@agentscope-ts/model/wire"
import { blockForms } from "./answer-block.ts"

/** An event, or a part of one: nothing is taken for granted but that it is an object. */
type Wire = Readonly<Record<string, unknown>>

/** What deltas say, by their types: where it stands, and the kind of block that it belongs to. */
const sayings: Readonly<Record<string, readonly [field: string, type: "text" | "thinking" | "json"]>> = {
  text_delta: ["text", "text"],
  thinking_delta: ["thinking", "thinking"],
  input_json_delta: ["partial_json", "json"],
}
/** How long a body may stay open after the stop reason, and after the last event. */
const graceAfterStopMs = 5000
const graceAfterEndMs = 250

/** Reads the events of a Messages stream, or a whole message, into the sink. */
export class EventReader extends StreamParser<Wire> {
  readonly #blocks: IndexedBlocks
  /** As told so far: each figure is of the whole answer and takes the place of the one before. */
  #usage: Wire = {}
  #refusal: string | undefined

  constructor(sink: CallSink, options: StreamParserOptions) {
    super(sink, options, { what: "An event", before: "(?:event: ?content_block_delta\n)?data: ?", padded: true })
    this.#blocks = new IndexedBlocks(sink, blockForms)
  }

  protected override read(event: Wire, name: string, whole: boolean): void {
    const type = textIn(event["type"]) || name
    if (event["error"] || type === "error") throw this.failure(event)
    if (whole) {
      if (!Array.isArray(event["content"]) && typeof event["content"] !== "string")
        throw malformed(`The answer of ${this.label} has no content.`)
      this.stop = "stop"
      return this.#message(event)
    }
    switch (type) {
      case "message_start":
        return this.#message(objectIn<Wire>(event["message"]) ?? {})
      case "content_block_start":
        return this.#blocks.start(indexIn(event["index"]), objectIn<Wire>(event["content_block"]) ?? {})
      case "content_block_delta":
        return this.#delta(indexIn(event["index"]), objectIn<Wire>(event["delta"]) ?? {})
      case "content_block_stop":
        return this.#blocks.end(indexIn(event["index"]))
      case "message_delta":
        return this.#told(event["usage"], objectIn<Wire>(event["delta"]) ?? {})
      case "message_stop":
        this.graceMs = graceAfterEndMs
        this.stop ??= "stop"
        return this.complete()
    }
  }

  protected override end(): Partial<CallEnd> {
    this.#blocks.endAll()
    return { refusal: this.#refusal, ...(this.#blocks.nameless && { stopReason: "malformed_tool_call" }) }
  }

  #message(message: Wire): void {
    this.told({ id: message["id"], traced: tracedAnswer({ model: message["model"] }) })
    this.#blocks.whole(message["content"])
    this.#told(message["usage"], message)
  }

  #delta(index: number, delta: Wire): void {
    const { type, citation, ...more } = delta
    const [field = "", kind] = sayings[textIn(type)] ?? []
    if (kind) this.#blocks.say(index, kind, textIn(delta[field]))
    else this.#blocks.at(index)?.grow(type === "citations_delta" ? { citations: [citation] } : more)
  }

  #told(usage: unknown, message: Wire): void {
    const figures = laterFields(this.#usage, usage)
    if (figures !== this.#usage) this.told({ usage: usageOf(figures) })
    this.#usage = figures
    const word = textIn(message["stop_reason"])
    if (word === "") return
    this.graceMs ??= graceAfterStopMs
    this.stop = stopReasonOf(word)
    this.#refusal = textIn(objectIn<Wire>(message["stop_details"])?.["explanation"]) || undefined
    if (word === "pause_turn") warnPaused(this.sink, this.label)
  }

  protected override effectOf(event: Wire) {
    return this.#blocks.effectOf(event, saidIn)
  }
}

/** What an event adds to a block, when that is all it does. */
function saidIn(event: Wire): Said | undefined {
  const delta = objectIn<Wire>(event["delta"]) ?? {}
  const [field = "", type] = sayings[textIn(delta["type"])] ?? []
  if (!type || event["type"] !== "content_block_delta" || event["error"]) return undefined
  return { key: `"${field}":`, type, index: indexIn(event["index"]), text: textIn(delta[field]) }
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
    cacheWriteLongTokens: figure(objectIn<Wire>(told["cache_creation"])?.["ephemeral_1h_input_tokens"]),
    reasoningTokens: figure(objectIn<Wire>(told["output_tokens_details"])?.["thinking_tokens"]),
  }
}
