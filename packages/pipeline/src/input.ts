import { type AgentInput, isResume } from "@agentscope-ts/agent"
import { type Msg, type Resume, toolResultsOf } from "@agentscope-ts/message"

/** The answers that an input holds for calls that wait; `undefined` where something new is said. */
export function answersOf(input: AgentInput | Resume | undefined): Resume | undefined {
  if (input === undefined) return {}
  if (isResume(input)) return input
  if (typeof input === "string") return undefined
  const messages: readonly (Partial<Msg> | null)[] = Array.isArray(input) ? input : [input]
  if (messages.length === 0 || messages.some((msg) => msg?.role !== "tool" || !Array.isArray(msg.content))) {
    return undefined
  }
  return { results: (messages as readonly Msg[]).flatMap((msg) => toolResultsOf(msg)) }
}
