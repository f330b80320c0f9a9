import { type AgentInput, isResume } from "@agentscope-ts/agent"
import { type Msg, type Resume, toolResultsOf, userMsg } from "@agentscope-ts/message"
import { describe } from "./options.ts"
import { pipelineError } from "./pipeline-error.ts"

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null
const isMsg = (value: unknown): value is Msg =>
  isObject(value) && "role" in value && "content" in value && Array.isArray(value.content)

/** An input as messages. @throws AgentScopeError `invalid_argument` for anything that is none. */
export function messagesOf(where: string, input: AgentInput | undefined): readonly Msg[] {
  if (input === undefined) return []
  if (typeof input === "string") return [userMsg(input)]
  const messages = Array.isArray(input) ? (input as unknown[]) : [input]
  const wrong = messages.find((msg) => !isMsg(msg))
  if (wrong === undefined && messages.every(isMsg)) return messages
  throw pipelineError(
    "invalid_argument",
    `${where}: an input is text, a message, a list of messages, or { results, approvals }, not ${describe(wrong)}.`,
  )
}

/** The answers that an input holds for calls that wait; `undefined` where something new is said. */
export function answersOf(input: AgentInput | Resume | undefined): Resume | undefined {
  if (input === undefined) return {}
  if (isResume(input)) return input
  if (typeof input === "string") return undefined
  const messages = (Array.isArray(input) ? input : [input]) as readonly Msg[]
  if (messages.length === 0 || messages.some((msg) => !isMsg(msg) || msg.role !== "tool")) return undefined
  return { results: messages.flatMap((msg) => toolResultsOf(msg)) }
}
