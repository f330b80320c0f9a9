import type { Msg } from "@agentscope-ts/message"
import type { ChatRequest } from "@agentscope-ts/model"
import type { AnyTool } from "@agentscope-ts/tool"
import type { ReplyWork } from "./reply-work.ts"

type Maybe<T> = T | Promise<T>

/**
 * Something that takes part in every reply of a ReActAgent: a long-term memory, a compaction, a plan, a session. Parts are
 * asked in the order in which the agent has them; what a part throws rejects the reply.
 */
export interface ReplyPart {
  /** Tools of this conversation alone, beside those of a toolkit that others may share. */
  readonly tools?: readonly AnyTool[]
  /** The input has entered memory, and no model was called yet. */
  begin?(work: ReplyWork, messages: readonly Msg[]): Maybe<void>
  /** Before each model call: may change the memory. */
  prepare?(work: ReplyWork): Maybe<void>
  /** A message for the next request alone, at its end. */
  hint?(work: ReplyWork): Maybe<Msg | undefined>
  /** A request is made: may put messages of its own among those of the memory, which stand after the system prompt. */
  show?(work: ReplyWork, messages: Msg[]): void
  /** The request as it would go out: true when the memory was made shorter, and the request has to be made anew. */
  fit?(work: ReplyWork, request: ChatRequest): Promise<boolean>
  /** The history was too long for the model: true when it is shorter now, and the call is worth another try. */
  overflow?(work: ReplyWork, error: unknown): Promise<boolean>
  /** A message has entered memory: an input, what the model said, the results of a round, the reply. */
  remembered?(work: ReplyWork, msg: Msg): Maybe<void>
  /** The reply is settled, or (`undefined`) the run was stopped or failed; the conversation is in order. */
  end?(work: ReplyWork, reply: Msg | undefined): Maybe<void>
}
