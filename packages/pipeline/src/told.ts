import { type ContentBlock, copyOf, type Msg, type Reply } from "@agentscope-ts/message"

/**
 * A message as others are told it: a copy without the speaker's thinking, its tool calls and data of its provider, and
 * without what belongs to its reply alone. `undefined`: nothing is left that could be said.
 */
export function toldOf(msg: Msg): Msg | undefined {
  // results of tools are for who called them: they go where they were sent, as they are
  if (msg.role === "tool") return copyOf(msg)
  const { usage: _usage, finishReason: _reason, pending: _pending, ...rest } = msg as Partial<Reply<unknown>> & Msg
  const content = msg.content.filter(isForAll).map(withoutOpaque)
  if (content.length === 0 && msg.content.length > 0) return undefined
  return { ...copyOf(rest), content }
}

const isForAll = ({ type }: ContentBlock) => type !== "thinking" && type !== "tool_use"

function withoutOpaque(block: ContentBlock): ContentBlock {
  const { opaque: _opaque, ...rest } = copyOf(block) as ContentBlock & { opaque?: unknown }
  return rest
}

/** Messages as others are told them. */
export const allTold = (messages: readonly Msg[]): readonly Msg[] =>
  messages.map(toldOf).filter((msg) => msg !== undefined)
