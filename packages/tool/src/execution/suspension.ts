import { AgentScopeError, type JsonObject, type PendingCall, type ToolResultBlock } from "@agentscope-ts/message"

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

/** What a suspension says: why, and what the result keeps of it for whoever goes on with the call. */
export interface Suspended {
  readonly reason: string | undefined
  readonly metadata: JsonObject | undefined
}

/** What a thrown value says when it is a suspension (`details`: `reason`, `metadata`); `undefined` for anything else. */
export function suspensionOf(error: unknown): Suspended | undefined {
  if (!AgentScopeError.is(error, "tool_suspended")) return undefined
  const { reason, metadata } = error.details
  const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)
  return {
    reason: typeof reason === "string" ? reason : undefined,
    metadata: isObject ? (metadata as JsonObject) : undefined,
  }
}

/** The call that a suspended result waits for; `undefined` for any other result. */
export function pendingOf(result: ToolResultBlock): PendingCall | undefined {
  return result.state === "suspended" ? (result.metadata?.["pending"] as PendingCall | undefined) : undefined
}
