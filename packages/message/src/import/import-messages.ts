import type { JsonObject } from "../json.ts"
import { type Msg, userMsg } from "../msg.ts"
import { importMessage } from "./import-message.ts"
import { invalid } from "./invalid.ts"
import { OpenAICalls } from "./openai-message.ts"
import { isObject } from "./own-message.ts"

/**
 * Messages from JSON: one message, a list, the state of a memory, or a saved session, in the form of AgentScope Python 1.0
 * or 2.x, of OpenAI's Chat Completions, or in our own. Messages of our own form pass unchanged.
 *
 * - 1.0: `media_type` becomes `mediaType`; tool results, which travel in `system` messages there, become `tool` messages;
 *   local time becomes UTC by this machine's zone. Of a memory with marks, messages marked `hint` are left out, and those
 *   marked `compressed` where the summary that stands for them is put in front.
 * - 2.x: a reply is one message there; it is split into `assistant`, `tool` and (for hints) `user` messages, whose ids are
 *   the reply's, then the reply's with `-2`, `-3`. Arguments are parsed; `data` blocks get their kind from the media type.
 * - OpenAI: `tool_calls` and `function_call` become calls, messages that answer them results under the tool's name, parts
 *   media blocks, `developer` is `system`; a text of `reasoning_content` becomes thinking, a `refusal` text.
 * - A session with several memories gives them one after the other, each message once.
 *
 * @throws AgentScopeError `invalid_message`, naming the place (`messages[3].content[1]`), for an unknown block or a
 * malformed one, and for JSON that holds no messages.
 */
export function importMessages(json: unknown): readonly Msg[] {
  if (Array.isArray(json)) return list(json, "messages")
  if (isObject(json)) {
    if ("role" in json) return importMessage(json, "message", new OpenAICalls())
    const found = [...memories(json, "")]
    if (found.length > 0) return unique(found.flatMap(({ state, where }) => importMemory(state, where)))
    throw invalid("the object", `holds no messages; it has: ${Object.keys(json).join(", ") || "nothing"}.`)
  }
  const hint = typeof json === "string" ? " Parse text with JSON.parse first." : ""
  throw invalid("the value", `is neither a message, a list of messages, nor a saved session.${hint}`)
}

function list(items: readonly unknown[], where: string): readonly Msg[] {
  const calls = new OpenAICalls()
  return items.flatMap((item, index) => {
    const place = `${where}[${index}]`
    if (!isObject(item)) throw invalid(place, "is no message.")
    return importMessage(item, place, calls)
  })
}

interface Found {
  readonly state: JsonObject
  readonly where: string
}

/** The states of memories (1.0: `content`; 2.x: `context`) at any depth of a session. */
function* memories(json: JsonObject, path: string): Generator<Found> {
  if (Array.isArray(json["content"]) || Array.isArray(json["context"])) {
    yield { state: json, where: path }
    return
  }
  for (const [key, value] of Object.entries(json)) if (isObject(value)) yield* memories(value, `${path}${key}.`)
}

function importMemory(state: JsonObject, where: string): readonly Msg[] {
  const key = Array.isArray(state["content"]) ? "content" : "context"
  const summary = state["_compressed_summary"] ?? state["summary"]
  const calls = new OpenAICalls()
  const summarised = typeof summary === "string" && summary !== ""
  const messages: Msg[] = summarised ? [userMsg(summary)] : []
  for (const [index, item] of (state[key] as readonly unknown[]).entries()) {
    const place = `${where}${key}[${index}]`
    // with marks: [message, marks]
    const [msg, marks] = Array.isArray(item) ? (item as unknown[]) : [item, []]
    if (!isObject(msg)) throw invalid(place, "is no message.")
    const marked = (mark: string) => Array.isArray(marks) && marks.includes(mark)
    if (marked("hint") || (summarised && marked("compressed"))) continue
    messages.push(...importMessage(msg, place, calls))
  }
  return messages
}

function unique(messages: readonly Msg[]): readonly Msg[] {
  const ids = new Set<string>()
  return messages.filter(({ id }) => !ids.has(id) && ids.add(id))
}
