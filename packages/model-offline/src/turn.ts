import {
  type Msg,
  textOf,
  type ToolResultBlock,
  toolResultsOf,
  type ToolUseBlock,
  toolUsesOf,
} from "@agentscope-ts/message"

/** One tool call of the history with its result; a call that never ran has none. */
export interface Done {
  readonly use: ToolUseBlock
  readonly result?: ToolResultBlock
}

/** What somebody asked for, and what was called for it so far. */
export interface Turn {
  readonly requests: readonly string[]
  readonly done: readonly Done[]
}

/** The name of the tool that ends a structured reply of an agent. */
export const finishTool = "generate_response"

/**
 * Parts a history into turns, the current one last. A turn ends with a plain answer or with a call that was interrupted; a
 * message that comes while calls are going on belongs to the turn.
 */
export function turnsOf(messages: readonly Msg[]): readonly Turn[] {
  const turns: Turn[] = []
  let requests: string[] = []
  let done: { use: ToolUseBlock; result?: ToolResultBlock }[] = []
  let closed = false
  const next = (): void => {
    if (requests.length > 0 || done.length > 0) turns.push({ requests, done })
    requests = []
    done = []
    closed = false
  }
  for (const msg of messages) {
    if (msg.role === "user") {
      if (closed) next()
      requests.push(textOf(msg))
    } else if (msg.role === "assistant") {
      const uses = toolUsesOf(msg)
      for (const use of uses) done.push({ use })
      closed ||= uses.length === 0 || uses.some((use) => use.name === finishTool)
    } else if (msg.role === "tool") {
      for (const result of toolResultsOf(msg)) {
        const call = done.find((entry) => entry.use.id === result.id && entry.result === undefined)
        if (call) call.result = result
        closed ||= result.state === "interrupted"
      }
    }
  }
  turns.push({ requests, done })
  return turns
}
