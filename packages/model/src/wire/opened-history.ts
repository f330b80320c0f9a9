import { type Msg, userMsg } from "@agentscope-ts/message"
import type { Formatter } from "../formatter.ts"

/** Always the same one, so that bodies of conversations can go on. */
let opening: Msg | undefined

/**
 * The history as it is sent to a provider that wants a user's message first: where an assistant's is, which the formatter
 * does not make the user's, a short one stands before it.
 */
export function openedHistory(messages: readonly Msg[], formatter: Formatter): readonly Msg[] {
  const [first] = messages
  if (first?.role !== "assistant" || formatter.mayBegin(first)) return messages
  opening ??= userMsg("[The conversation goes on from here.]")
  return [opening, ...messages]
}
