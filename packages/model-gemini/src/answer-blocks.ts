import { type ChatDelta, type ContentBlock, type JsonObject, newId } from "@agentscope-ts/message"
import type { CallSink } from "@agentscope-ts/model"
import { joinBase64, objectIn, objectsIn, PlacedJson, textIn } from "@agentscope-ts/model/wire"
import { partialArg } from "./partial-arg.ts"

/** A part of an answer, as far as it is read. */
export interface WirePart {
  readonly text?: unknown
  readonly thought?: unknown
  readonly thoughtSignature?: unknown
  readonly functionCall?: unknown
  readonly inlineData?: unknown
  readonly fileData?: unknown
}

/** A call or its next piece. */
interface WireCall {
  readonly id?: unknown
  readonly name?: unknown
  readonly args?: unknown
  readonly partialArgs?: unknown
  readonly willContinue?: unknown
}

interface OpenCall {
  readonly index: number
  readonly id: string
  readonly name: string
  readonly data: JsonObject
  readonly args: PlacedJson
}

/** Turns the parts of an answer into blocks. What Gemini wants back with a part stands on its block as opaque data. */
export class AnswerBlocks {
  /** Whether nothing has come yet. */
  empty = true
  /** Whether arguments came that belong to no call. */
  nameless = false
  readonly #sink: CallSink
  readonly #ids = new Set<string>()
  #index = -1
  #open: "text" | "thinking" | undefined
  /** The text of the open block: a signature may still come for all of it. */
  #text = ""
  #call: OpenCall | undefined
  /** A sound that comes in pieces. */
  #sound: { readonly mediaType: string; readonly pieces: string[] } | undefined

  constructor(sink: CallSink) {
    this.#sink = sink
  }

  part(part: WirePart): void {
    const { thoughtSignature, ...rest } = part
    const signature = textIn(thoughtSignature)
    const data = signature === "" ? {} : { thoughtSignature: signature }
    const [call, inline, file] = [part.functionCall, part.inlineData, part.fileData].map(objectIn<JsonObject>)
    if (typeof part.text === "string" && part.text !== "") {
      this.say(part.thought === true ? "thinking" : "text", part.text, data)
    } else if (call) this.call(call, data)
    else if (inline) {
      // a picture on the way to the final one is only to be seen
      if (part.thought !== true || signature !== "") this.#media(inline, data)
    } else if (file) {
      const source = { type: "url", url: textIn(file["fileUri"]), mediaType: mediaTypeOf(file) } as const
      this.#whole({ type: kindOf(mediaTypeOf(file)), source, ...opaqueOf(data) })
    } else if (signature !== "" || part.text === undefined) {
      const json = rest as JsonObject
      if (signature !== "" || Object.keys(json).length > 0) this.opaque({ ...data, part: json })
    }
  }

  /** More text or thinking; with `data` that is signed, the block is complete. */
  say(type: "text" | "thinking", text: string, data: JsonObject = {}): void {
    if (text === "") return
    if (this.#open !== type) {
      this.#next()
      this.#open = type
    }
    this.#text += text
    const index = this.#index
    this.#sink.emit(type === "text" ? { type: "text_delta", index, text } : { type: "thinking_delta", index, text })
    const said = this.#text
    if (data["thoughtSignature"] === undefined) return
    this.#end(
      index,
      type === "text" ? { type, text: said, ...opaqueOf(data) } : { type, thinking: said, ...opaqueOf(data) },
    )
  }

  /** Something of Gemini's own, in its place among the rest. */
  opaque(data: JsonObject): void {
    this.#whole({ type: "thinking", thinking: "", ...opaqueOf(data) })
  }

  call(call: WireCall, data: JsonObject = {}): void {
    const name = textIn(call.name)
    if (name !== "") this.#start(name, textIn(call.id), data)
    const open = this.#call
    if (open === undefined) {
      this.nameless ||= call.args !== undefined || objectsIn(call.partialArgs).length > 0
      return
    }
    for (const piece of objectsIn<Record<string, unknown>>(call.partialArgs)) {
      const arg = partialArg(piece)
      if (arg) this.#tell(open, open.args.put(...arg))
    }
    if (call.willContinue !== true) this.#endCall(objectIn<JsonObject>(call.args))
    else Object.assign(open.args.value, objectIn(call.args))
  }

  /** The answer is over; one that was cut leaves its last call as it is. */
  end(cut: boolean): void {
    this.#endSound()
    if (!cut) this.#endCall()
  }

  #start(name: string, given: string, data: JsonObject): void {
    this.#endCall()
    const id = given !== "" && !this.#ids.has(given) ? given : `call_${newId()}`
    this.#ids.add(id)
    const index = this.#next()
    this.#call = { index, id, name, data, args: new PlacedJson() }
    this.#sink.emit({ type: "tool_use_start", index, id, name })
  }

  #tell({ index, id }: OpenCall, json: string): void {
    if (json !== "") this.#sink.emit({ type: "tool_use_delta", index, id, json })
  }

  #endCall(args?: JsonObject): void {
    const call = this.#call
    if (call === undefined) return
    this.#call = undefined
    this.#tell(call, call.args.end(args))
    const { index, id, name, data } = call
    this.#end(index, { type: "tool_use", id, name, input: call.args.value, ...opaqueOf(data) })
  }

  #media(inline: JsonObject, data: JsonObject): void {
    const mediaType = mediaTypeOf(inline)
    const type = kindOf(mediaType)
    const piece = textIn(inline["data"])
    if (type === "audio" && this.#sound?.mediaType === mediaType) return void this.#sound.pieces.push(piece)
    if (type !== "audio")
      return this.#whole({ type, source: { type: "base64", mediaType, data: piece }, ...opaqueOf(data) })
    this.#next()
    this.#sound = { mediaType, pieces: [piece] }
  }

  #endSound(): void {
    if (this.#sound === undefined) return
    const { mediaType, pieces } = this.#sound
    this.#sound = undefined
    const source = { type: "base64", mediaType, data: joinBase64(pieces) } as const
    this.#end(this.#index, { type: "audio", source })
  }

  #whole(block: ContentBlock): void {
    this.#end(this.#next(), block)
  }

  #end(index: number, block: ContentBlock): void {
    this.#open = undefined
    this.#text = ""
    this.#sink.emit({ type: "block_end", index, block } as ChatDelta)
  }

  #next(): number {
    this.#endSound()
    this.#open = undefined
    this.#text = ""
    this.empty = false
    return ++this.#index
  }
}

const opaqueOf = (data: JsonObject) => (Object.keys(data).length === 0 ? {} : { opaque: { provider: "gemini", data } })

const mediaTypeOf = (blob: JsonObject): string => textIn(blob["mimeType"]) || "application/octet-stream"

function kindOf(mediaType: string): "image" | "audio" | "video" | "file" {
  const kind = mediaType.split("/")[0]
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "file"
}
