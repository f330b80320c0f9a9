import { AgentScopeError, type ErrorInit } from "@agentscope-ts/message"

/**
 * Codes thrown by this package: an option or argument makes no sense; mem0 or what it needs is not installed
 * (`missing_dependency`: the message names what to install) or is of a version with another inside (`unsupported_version`);
 * mem0 failed (the cause says how); the memory was closed; the signal aborted (the cause is `signal.reason`).
 */
export type Mem0ErrorCode =
  | "invalid_argument"
  | "missing_dependency"
  | "unsupported_version"
  | "memory_failed"
  | "memory_closed"
  | "aborted"

/** An error of this package. */
export function mem0Error(
  code: Mem0ErrorCode,
  message: string,
  more: Pick<ErrorInit, "cause"> = {},
): AgentScopeError<Mem0ErrorCode> {
  return new AgentScopeError({ code, message, ...more })
}

/** What mem0 threw: the error of a model or of ours that is behind it, or one that wraps it. */
export function failureOf(thrown: unknown, what: string): unknown {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth++) {
    if (AgentScopeError.is(error)) return error
  }
  const text = thrown instanceof Error ? thrown.message : String(thrown)
  return mem0Error("memory_failed", `${what}: mem0 failed: ${text}`, { cause: thrown })
}
