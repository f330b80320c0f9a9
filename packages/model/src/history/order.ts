import type { ContentBlock, Msg } from "@agentscope-ts/message"

const isCall = (block: ContentBlock): boolean => block.type === "tool_use"

/** The blocks with the tool calls after all else, each kind in its order; the same list where they are. */
export function callsLast(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const first = blocks.findIndex(isCall)
  if (first < 0 || blocks.slice(first).every(isCall)) return blocks
  return [...blocks.filter((block) => !isCall(block)), ...blocks.filter(isCall)]
}

/** Whether an assistant's message ends in a text with white space after its words. */
export function hasTail({ role, content }: Msg): boolean {
  const last = content.at(-1)
  if (role !== "assistant" || last?.type !== "text") return false
  const words = last.text.trimEnd()
  return words !== last.text && words !== ""
}

/** The message without the white space that ends it. */
export function withoutTail(msg: Msg): Msg {
  const last = msg.content.at(-1)
  if (last?.type !== "text") return msg
  return { ...msg, content: [...msg.content.slice(0, -1), { ...last, text: last.text.trimEnd() }] }
}
