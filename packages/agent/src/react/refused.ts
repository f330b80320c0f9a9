import type { ContentBlock, StopReason } from "@agentscope-ts/message"
import { type AgentErrorCode, agentError } from "../agent-error.ts"

/** What an agent should say of an answer that did not end by itself. */
export const cutBy: Readonly<Partial<Record<StopReason, string>>> = {
  length: "The answer was cut off by the limit of tokens: raise params.maxTokens.",
  content_filter: "The provider's content filter cut the answer off.",
  refusal: "The model refused to answer.",
}

/** Whether a message has something for its reader: words, or a medium. Thinking is the model's own. */
export function hasAnswer(content: readonly ContentBlock[]): boolean {
  return content.some((block) => (block.type === "text" ? block.text.trim() !== "" : block.type !== "thinking"))
}

/** The words of a refusal that are not among what the model said: they are its answer all the same. */
export function refusalIn(content: readonly ContentBlock[], refusal: string | undefined): string | undefined {
  const words = refusal?.trim()
  if (!words) return undefined
  return content.some((block) => block.type === "text" && block.text.includes(words)) ? undefined : words
}

/** Whether asking again would change nothing: the model or its provider does not want to answer. */
export const isRefused = (stopReason: StopReason): boolean =>
  stopReason === "refusal" || stopReason === "content_filter"

/** An answer that is none: how it ended, and the names of the model and the agent. */
export interface NoAnswer {
  readonly stopReason: StopReason
  readonly model: string
  readonly agent: string
  /** What the provider, or the model in refusing, said of it. */
  readonly why?: string | undefined
}

/** The error of an answer that is refused, filtered, cut off before it began, or empty however often it was asked for. */
export function noAnswer({ stopReason, model, agent, why }: NoAnswer): Error {
  const about = { details: { stopReason, ...(why !== undefined && { why }) } }
  const made = (code: AgentErrorCode, text: string, retryable: boolean): Error =>
    agentError(code, `${model} gave agent "${agent}" no answer${text}`, { ...about, retryable })
  if (isRefused(stopReason)) {
    const said =
      why !== undefined && stopReason === "refusal" ? `It refused in these words: ${JSON.stringify(why)}.` : why
    return made(
      "content_filtered",
      `: ${said ?? cutBy[stopReason]} Say it in other words, or leave out what it objects to.`,
      false,
    )
  }
  if (stopReason === "length") {
    return made("malformed_response", ": it used up its tokens before it said anything: raise params.maxTokens.", false)
  }
  return made("malformed_response", " twice in a row, only silence. Try again, or use another model.", true)
}
