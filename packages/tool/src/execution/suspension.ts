import { AgentScopeError, type PendingCall, type ToolResultBlock } from "@agentscope-ts/message"

/** What `ctx.suspend()` throws: code `tool_suspended`, the reason in `details.reason`. */
export class Suspension extends AgentScopeError<"tool_suspended"> {
  constructor(tool: string, reason?: string) {
    const why = reason ? `: ${reason}` : ""
    super({
      code: "tool_suspended",
      message: `The tool "${tool}" waits for a result from outside${why}. Run it through a Toolkit, and give the result when it is there.`,
      details: reason === undefined ? {} : { reason },
    })
  }
}

/** The reason, when a thrown value is a suspension; `undefined` for anything else. */
export function suspensionReason(error: unknown): { readonly reason: string | undefined } | undefined {
  if (!AgentScopeError.is(error, "tool_suspended")) return undefined
  const reason = error.details["reason"]
  return { reason: typeof reason === "string" ? reason : undefined }
}

/** The call that a suspended result waits for; `undefined` for any other result. */
export function pendingOf(result: ToolResultBlock): PendingCall | undefined {
  return result.state === "suspended" ? (result.metadata?.["pending"] as PendingCall | undefined) : undefined
}
