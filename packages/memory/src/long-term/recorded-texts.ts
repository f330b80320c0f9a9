import { type Msg, textOf } from "@agentscope-ts/message"
import { summaryMark } from "../compaction/summary.ts"
import { memoryError } from "../error.ts"
import { isQuestion } from "./is-question.ts"
import { textPieces } from "./text-pieces.ts"

/** The longest entry, in UTF-16 units; a longer text becomes several. */
export const entryLength = 2000
const mostPieces = 1000

/** A text worth keeping, and where it is from. */
export interface RecordedText {
  readonly content: string
  readonly metadata: Readonly<Record<string, string>>
}

/** Nobody said it: the summary of a history, or what an agent was told of a long-term memory. */
const isMadeUp = (msg: Msg): boolean => msg.name === "long_term_memory" || summaryMark(msg) !== undefined

/**
 * What was said by the user and by agents, in pieces that fit; thinking, calls, their results and system prompts are not, nor
 * summaries and what was remembered; without `questions` no text of the user either that is nothing but questions.
 * @throws AgentScopeError `invalid_argument` for what is no list of messages, `too_large` for more than 1,000 pieces.
 */
export function recordedTexts(
  messages: readonly Msg[],
  { questions }: { readonly questions: boolean },
): readonly RecordedText[] {
  if (!Array.isArray(messages) || messages.some((msg: unknown) => !isMessage(msg))) {
    throw memoryError("invalid_argument", "record takes a list of messages: memory.record([userMsg(…)]).")
  }
  const spoken = (messages as readonly Msg[]).filter(
    (msg) => (msg.role === "user" || msg.role === "assistant") && !isMadeUp(msg),
  )
  const worth = questions ? spoken : spoken.filter((msg) => msg.role !== "user" || !isQuestion(textOf(msg)))
  const texts = worth.flatMap((msg) =>
    storable([textOf(msg)]).map((content) => ({ content, metadata: { role: msg.role, name: msg.name } })),
  )
  checkCount(texts)
  return texts
}

/** Texts as they are kept: cut where they are too long, nothing blank, nothing that the database would store otherwise. */
export function storable(texts: readonly string[]): readonly string[] {
  if (!Array.isArray(texts) || texts.some((text: unknown) => typeof text !== "string")) {
    throw memoryError(
      "invalid_argument",
      'recordToMemory takes a list of texts: { content: ["Ann likes green tea."] }.',
    )
  }
  const pieces = texts.flatMap((text) => textPieces(text.toWellFormed().replaceAll("\0", "\ufffd"), entryLength))
  checkCount(pieces)
  return pieces
}

function checkCount(pieces: readonly unknown[]): void {
  if (pieces.length <= mostPieces) return
  throw memoryError(
    "too_large",
    `${pieces.length} pieces of text are to be recorded at once, and ${mostPieces} can be (of ${entryLength} characters each): record in parts.`,
  )
}

export const isMessage = (value: unknown): value is Msg =>
  typeof value === "object" && value !== null && "role" in value && Array.isArray((value as Partial<Msg>).content)
