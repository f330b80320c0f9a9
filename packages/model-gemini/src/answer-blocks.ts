import type { JsonObject, JsonValue } from "@agentscope-ts/message"
import type { CallSink } from "@agentscope-ts/model"
import { jsonPath, objectIn, objectsIn, OpaqueBlocks, PlacedJson, textIn } from "@agentscope-ts/model/wire"

type Wire = Readonly<Record<string, unknown>>

/** A part of an answer, as far as it is read. */
export interface WirePart {
  readonly text?: unknown
  readonly thought?: unknown
  readonly thoughtSignature?: unknown
  readonly functionCall?: unknown
  readonly inlineData?: unknown
  readonly fileData?: unknown
}

/** Turns the parts of an answer into blocks. What Gemini wants back with a part stands on its block as opaque data. */
export class AnswerBlocks extends OpaqueBlocks {
  /** Whether arguments came that belong to no call. */
  nameless = false
  #call: { readonly data: JsonObject | undefined; readonly args: PlacedJson } | undefined

  constructor(sink: CallSink) {
    super(sink, "gemini")
  }

  part(part: WirePart): void {
    const { thoughtSignature, ...rest } = part
    const { text, thought } = part
    const signature = textIn(thoughtSignature)
    const data = signature === "" ? undefined : { thoughtSignature: signature }
    const [call, inline, file] = [part.functionCall, part.inlineData, part.fileData].map(objectIn<Wire>)
    if (typeof text === "string" && text !== "") thought === true ? this.thinking(text, data) : this.text(text, data)
    else if (call) this.#piece(call, data)
    else if (inline) {
      const mediaType = mediaTypeOf(inline)
      // a picture on the way to the final one is only to be seen
      if (thought === true && !data) return
      this.media(mediaType, { type: "base64", mediaType, data: textIn(inline["data"]) }, data)
    } else if (file) {
      const mediaType = mediaTypeOf(file)
      this.media(mediaType, { type: "url", url: textIn(file["fileUri"]), mediaType }, data)
    } else if (data || (text === undefined && Object.keys(rest).length > 0)) {
      this.own({ ...data, part: rest as JsonObject })
    }
  }

  /** The answer is over; one that was cut leaves its last call as it is. */
  close(cut: boolean): void {
    this.end()
    if (!cut) this.#endCall()
  }

  /** A call, or its next piece. */
  #piece(wire: Wire, data: JsonObject | undefined): void {
    const name = textIn(wire["name"])
    if (name !== "") {
      this.#endCall()
      this.startCall(name, textIn(wire["id"]))
      this.#call = { data, args: new PlacedJson() }
    }
    const pieces = objectsIn<Wire>(wire["partialArgs"])
    const args = objectIn<JsonObject>(wire["args"])
    const open = this.#call?.args
    if (open === undefined) {
      this.nameless ||= wire["args"] !== undefined || pieces.length > 0
      return
    }
    for (const piece of pieces) this.arguments(placed(open, piece))
    if (wire["willContinue"] !== true) this.#endCall(args)
    else Object.assign(open.value, args)
  }

  #endCall(whole?: JsonObject): void {
    const call = this.#call
    if (call === undefined) return
    this.#call = undefined
    this.arguments(call.args.end(whole))
    this.endCall(call.args.value, call.data)
  }
}

/** Puts a value in its place, as in `{ jsonPath: "$.a.b[0]", stringValue: "x", willContinue: true }`. */
function placed(args: PlacedJson, piece: Wire): string {
  const path = jsonPath(textIn(piece["jsonPath"]))
  const told = piece["stringValue"] ?? piece["numberValue"] ?? piece["boolValue"]
  const value = "nullValue" in piece ? null : told
  if (path.length === 0 || value === undefined || (typeof value === "object" && value !== null)) return ""
  return args.put(path, value as JsonValue, piece["willContinue"] === true)
}

const mediaTypeOf = (blob: Wire): string => textIn(blob["mimeType"]) || "application/octet-stream"
