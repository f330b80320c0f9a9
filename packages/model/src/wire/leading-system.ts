import type { Msg } from "@agentscope-ts/message"

/** The texts of system messages by the last of them, where it is the only one: mostly that is all there is. */
const known = new WeakMap<Msg, string>()

/** The system messages at the head of a history, their texts as a JSON list, and the messages after them. */
export function leadingSystem(messages: readonly Msg[]): readonly [texts: string, rest: readonly Msg[]] {
  const first = messages.findIndex(({ role }) => role !== "system")
  const count = first < 0 ? messages.length : first
  if (count === 0) return ["[]", messages]
  const only = count === 1 ? messages[0] : undefined
  const texts = (only && known.get(only)) ?? textsOf(messages.slice(0, count))
  if (only) known.set(only, texts)
  return [texts, messages.slice(count)]
}

function textsOf(messages: readonly Msg[]): string {
  const texts = messages.flatMap(({ content }) => content.map((block) => (block.type === "text" ? block.text : "")))
  return JSON.stringify(texts.filter((text) => text.trim() !== ""))
}
