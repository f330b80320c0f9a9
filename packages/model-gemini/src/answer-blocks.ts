import type { JsonObject, JsonValue } from "@agentscope-ts/message"
import type { CallSink } from "@agentscope-ts/model"
import { jsonPath, objectIn, objectsIn, OpaqueBlocks, textIn } from "@agentscope-ts/model/wire"

type Wire = Readonly<Record<string, unknown>>

/** Turns the parts of an answer into blocks. What Gemini wants back with a part stands on its block as opaque data. */
export class AnswerBlocks extends OpaqueBlocks {
  /** Whether arguments came that belong to no call. */
  nameless = false

  constructor(sink: CallSink) {
    super(sink, "gemini")
  }

  /** A part of the answer. */
  part({ thoughtSignature, ...part }: Wire): void {
    const text = part["text"]
    const isThought = part["thought"] === true
    const signature = textIn(thoughtSignature)
    const data = signature === "" ? undefined : { thoughtSignature: signature }
    const [call, inline, file] = ["functionCall", "inlineData", "fileData"].map((key) => objectIn<Wire>(part[key]))
    if (typeof text === "string" && text !== "") this[isThought ? "thinking" : "text"](text, data)
    else if (call) this.#piece(call, data)
    else if (inline) {
      // a picture on the way to the final one is only to be seen
      if (isThought && !data) return
      this.media({ type: "base64", mediaType: mediaTypeOf(inline), data: textIn(inline["data"]) }, data)
    } else if (file) {
      this.media({ type: "url", url: textIn(file["fileUri"]), mediaType: mediaTypeOf(file) }, data)
    } else if (data || (text === undefined && Object.keys(part).length > 0)) {
      this.own({ ...data, part: part as JsonObject })
    }
  }

  /** A call, or its next piece. */
  #piece(wire: Wire, data: JsonObject | undefined): void {
    const name = textIn(wire["name"])
    if (name !== "") this.startCall(name, textIn(wire["id"]), data)
    const args = objectIn<JsonObject>(wire["args"])
    const pieces = objectsIn<Wire>(wire["partialArgs"])
    if (!this.inCall) this.nameless ||= args !== undefined || pieces.length > 0
    for (const piece of pieces) this.#argument(piece)
    if (wire["willContinue"] !== true) this.endCall(args)
    else for (const [key, value] of Object.entries(args ?? {})) this.argument([key], value)
  }

  /** A value and its place, as in `{ jsonPath: "$.a.b[0]", stringValue: "x", willContinue: true }`. */
  #argument(piece: Wire): void {
    const path = jsonPath(textIn(piece["jsonPath"]))
    const told = piece["stringValue"] ?? piece["numberValue"] ?? piece["boolValue"]
    const value = "nullValue" in piece ? null : told
    if (path.length === 0 || value === undefined || (typeof value === "object" && value !== null)) return
    this.argument(path, value as JsonValue, piece["willContinue"] === true)
  }
}

const mediaTypeOf = (blob: Wire): string => textIn(blob["mimeType"]) || "application/octet-stream"
