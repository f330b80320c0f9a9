import { type Msg, textOf } from "@agentscope-ts/message"
import { mem0Error } from "./mem0-error.ts"
import type { Mem0Message } from "./mem0-store.ts"

/** How many characters mem0's model reads at once. */
const windowLength = 24_000

/** What was said by the user and by agents; thinking, calls, their results and system prompts are not. */
export function recordedMessages(messages: readonly Msg[]): readonly Mem0Message[] {
  const isList =
    Array.isArray(messages) && messages.every((msg: unknown) => Array.isArray((msg as Msg | null)?.content))
  if (!isList) throw mem0Error("invalid_argument", "record takes a list of messages: memory.record([userMsg(…)]).")
  return messages.flatMap((msg) => {
    const { role } = msg
    if (role !== "user" && role !== "assistant") return []
    const content = textOf(msg).toWellFormed().replaceAll("\0", "\ufffd")
    return content.trim() === "" ? [] : [{ role, content }]
  })
}

/** The messages in groups that a model can read at once, in order; one that is too long is cut into several. */
export function windowsOf(messages: readonly Mem0Message[]): readonly (readonly Mem0Message[])[] {
  const windows: Mem0Message[][] = []
  let left = 0
  for (const { role, content } of messages) {
    for (const piece of pieces(content)) {
      if (piece.length > left) {
        windows.push([])
        left = windowLength
      }
      windows.at(-1)?.push({ role, content: piece })
      left -= piece.length
    }
  }
  return windows
}

function pieces(text: string): readonly string[] {
  const list: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = at + windowLength
    const code = text.charCodeAt(end - 1)
    // not through a character
    const next = end < text.length && code >= 0xd800 && code <= 0xdbff ? end - 1 : end
    list.push(text.slice(at, next))
    at = next
  }
  return list.filter((piece) => piece.trim() !== "")
}
