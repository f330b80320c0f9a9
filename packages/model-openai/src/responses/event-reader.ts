import type { JsonObject, StopReason } from "@agentscope-ts/message"
import type { CallSink } from "@agentscope-ts/model"
import {
  type AnswerParser,
  type ChunkEffect,
  failureIn,
  failureOf,
  Frames,
  malformed,
  objectIn,
  objectsIn,
  parseJson,
  textIn,
  type ToldFailure,
  toldError,
} from "@agentscope-ts/model/wire"
import type { ChunkReaderOptions } from "../chunk-reader.ts"
import { usageOf } from "../usage.ts"
import type { AnswerBlock, BlockType } from "./answer-block.ts"
import { AnswerItems } from "./answer-items.ts"

/** After the last event only `[DONE]` may come, from some. */
const graceMs = 250
/** The event's name stands before its data; a number, and what hides the length of its text, differ in each. */
const shape = {
  before: String.raw`(?:event: ?response\.[\w.]+\n)?data: ?`,
  varying: String.raw`"sequence_number":\d+|"obfuscation":"[\w+/=-]*"`,
}

/** The events that bring a piece of a block: its type, its place in the item, and the field that counts such places. */
const pieces = new Map<string, readonly [type: BlockType, place: string, index: string]>([
  ["response.output_text.delta", ["text", "", "content_index"]],
  ["response.reasoning_summary_text.delta", ["thinking", "summary ", "summary_index"]],
  ["response.reasoning_text.delta", ["thinking", "content ", "content_index"]],
  ["response.function_call_arguments.delta", ["json", "call", ""]],
  ["response.custom_tool_call_input.delta", ["free_text", "call", ""]],
])

/** Reads the events of a Responses stream, or a whole response, into the sink. */
export class EventReader implements AnswerParser {
  /** See `Exchange.graceMs` of the wire kit. */
  graceMs: number | undefined
  readonly #sink: CallSink
  readonly #label: string
  readonly #items: AnswerItems
  readonly #frames: Frames<JsonObject> | undefined
  #id: string | undefined
  #end: { readonly stopReason: StopReason; readonly usage?: unknown } | undefined
  #finished = false

  constructor(sink: CallSink, { label, provider, frames: patience }: ChunkReaderOptions) {
    this.#sink = sink
    this.#label = label
    this.#items = new AnswerItems(sink, provider)
    if (patience !== false) this.#frames = new Frames((event) => this.#effectOf(event), { patience, ...shape })
  }

  /** Takes an event of the stream: its data is `text.slice(from, to)`. */
  readonly onEvent = (text: string, from: number, to: number, name: string): void => {
    const data = text.slice(from, to).trim()
    if (data === "") return
    if (data === "[DONE]") return this.#done()
    if (name === "error") throw this.#failure(failureIn(data) ?? { message: data })
    const value = parseJson(data, `An event of ${this.#label}`)
    const event = objectIn<JsonObject>(value)
    if (event === undefined) throw this.#failure(failureOf(value) ?? { message: `an event is no object: ${data}` })
    this.#event(textIn(event["type"]) || name, event)
    this.#frames?.learn(data, event)
  }

  /** Takes an event that needs no parsing; see `SseShortcut` of the wire kit. */
  readonly shortcut = (text: string, at: number): number => this.#frames?.take(text, at) ?? -1

  /** Takes a whole response. */
  whole(text: string): void {
    const value = parseJson(text, `The answer of ${this.#label}`)
    const response = objectIn<JsonObject>(value)
    if (response === undefined || (response["error"] && !response["output"])) {
      throw this.#failure(failureOf(value) ?? { message: "the answer is no object" })
    }
    if (Array.isArray(response["output"])) this.#response(response, textIn(response["status"]) || "completed")
    if (this.#end) return
    const status = JSON.stringify(response["status"])
    throw malformed(`The answer of ${this.#label} is no finished response (its status: ${status}).`)
  }

  /** Tells the sink how the answer ended, if it came to its end: also when the connection breaks after that. */
  complete(): void {
    if (this.#finished || this.#end === undefined) return
    this.#finished = true
    const { refusal, nameless } = this.#items
    const stopReason = refusal !== "" ? "refusal" : nameless ? "malformed_tool_call" : this.#end.stopReason
    this.#sink.finish({ id: this.#id, usage: usageOf(this.#end.usage), stopReason, ...(refusal !== "" && { refusal }) })
  }

  /** A gateway's way to say that all is told, where it left out the last event. */
  #done(): void {
    this.graceMs = graceMs
    if (this.#items.settled) this.#end ??= { stopReason: "stop" }
    this.complete()
  }

  #event(type: string, event: JsonObject): void {
    const block = this.#blockOf(type, event)
    if (block) return block.add(textIn(event["delta"]))
    const key = this.#keyOf(event)
    const item = objectIn<JsonObject>(event["item"])
    const part = objectIn<JsonObject>(event["part"])
    const response = objectIn<JsonObject>(event["response"])
    if (type === "response.output_item.added" && item) this.#items.begin(key, item)
    else if (type === "response.output_item.done" && item) this.#items.end(key, item)
    else if (type === "response.content_part.done" && part?.["type"] === "output_text") {
      this.#items.partDone(key, numberIn(event["content_index"]), part)
    } else if (response) this.#response(response, type.slice("response.".length))
    else if (type === "error" || event["error"]) throw this.#failure(failureOf(event) ?? {})
  }

  #keyOf({ output_index: index, item_id: id, item }: JsonObject): unknown {
    return this.#items.keyOf(index, id ?? objectIn<JsonObject>(item)?.["id"])
  }

  /** The block that an event brings a piece of. */
  #blockOf(type: string, event: JsonObject): AnswerBlock | undefined {
    const known = pieces.get(type)
    if (known === undefined) return undefined
    const [kind, place, index] = known
    return this.#items.block(this.#keyOf(event), kind, index === "" ? place : `${place}${numberIn(event[index])}`)
  }

  #effectOf(event: JsonObject): ChunkEffect | undefined {
    const block = this.#blockOf(textIn(event["type"]), event)
    if (block === undefined || typeof event["delta"] !== "string") return undefined
    const read = (probed: unknown) => textIn((probed as JsonObject)["delta"])
    return { key: '"delta":', say: (piece) => block.add(piece), read }
  }

  /** The response, as an event or the whole answer has it; `status` is its own or the event's word. */
  #response(response: JsonObject, status: string): void {
    if (this.#id === undefined && textIn(response["id"]) !== "") {
      this.#id = textIn(response["id"])
      this.#sink.begin({ id: this.#id })
    }
    if (response["store"] === false) this.#items.stateless = true
    if (/^(?:failed|cancell?ed)$/.test(status)) {
      throw this.#failure(
        failureOf(response["error"]) ?? { type: "server_error", message: `the response was ${status}` },
      )
    }
    if (!/^(?:completed|incomplete|done)$/.test(status)) return
    this.#items.all(objectsIn<JsonObject>(response["output"]))
    // a reason nobody knows means a limit
    const reason = objectIn<JsonObject>(response["incomplete_details"])?.["reason"]
    const cut = reason === "content_filter" ? reason : "length"
    this.#end = { stopReason: status === "incomplete" ? cut : "stop", usage: response["usage"] }
    this.graceMs = graceMs
    this.complete()
  }

  #failure(told: ToldFailure): Error {
    return toldError(this.#label, told)
  }
}

const numberIn = (value: unknown): number => (typeof value === "number" ? value : 0)
