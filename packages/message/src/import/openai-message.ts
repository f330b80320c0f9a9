import type { JsonObject, JsonValue } from "../json.ts"
import { invalid } from "./invalid.ts"
import { isObject } from "./own-message.ts"

/** What is known of the calls before a message: the tool of each, and the call that each tool answers next. */
export class OpenAICalls {
  readonly #names = new Map<string, string>()
  readonly #open = new Map<string, string>()

  /** A message of Chat Completions as one with blocks; any other stays as it is. `where` names it in errors. */
  read(msg: JsonObject, where: string): JsonObject {
    const { role, tool_calls: calls, function_call: call, tool_call_id: id, name, ...rest } = msg
    const { refusal, reasoning_content: reasoning, audio, ...plain } = rest
    if (role === "developer") return { ...msg, role: "system" }
    const named = typeof name === "string" ? name : undefined
    if (role === "tool" && typeof plain["content"] === "string" && typeof id !== "string") {
      throw invalid(where, "has content of a tool without saying whose: tool_call_id is missing.")
    }
    if (role === "tool" && typeof id === "string") return this.#answer(plain, id, this.#names.get(id) ?? named, where)
    if (role === "function" && named !== undefined) {
      return this.#answer(plain, this.#open.get(named) ?? `call_${named}`, named, where)
    }
    if (role !== "assistant") return msg
    if (isObject(audio))
      throw invalid(where, 'has "audio" of OpenAI\'s, which only its own server can read: leave it out.')
    const said: JsonValue[] = [
      ...(typeof reasoning === "string" ? [{ type: "thinking", thinking: reasoning }] : []),
      ...this.#content(plain["content"]),
      ...(typeof refusal === "string" ? [{ type: "text", text: refusal }] : []),
      ...this.#calls(calls, where),
      ...(isObject(call) ? [this.#call(call, `call_${this.#names.size + 1}`, where)] : []),
    ]
    const isOpenAI = [calls, call, refusal, reasoning].some((field) => field !== undefined && field !== null)
    return isOpenAI ? { ...plain, role, ...(named !== undefined && { name: named }), content: said } : msg
  }

  #content(content: JsonValue | undefined): readonly JsonValue[] {
    if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
    return Array.isArray(content) ? (content as readonly JsonValue[]) : []
  }

  #calls(calls: JsonValue | undefined, where: string): JsonValue[] {
    if (calls === undefined || calls === null) return []
    if (!Array.isArray(calls)) throw invalid(where, 'has "tool_calls" that are no list.')
    return calls.map((call: unknown, index) => {
      const place = `${where}.tool_calls[${index}]`
      const given = isObject(call) ? (call["function"] ?? call["custom"]) : undefined
      if (!isObject(call) || !isObject(given) || typeof call["id"] !== "string") {
        throw invalid(place, "is no call with an id and a function.")
      }
      return this.#call(given, call["id"], place)
    })
  }

  /** The arguments of a function are JSON text; a custom tool has a text of its own. */
  #call({ name, arguments: written, input }: JsonObject, id: string, where: string): JsonObject {
    if (typeof name !== "string") throw invalid(where, "has no name of a function.")
    this.#names.set(id, name)
    this.#open.set(name, id)
    return { type: "tool_use", id, name, input: typeof input === "string" ? { input } : (written ?? {}) }
  }

  #answer({ content, ...rest }: JsonObject, id: string, name: string | undefined, where: string): JsonObject {
    if (name === undefined) throw invalid(where, `answers the call "${id}", which no message before it has.`)
    return { ...rest, role: "tool", content: [{ type: "tool_result", id, name, output: content ?? "" }] }
  }
}

/** A part of a message of OpenAI's, in either of its APIs, as a block of Python's; any other block stays as it is. */
export function openAIPart(block: JsonObject, where: string): JsonObject {
  switch (block["type"]) {
    case "input_text":
    case "output_text":
      return { ...block, type: "text" }
    case "refusal":
      return { type: "text", text: block["refusal"] ?? "" }
    case "image_url":
    case "input_image": {
      const { image_url: image } = block
      const url = isObject(image) ? image["url"] : image
      if (typeof url !== "string") throw invalid(where, 'has no url in "image_url".')
      return { type: "image", source: sourceOf(url) }
    }
    case "input_audio": {
      const { input_audio: audio } = block
      if (!isObject(audio) || typeof audio["data"] !== "string") throw invalid(where, 'has no data in "input_audio".')
      const format = typeof audio["format"] === "string" ? audio["format"] : "wav"
      const mediaType = `audio/${format === "mp3" ? "mpeg" : format}`
      return { type: "audio", source: { type: "base64", mediaType, data: audio["data"] } }
    }
    case "file":
    case "input_file": {
      if (block["source"] !== undefined) return block
      const file = isObject(block["file"]) ? block["file"] : block
      const url = file["file_data"] ?? file["file_url"]
      if (typeof url !== "string")
        throw invalid(where, "has neither file_data nor file_url: another's file_id cannot be read.")
      const { filename } = file
      return { type: "file", source: sourceOf(url), ...(typeof filename === "string" && { name: filename }) }
    }
    default:
      return block
  }
}

function sourceOf(url: string): JsonObject {
  const [head, mediaType] = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=-]+)*?;base64,/i.exec(url) ?? []
  if (head === undefined || mediaType === undefined) return { type: "url", url }
  return { type: "base64", mediaType, data: url.slice(head.length) }
}
