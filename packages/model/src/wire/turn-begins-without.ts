import type { ContentBlock, Msg } from "@agentscope-ts/message"

/**
 * Whether a history ends with results for a turn whose first block is none of those meant: what a provider wants at the
 * beginning of a turn (thinking of its own, say) cannot be put there any more.
 */
export function turnBeginsWithout(messages: readonly Msg[], isMeant: (first: ContentBlock) => boolean): boolean {
  if (!messages.at(-1)?.content.some(({ type }) => type === "tool_result")) return false
  const [first] = messages.findLast(({ role }) => role === "assistant")?.content ?? []
  return first === undefined || !isMeant(first)
}
