import {
  type FinishReason,
  type Msg,
  type StopReason,
  type ToolResultBlock,
  toolResult,
  type ToolUseBlock,
} from "@agentscope-ts/message"
import type { Acting } from "../acting/acting.ts"
import type { Run } from "../base/agent-run.ts"
import { cutBy } from "./refused.ts"
import { finishToolName } from "./structured-reply.ts"

/** What the model said, as it enters memory, and the calls of it that were started on the way. */
export interface Turn {
  readonly message: Msg
  readonly stopReason: StopReason
  readonly acting: Acting
  /** Why the provider filtered it, or in which words the model refused. */
  readonly why: string | undefined
  /** The limit, in tokens, that a budget set the answer and that cut it off. */
  readonly limited: number | undefined
}

/** A turn, and not a message that ends the reply. */
export const isTurn = (turn: Turn | Msg): turn is Turn => "acting" in turn

/** The turn of a message whose calls were cut off with their process. */
export const turnGoneOn = (message: Msg, acting: Acting): Turn => {
  return { message, acting, stopReason: "tool_use", why: undefined, limited: undefined }
}

/** Written out, since a spread makes a larger object, and this one stays for as long as the memory. */
export function ended({ id, name, role, content, timestamp, metadata }: Msg, finishReason: FinishReason): Msg {
  const msg = { id, name, role, content, timestamp, finishReason }
  return metadata === undefined ? msg : { ...msg, metadata }
}

/** An answer that does not wait for what was asked beside it is no answer yet. */
export const withdrawn = (
  calls: readonly ToolUseBlock[],
  results: readonly ToolResultBlock[],
): readonly ToolResultBlock[] =>
  results.map((result, i) => {
    const call = calls[i]
    if (call?.name !== finishToolName || result.state !== "success") return result
    const text =
      "The answer was not taken: other calls of this round still wait. Call it again when their results are there."
    return toolResult(call, text, { state: "error" })
  })

/** An answer is an answer also where the model was stopped, but somebody should know. */
export function warnOfCut({ stopReason, why }: Turn, run: Run): undefined {
  const message = cutBy[stopReason]
  if (message) run.warn(stopReason, stopReason === "content_filter" && why !== undefined ? why : message)
}
