import { type ChatDelta, type JsonObject, type JsonValue, type MediaSource, newId } from "@agentscope-ts/message"
import type { CallSink } from "../stream/call-sink.ts"
import { GrowingText } from "../stream/growing-text.ts"
import { BlockWriter } from "./block-writer.ts"
import { joinBase64 } from "./join-base64.ts"
import { mediaKind } from "./media-kind.ts"
import { type JsonKey, PlacedJson } from "./placed-json.ts"

type WholeBlock = Extract<ChatDelta, { readonly type: "block_end" }>["block"]

interface OpenCall {
  readonly index: number
  readonly id: string
  readonly name: string
  readonly data: JsonObject | undefined
  readonly args: PlacedJson
}

/** A sound that comes in pieces. */
interface Sound {
  readonly mediaType: string
  readonly pieces: string[]
  data: JsonObject | undefined
}

/**
 * A {@link BlockWriter} for answers that come block after block, each with data that the provider may want back with it: as
 * opaque data they end the block.
 */
export class OpaqueBlocks extends BlockWriter {
  readonly #provider: string
  readonly #ids = new Set<string>()
  /** The text of the open block: data may still come for all of it. */
  readonly #said = new GrowingText()
  #call: OpenCall | undefined
  #sound: Sound | undefined

  constructor(sink: CallSink, provider: string) {
    super(sink)
    this.#provider = provider
  }

  override text(text: string, data?: JsonObject): void {
    super.text(text)
    this.#said.add(text)
    if (data && text !== "") this.#close({ type: "text", text: this.#said.whole, ...this.#own(data) })
  }

  override thinking(thinking: string, data?: JsonObject): void {
    super.thinking(thinking)
    this.#said.add(thinking)
    if (data && thinking !== "") this.#close({ type: "thinking", thinking: this.#said.whole, ...this.#own(data) })
  }

  /** Something that is the provider's own, in its place among the rest. */
  own(data: JsonObject): void {
    this.#whole({ type: "thinking", thinking: "", ...this.#own(data) })
  }

  /** A medium, or the next piece of a sound. */
  media(source: MediaSource, data?: JsonObject): void {
    const { mediaType = "" } = source
    const type = mediaKind(mediaType)
    if (type !== "audio" || source.type !== "base64") return this.#whole({ type, source, ...this.#own(data) })
    if (this.#sound?.mediaType !== mediaType) {
      this.next("media")
      this.#sound = { mediaType, pieces: [], data: undefined }
    }
    this.#sound.pieces.push(source.data)
    this.#sound.data = data ?? this.#sound.data
  }

  /** Whether a call is open: more of its arguments may come. */
  get inCall(): boolean {
    return this.#call !== undefined
  }

  /** Starts a call, and so ends one before it. An id that is missing, or another call's, is made up. */
  startCall(name: string, given: string, data?: JsonObject): void {
    this.endCall()
    const id = given !== "" && !this.#ids.has(given) ? given : `call_${newId()}`
    this.#ids.add(id)
    const index = this.next("call")
    this.#call = { index, id, name, data, args: new PlacedJson() }
    this.sink.emit({ type: "tool_use_start", index, id, name })
  }

  /** An argument of the open call, or a part of one; `goesOn`: more of this string will come. */
  argument(path: readonly JsonKey[], value: JsonValue, goesOn = false): void {
    if (this.#call) this.#tell(this.#call, this.#call.args.put(path, value, goesOn))
  }

  /** Ends the open call; `whole` are arguments that came in one. */
  endCall(whole?: JsonObject): void {
    const call = this.#call
    if (call === undefined) return
    this.#call = undefined
    this.#tell(call, call.args.end(whole))
    const { index, id, name, data } = call
    this.#close({ type: "tool_use", id, name, input: call.args.value, ...this.#own(data) }, index)
  }

  /** The answer is over. One that was cut leaves its last call as it is. */
  override end(cut = false): boolean {
    this.#endSound()
    if (!cut) this.endCall()
    return super.end()
  }

  protected override next(type: "text" | "thinking" | "call" | "media"): number {
    this.#endSound()
    this.#said.clear()
    return super.next(type)
  }

  #tell({ index, id }: OpenCall, json: string): void {
    if (json !== "") this.sink.emit({ type: "tool_use_delta", index, id, json })
  }

  #whole(block: WholeBlock): void {
    this.#close(block, this.next("media"))
  }

  #endSound(): void {
    if (this.#sound === undefined) return
    const { mediaType, pieces, data } = this.#sound
    this.#sound = undefined
    this.#close({
      type: "audio",
      source: { type: "base64", mediaType, data: joinBase64(pieces) },
      ...this.#own(data),
    })
  }

  #close(block: WholeBlock, index = this.count - 1): void {
    this.open = undefined
    this.sink.emit({ type: "block_end", index, block })
  }

  #own(data: JsonObject | undefined) {
    return data && { opaque: { provider: this.#provider, data } }
  }
}
