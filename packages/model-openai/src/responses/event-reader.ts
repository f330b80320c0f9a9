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
import { usageOf } from "../usage.ts"
import { AnswerItems } from "./answer-items.ts"

/** What an {@link EventReader} is told. */
export interface EventReaderOptions {
  /** Provider and model, for messages. */
  readonly label: string
  /** The provider whose opaque data the answer holds. */
  readonly provider: string
  /** After how many events those of the same frame are read without parsing; false: never. For tests that compare both. */
  readonly frames?: number | false | undefined
}

/** After the last event only `[DONE]` may come, from some. */
const graceMs = 250
/** The event's name stands before its data; a number, and what hides the length of its text, differ in each. */
const shape = {
  before: String.raw`(?:event: ?response\.[\w.]+\n)?data: ?`,
  varying: String.raw`"sequence_number":\d+|"obfuscation":"[\w+/=-]*"`,
}

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

  constructor(sink: CallSink, { label, provider, frames: patience }: EventReaderOptions) {
    this.#sink = sink
    this.#label = label
    this.#items = new AnswerItems((delta) => sink.emit(delta), provider)
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
    const tell = this.#teller(type, event)
    if (tell) return tell(textIn(event["delta"]))
    const item = objectIn<JsonObject>(event["item"])
    const part = objectIn<JsonObject>(event["part"])
    const response = objectIn<JsonObject>(event["response"])
    if (type === "response.output_item.added" && item) this.#items.begin(keyOf(event), item)
    else if (type === "response.output_item.done" && item) this.#items.end(keyOf(event), item)
    else if (type === "response.content_part.done" && part?.["type"] === "output_text") {
      this.#items.partDone(keyOf(event), numberIn(event["content_index"]), part)
    } else if (response) this.#response(response, type.slice("response.".length))
    else if (type === "error" || event["error"]) throw this.#failure(failureOf(event) ?? {})
  }

  /** What tells the piece of an event that has one. */
  #teller(type: string, event: JsonObject): ((piece: string) => void) | undefined {
    const { content_index: part, summary_index: summary } = event
    const blockOf = (type: "text" | "thinking" | "json" | "free_text", place: string) => {
      const block = this.#items.block(keyOf(event), type, place)
      return (piece: string) => block.add(piece)
    }
    switch (type) {
      case "response.output_text.delta":
        return blockOf("text", String(numberIn(part)))
      case "response.reasoning_summary_text.delta":
        return blockOf("thinking", `summary ${numberIn(summary)}`)
      case "response.reasoning_text.delta":
        return blockOf("thinking", `content ${numberIn(part)}`)
      case "response.function_call_arguments.delta":
        return blockOf("json", "call")
      case "response.custom_tool_call_input.delta":
        return blockOf("free_text", "call")
      default:
        return undefined
    }
  }

  #effectOf(event: JsonObject): ChunkEffect | undefined {
    const say = this.#teller(textIn(event["type"]), event)
    if (say === undefined || typeof event["delta"] !== "string") return undefined
    return { key: '"delta":', say, read: (probed) => textIn((probed as JsonObject)["delta"]) }
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

/** What tells items apart: their place in the answer, or their id where a server leaves it out. */
const keyOf = ({ output_index: index, item_id: id, item }: JsonObject): unknown =>
  typeof index === "number" ? index : (id ?? objectIn<JsonObject>(item)?.["id"])

const numberIn = (value: unknown): number => (typeof value === "number" ? value : 0)
