import { type ChatDelta, type JsonObject, newId, type Opaque } from "@agentscope-ts/message"
import type { CallSink } from "@agentscope-ts/model"
import { objectIn, objectsIn, textIn } from "@agentscope-ts/model/wire"

type Wire = Record<string, unknown>
/** Which block was heard last: when another speaks, a text is closed, and what follows of it is a new one. */
export interface Voice {
  last?: AnswerBlock
}

/** A block of the answer while it comes. */
export class AnswerBlock {
  readonly index: number
  readonly type: string
  /** The field of a delta that adds to this block's text. */
  readonly field: "text" | "thinking" | "partial_json"
  /** Whether the whole block was told: nothing can follow. */
  isTold = false
  readonly #wire: Wire
  readonly #sink: CallSink
  readonly #voice: Voice
  readonly #id: string = ""
  /** The text, the thinking or the arguments so far. */
  #text = ""

  constructor(index: number, wire: Wire, sink: CallSink, voice: Voice) {
    this.index = index
    this.type = textIn(wire["type"])
    this.field = this.type === "text" || this.type === "thinking" ? this.type : "partial_json"
    this.#wire = { ...wire }
    this.#sink = sink
    this.#voice = voice
    if (this.type === "tool_use") {
      this.#id = textIn(wire["id"]) || newId()
      voice.last = this
      sink.emit({ type: "tool_use_start", index, id: this.#id, name: textIn(wire["name"]) })
    } else if (this.field !== "partial_json") this.add(textIn(wire[this.field]))
  }

  /** More of the text. */
  add(text: string): void {
    if (text === "") return
    const { index, field } = this
    if (this.#voice.last !== this) {
      if (field !== "partial_json") this.#text = ""
      this.#voice.last = this
    }
    this.#text += text
    if (field === "text") this.#sink.emit({ type: "text_delta", index, text })
    else if (field === "thinking") this.#sink.emit({ type: "thinking_delta", index, text })
    else if (this.type === "tool_use") this.#sink.emit({ type: "tool_use_delta", index, id: this.#id, json: text })
  }

  /** A delta that adds to something else than the text: texts and lists grow, anything else takes its place. */
  delta({ type, citation, ...fields }: Wire): void {
    for (const [key, value] of Object.entries(type === "citations_delta" ? { citations: [citation] } : fields)) {
      const before = this.#wire[key]
      if (typeof before === "string" && typeof value === "string") this.#wire[key] = before + value
      else
        this.#wire[key] =
          Array.isArray(before) && Array.isArray(value) ? [...(before as unknown[]), ...(value as unknown[])] : value
    }
  }

  /** The block is whole: what goes with it is told. */
  end(): void {
    const [text, wire] = [this.#text, this.#wire]
    if (this.type === "text") {
      const citations = objectsIn<JsonObject>(wire["citations"])
      if (citations.length > 0) this.#end({ type: "text", text, opaque: own({ citations }) })
    } else if (this.type === "thinking") {
      const signature = textIn(wire["signature"])
      if (signature !== "") this.#end({ type: "thinking", thinking: text, opaque: own({ signature }) })
    } else if (this.type === "tool_use") this.#endCall()
    else if (this.type !== "") {
      const input = text.trim() === "" ? undefined : parsed(text)
      this.#end({ type: "thinking", thinking: "", opaque: own({ ...wire, ...(input && { input }) }) })
    }
  }

  #endCall(): void {
    const { type: _, id: __, name, input: given, caller, ...rest } = this.#wire
    // no pieces came: the arguments are where the call began
    const told = objectIn<JsonObject>(given)
    if (this.#text.trim() === "" && told && Object.keys(told).length > 0) this.add(JSON.stringify(told))
    const input = this.#text.trim() === "" ? {} : parsed(this.#text)
    // who called, where that was not the model itself
    const isDirect = (objectIn<Wire>(caller)?.["type"] ?? "direct") === "direct"
    const data = { ...(!isDirect && { caller }), ...rest }
    if (!input || Object.keys(data).length === 0) return
    this.#end({ type: "tool_use", id: this.#id, name: textIn(name), input, opaque: own(data) })
  }

  #end(block: Extract<ChatDelta, { type: "block_end" }>["block"]): void {
    this.isTold = true
    this.#voice.last = this
    this.#sink.emit({ type: "block_end", index: this.index, block })
  }
}

const own = (data: object): Opaque => ({ provider: "anthropic", data: data as JsonObject })

function parsed(text: string): JsonObject | undefined {
  try {
    return objectIn<JsonObject>(JSON.parse(text))
  } catch {
    return undefined
  }
}
