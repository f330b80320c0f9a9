import type { StopReason } from "@agentscope-ts/message"
import type { CallEnd, CallSink } from "../stream/call-sink.ts"
import { BlockWriter } from "./block-writer.ts"
import { StreamTelling, type Telling } from "./text-so-far.ts"
import type { CallPiece } from "./tool-calls.ts"

/**
 * A {@link BlockWriter} for streams whose events tell either what is new or all there is so far, tool calls included. Each
 * event must be told whole, its empty texts too: they show which of the two it is.
 */
export class StreamBlocks {
  readonly blocks: BlockWriter
  readonly #stream: StreamTelling
  /** The calls as they were last told, until it is known that there are no totals. */
  readonly #calls: CallPiece[] = []

  /** `telling`: where it is known from the start. */
  constructor(sink: CallSink, telling?: Telling) {
    const blocks = new BlockWriter(sink)
    this.blocks = blocks
    this.#stream = new StreamTelling(telling)
    this.#stream.text((text) => blocks.thinking(text))
    this.#stream.text((text) => blocks.text(text))
  }

  /** Whether events are known to tell only what is new: they may then go to `blocks` as they are. */
  get inPieces(): boolean {
    return this.#stream.telling === "pieces"
  }

  /**
   * All that an event says; texts are empty where it has none. `whole` says that it is an answer by itself, `more` that it
   * says something new beside these.
   */
  said(thinking: string, text: string, calls: readonly CallPiece[], whole = false, more = false): void {
    if (whole) {
      this.blocks.thinking(thinking)
      this.blocks.text(text)
      for (const call of calls) this.blocks.call(call, true)
    } else {
      this.#stream.event([thinking, text], more || (this.#stream.telling === undefined && this.#isNew(calls)))
      for (const call of calls) this.#call(call)
    }
  }

  /** Whether an event says more of its calls than they were last told with. */
  #isNew(calls: readonly CallPiece[]): boolean {
    return calls.some((piece) => this.#calls[this.#placeOf(piece)]?.json !== piece.json)
  }

  /** Where the call of a piece was last told; -1 for a new one. */
  #placeOf({ id, index }: CallPiece): number {
    const sameId = id === "" ? -1 : this.#calls.findIndex((call) => call.id === id)
    if (sameId >= 0) return sameId
    return this.#calls.findIndex((call) => call.index === index && (id === "" || call.id === ""))
  }

  #call(piece: CallPiece): void {
    if (this.inPieces) return this.blocks.call(piece)
    const { id, index, json } = piece
    const at = this.#placeOf(piece)
    const before = this.#calls[at]
    this.#calls[before ? at : this.#calls.length] = { ...piece, id: id || (before?.id ?? "") }
    // so far it is the same whether it is a piece or a total
    if (before === undefined || before.json.trim() === "") return this.blocks.call(piece)
    this.#stream.decide(isTotal(before, piece) ? "totals" : "pieces")
    if (this.inPieces) return this.blocks.call(piece)
    const rest = json.startsWith(before.json) ? json.slice(before.json.length) : json
    // an id says more than an index, which may be the same for all
    this.blocks.call({ ...piece, index: id === "" ? index : undefined, json: rest })
  }

  /** The stream has ended: see {@link BlockWriter.ended}. */
  ended(stop: StopReason): Partial<CallEnd> | undefined {
    this.#stream.end()
    return this.blocks.ended(stop)
  }
}

/** A total repeats the name, which a piece has no need to; and arguments that begin twice with the same are no JSON. */
function isTotal(before: CallPiece, { id, name, json }: CallPiece): boolean {
  if (name === "" || id !== before.id || !json.startsWith(before.json)) return false
  return id !== "" || json.length > before.json.length
}
