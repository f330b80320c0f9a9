import { AgentScopeError, type ErrorInit } from "@agentscope-ts/message"

/**
 * Codes thrown by this package: an option or an input is wrong; an answer fits no waiting call; nobody was asked and there
 * was no input; a stream was left before anybody had spoken, or another branch failed; the hub is closed.
 */
export type PipelineErrorCode = "invalid_argument" | "unknown_pending" | "no_message" | "aborted" | "hub_closed"

/** An error of this package. */
export function pipelineError(
  code: PipelineErrorCode,
  message: string,
  more: Pick<ErrorInit, "cause" | "details"> = {},
): AgentScopeError<PipelineErrorCode> {
  return new AgentScopeError({ code, message, ...more })
}
