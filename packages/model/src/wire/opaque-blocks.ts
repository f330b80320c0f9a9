import { type ChatDelta, type JsonObject, type MediaSource, newId } from "@agentscope-ts/message"
import type { CallSink } from "../stream/call-sink.ts"
import { BlockWriter } from "./block-writer.ts"
import { joinBase64 } from "./join-base64.ts"
import { mediaKind } from "./media-kind.ts"

type WholeBlock = Extract<ChatDelta, { readonly type: "block_end" }>["block"]

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
  #said = ""
  #call: { readonly index: number; readonly id: string; readonly name: string } | undefined
  #sound: Sound | undefined

  constructor(sink: CallSink, provider: string) {
    super(sink)
    this.#provider = provider
  }

  override text(text: string, data?: JsonObject): void {
    super.text(text)
    this.#said += text
    if (data && text !== "") this.#close({ type: "text", text: this.#said, ...this.#own(data) })
  }

  override thinking(thinking: string, data?: JsonObject): void {
    super.thinking(thinking)
    this.#said += thinking
    if (data && thinking !== "") this.#close({ type: "thinking", thinking: this.#said, ...this.#own(data) })
  }

  /** Something that is the provider's own, in its place among the rest. */
  own(data: JsonObject): void {
    this.#whole({ type: "thinking", thinking: "", ...this.#own(data) })
  }

  /** A medium, or the next piece of a sound. */
  media(mediaType: string, source: MediaSource, data?: JsonObject): void {
    const type = mediaKind(mediaType)
    if (type !== "audio" || source.type !== "base64") return this.#whole({ type, source, ...this.#own(data) })
    if (this.#sound?.mediaType !== mediaType) {
      this.next("media")
      this.#sound = { mediaType, pieces: [], data: undefined }
    }
    this.#sound.pieces.push(source.data)
    this.#sound.data = data ?? this.#sound.data
  }

  /** Starts a call. An id that is missing, or another call's, is made up. */
  startCall(name: string, given: string): void {
    const id = given !== "" && !this.#ids.has(given) ? given : `call_${newId()}`
    this.#ids.add(id)
    const index = this.next("call")
    this.#call = { index, id, name }
    this.sink.emit({ type: "tool_use_start", index, id, name })
  }

  /** More of the arguments of the call that is open. */
  arguments(json: string): void {
    if (json === "" || this.#call === undefined) return
    const { index, id } = this.#call
    this.sink.emit({ type: "tool_use_delta", index, id, json })
  }

  /** Ends the call that is open. */
  endCall(input: JsonObject, data?: JsonObject): void {
    if (this.#call === undefined) return
    const { index, id, name } = this.#call
    this.#call = undefined
    this.#close({ type: "tool_use", id, name, input, ...this.#own(data) }, index)
  }

  override end(): boolean {
    this.#endSound()
    return super.end()
  }

  protected override next(type: "text" | "thinking" | "call" | "media"): number {
    this.#endSound()
    this.#said = ""
    return super.next(type)
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
