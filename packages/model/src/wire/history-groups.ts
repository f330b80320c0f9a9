import type { Msg } from "@agentscope-ts/message"

/** What the first `<history>` of a multi-agent conversation is introduced by. */
export const conversationHistoryPrompt =
  "# Conversation History\nThe content between <history></history> tags contains your conversation history\n"

/** A part of a multi-agent history: the system message at its head, a run of tool calls and results, a run of talk. */
export interface HistoryGroup {
  readonly type: "system" | "tools" | "talk"
  readonly messages: readonly Msg[]
  /** The first of the runs of talk. */
  readonly first: boolean
}

/** Cuts a multi-agent history into the parts that are formatted on their own. */
export function historyGroups(messages: readonly Msg[]): readonly HistoryGroup[] {
  const groups: { type: HistoryGroup["type"]; messages: Msg[]; first: boolean }[] = []
  let talked = false
  messages.forEach((msg, i) => {
    const type = i === 0 && msg.role === "system" && !usesTools(msg) ? "system" : usesTools(msg) ? "tools" : "talk"
    const last = groups.at(-1)
    if (last?.type === type) return void last.messages.push(msg)
    groups.push({ type, messages: [msg], first: type === "talk" && !talked })
    talked ||= type === "talk"
  })
  return groups
}

function usesTools(msg: Msg): boolean {
  return msg.content.some((block) => block.type === "tool_use" || block.type === "tool_result")
}

/** What was said in a run of talk, `name: text` by line between `<history>` tags; empty when nobody said anything. */
export function historyText(messages: readonly Msg[], prompt: string): string {
  const lines: string[] = []
  for (const { name, content } of messages) {
    for (const block of content) if (block.type === "text") lines.push(`${name}: ${block.text}`)
  }
  return lines.length === 0 ? "" : `${prompt}<history>\n${lines.join("\n")}\n</history>`
}
