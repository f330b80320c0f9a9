import type { JsonObject, StopReason } from "@agentscope-ts/message"
import type { CallEnd, CallSink } from "@agentscope-ts/model"
import {
  type ChunkEffect,
  failureOf,
  type GrowingBlock,
  type GrowingType,
  type ItemKey,
  objectIn,
  objectsIn,
  StreamParser,
  textIn,
  tracedAnswer,
  usageIn,
} from "@agentscope-ts/model/wire"
import type { ChunkReaderOptions } from "../chunk-reader.ts"
import { AnswerItems } from "./answer-items.ts"
import type { RequestTools } from "./request-tools.ts"

/** After the last event only `[DONE]` may come, from some. */
const graceMs = 250
/** The event's name stands before its data; a number, and what hides the length of its text, differ in each. */
const shape = {
  what: "An event",
  before: String.raw`(?:event: ?response\.[\w.]+\n)?data: ?`,
  varying: String.raw`"sequence_number":\d+|"obfuscation":"[\w+/=-]*"`,
}

/** The words for a response that did not come to its end. */
const unfinished = /^(?:incomplete|failed|cancell?ed)$/

/**
 * The events that bring a block, in pieces (`.delta`) or whole (`.done`): its type, its place in the item, and the field that
 * counts such places.
 */
const blocks = new Map<string, readonly [type: GrowingType, place: string, index: string]>([
  ["response.output_text", ["text", "", "content_index"]],
  ["response.reasoning_summary_text", ["thinking", "summary ", "summary_index"]],
  ["response.reasoning_text", ["thinking", "content ", "content_index"]],
  ["response.function_call_arguments", ["json", "call", ""]],
  ["response.custom_tool_call_input", ["free_text", "call", ""]],
])
const wholeIn = (event: JsonObject): string => textIn(event["text"] ?? event["arguments"] ?? event["input"])

/** What an {@link EventReader} is told. */
export interface EventReaderOptions extends ChunkReaderOptions {
  readonly tools?: RequestTools | undefined
}

/** Reads the events of a Responses stream, or a whole response, into the sink. */
export class EventReader extends StreamParser<JsonObject> {
  readonly #items: AnswerItems

  constructor(sink: CallSink, { provider, tools, ...options }: EventReaderOptions) {
    super(sink, options, shape)
    this.#items = new AnswerItems(sink, provider, tools)
  }

  protected override read(event: JsonObject, name: string, whole: boolean): void {
    if (whole) return this.#whole(event)
    const type = textIn(event["type"]) || name
    const isPiece = type.endsWith(".delta")
    const block = this.#blockOf(type, event)
    if (block) return isPiece ? block.add(textIn(event["delta"])) : block.upTo(wholeIn(event))
    const key = this.#keyOf(event)
    const item = objectIn<JsonObject>(event["item"])
    const part = objectIn<JsonObject>(event["part"])
    const response = objectIn<JsonObject>(event["response"])
    if (type === "response.output_item.added" && item) this.#items.begin(key, item)
    else if (type === "response.output_item.done" && item) this.#items.end(key, item)
    else if (type === "response.content_part.done" && part?.["type"] === "output_text") {
      this.#items.partDone(key, numberIn(event["content_index"]), part)
    } else if (type.startsWith("response.refusal.")) {
      const words = textIn(event[isPiece ? "delta" : "refusal"])
      this.#items.refuse(key, numberIn(event["content_index"]), words, isPiece)
    } else if (response) this.#response(response, type.slice("response.".length))
    else if (type === "error" || event["error"]) throw this.failure(event)
  }

  #whole(response: JsonObject): void {
    if (response["error"] && !response["output"]) throw this.failure(response)
    if (Array.isArray(response["output"])) this.#response(response, textIn(response["status"]) || "completed")
  }

  /** A gateway's way to say that all is told, where it left out the last event. */
  protected override done(): void {
    this.graceMs = graceMs
    if (this.#items.settled) this.stop ??= "stop"
    this.complete()
  }

  protected override end(): Partial<CallEnd> | undefined {
    this.#items.settle()
    const { refusal, nameless } = this.#items
    if (refusal !== "") return { stopReason: "refusal", refusal }
    return nameless ? { stopReason: "malformed_tool_call" } : undefined
  }

  /** What tells an event's item apart. */
  #keyOf({ output_index: place, item_id, item }: JsonObject): ItemKey {
    const id = textIn(item_id) || textIn(objectIn<JsonObject>(item)?.["id"])
    return this.#items.keyOf(typeof place === "number" ? place : undefined, id)
  }

  /** The block that an event brings a piece of, or all. */
  #blockOf(type: string, event: JsonObject): GrowingBlock | undefined {
    const known = blocks.get(type.replace(/\.(?:delta|done)$/, ""))
    if (known === undefined) return undefined
    const [kind, place, index] = known
    return this.#items.block(this.#keyOf(event), kind, index === "" ? place : `${place}${numberIn(event[index])}`)
  }

  protected override effectOf(event: JsonObject): ChunkEffect | undefined {
    const block = this.#blockOf(textIn(event["type"]), event)
    if (block === undefined || typeof event["delta"] !== "string") return undefined
    const read = (probed: unknown) => textIn((probed as JsonObject)["delta"])
    return { key: '"delta":', say: (piece) => block.add(piece), read }
  }

  /** The response, as an event or the whole answer has it; `word` is the event's, which may hide how it ended. */
  #response(response: JsonObject, word: string): void {
    const own = textIn(response["status"])
    const status = word === "completed" && unfinished.test(own) ? own : word
    this.told({ id: response["id"], usage: usageIn(response["usage"]), traced: tracedAnswer(response) })
    if (response["store"] === false) this.#items.stateless = true
    if (unfinished.test(status) && status !== "incomplete") {
      const failed = failureOf(response["error"])
      throw this.failure(failed ?? { type: "server_error", message: `the response was ${status}` })
    }
    if (!/^(?:completed|incomplete|done)$/.test(status)) return
    this.#items.all(objectsIn<JsonObject>(response["output"]))
    // a reason nobody knows means a limit
    const reason = objectIn<JsonObject>(response["incomplete_details"])?.["reason"]
    const cut: StopReason = reason === "content_filter" ? reason : "length"
    this.stop = status === "incomplete" ? cut : "stop"
    this.graceMs = graceMs
    this.complete()
  }
}

const numberIn = (value: unknown): number => (typeof value === "number" ? value : 0)
