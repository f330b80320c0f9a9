import type { StopReason } from "@agentscope-ts/message"
import type { CallSink } from "@agentscope-ts/model"
import {
  type AnswerParser,
  type ChunkEffect,
  failureOf,
  Frames,
  malformed,
  objectIn,
  objectsIn,
  parseJson,
  textIn,
  toldError,
} from "@agentscope-ts/model/wire"
import { usageOf } from "../usage.ts"
import { AnswerItems } from "./answer-items.ts"
import type { WireEvent, WireItem, WirePart, WireResponse } from "./wire-event.ts"

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
  readonly #frames: Frames<WireEvent> | undefined
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
    const value = name === "error" ? (failureIn(data) ?? data) : parseJson(data, `An event of ${this.#label}`)
    const event = objectIn<WireEvent>(value)
    if (event === undefined || name === "error")
      throw toldError(this.#label, failureOf(value) ?? { message: data.slice(0, 200) })
    this.#event(typeof event.type === "string" ? event.type : name, event)
    this.#frames?.learn(data, event)
  }

  /** Takes an event that needs no parsing; see `SseShortcut` of the wire kit. */
  readonly shortcut = (text: string, at: number): number => this.#frames?.take(text, at) ?? -1

  /** Takes a whole response. */
  whole(text: string): void {
    const value = parseJson(text, `The answer of ${this.#label}`)
    const response = objectIn<WireResponse>(value)
    if (response === undefined || (response.error && response.output === undefined)) {
      throw toldError(this.#label, failureOf(value) ?? { message: "the answer is no object" })
    }
    if (Array.isArray(response.output)) this.#response(response, textIn(response.status) || "completed")
    if (this.#end === undefined) {
      const message = `The answer of ${this.#label} is no finished response (its status: ${JSON.stringify(response.status)}).`
      throw malformed(message)
    }
    this.complete()
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

  #event(type: string, event: WireEvent): void {
    const tell = this.#teller(type, event)
    if (tell) return tell(textIn(event.delta))
    const key = keyOf(event)
    const item = objectIn<WireItem>(event.item)
    switch (type) {
      case "response.output_item.added":
        if (item) this.#items.begin(key, item)
        break
      case "response.output_item.done":
        if (item) this.#items.end(key, item)
        break
      case "response.content_part.done": {
        const part = objectIn<WirePart>(event.part)
        if (part?.type === "output_text") this.#items.partDone(key, numberIn(event.content_index), part)
        break
      }
      case "error":
      case "response.error":
        throw toldError(this.#label, failureOf(event) ?? {})
      default: {
        const response = objectIn<WireResponse>(event.response)
        if (response) this.#response(response, type.slice("response.".length))
        else if (event.error) throw toldError(this.#label, failureOf(event) ?? {})
      }
    }
  }

  /** What tells the piece of an event that has one. */
  #teller(type: string, event: WireEvent): ((piece: string) => void) | undefined {
    const items = this.#items
    switch (type) {
      case "response.output_text.delta": {
        const part = items.part(keyOf(event), "message", String(numberIn(event.content_index)))
        return (piece) => part.add(piece)
      }
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta": {
        const summary = type === "response.reasoning_summary_text.delta"
        const place = summary ? `summary ${numberIn(event.summary_index)}` : `content ${numberIn(event.content_index)}`
        const part = items.part(keyOf(event), "reasoning", place)
        return (piece) => part.add(piece)
      }
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta": {
        const call = items.call(keyOf(event), type.includes("custom") ? "custom_tool_call" : "function_call")
        return (piece) => call.add(piece)
      }
      default:
        return undefined
    }
  }

  #effectOf(event: WireEvent): ChunkEffect | undefined {
    const { type } = event
    const say = typeof type === "string" ? this.#teller(type, event) : undefined
    if (say === undefined || typeof event.delta !== "string") return undefined
    return { key: '"delta":', say, read: (probed) => textIn((probed as WireEvent).delta) }
  }

  /** The response, as an event or the whole answer has it; `status` is its own or the event's word. */
  #response(response: WireResponse, status: string): void {
    if (this.#id === undefined && typeof response.id === "string" && response.id !== "") {
      this.#id = response.id
      this.#sink.begin({ id: response.id })
    }
    if (response.store === false) this.#items.stateless = true
    if (status === "failed" || status === "cancelled" || status === "canceled") {
      const told = failureOf(response.error) ?? { type: "server_error", message: `the response was ${status}` }
      throw toldError(this.#label, told)
    }
    if (status !== "completed" && status !== "incomplete" && status !== "done") return
    // what no event has told, or not to its end
    this.#items.all(objectsIn<WireItem>(response.output))
    this.#end = { stopReason: status === "incomplete" ? cutBy(response) : "stop", usage: response.usage }
    this.graceMs = graceMs
    this.complete()
  }
}

function failureIn(data: string): unknown {
  try {
    return JSON.parse(data) as unknown
  } catch {
    return undefined
  }
}

/** What ended an answer that is not complete; a word nobody knows means a limit. */
function cutBy({ incomplete_details: details }: WireResponse): StopReason {
  return details?.reason === "content_filter" ? "content_filter" : "length"
}

/** What tells items apart: their place in the answer, or their id where a server leaves it out. */
const keyOf = ({ output_index: index, item_id: id, item }: WireEvent): unknown =>
  typeof index === "number" ? index : (id ?? objectIn<WireItem>(item)?.["id"])

const numberIn = (value: unknown): number => (typeof value === "number" ? value : 0)
