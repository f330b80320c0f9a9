import type { Msg } from "@agentscope-ts/message"
import type { ApprovalPolicy, ContextValues } from "@agentscope-ts/tool"
import type { Budget } from "../budget/budget.ts"
import type { OwnTools } from "../acting/own-tools.ts"
import type { ReplyPart } from "./reply-part.ts"
import type { AgentSession } from "../session/session.ts"

/** What a ReActAgent was made with, beside what its public fields say. */
export interface ReActSettings {
  /** The system prompt: one message for the agent's life, so that a model finds the beginning of the history unchanged. */
  readonly system: Msg
  readonly maxIterations: number
  readonly maxRepeats: number
  /** `undefined`: as the toolkit says. */
  readonly parallelToolCalls: boolean | undefined
  readonly streaming: boolean
  readonly approval: ApprovalPolicy | undefined
  readonly budget: Budget | undefined
  /** The budget is nobody else's: what was spent of it is the agent's state. */
  readonly ownsBudget: boolean
  readonly context: ContextValues | undefined
  /** What takes part in every reply; `undefined` where nothing does. */
  readonly parts: readonly ReplyPart[] | undefined
  /**
   * The session among the parts, where there is one. Beyond what a part is asked it knows what a reply takes up, on what terms
   * tools run, and what became of calls before a kill: it stands around the execution of each.
   */
  readonly session: AgentSession | undefined
  /** The tools of the parts. */
  readonly own: OwnTools | undefined
}
