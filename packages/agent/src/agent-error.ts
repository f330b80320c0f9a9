import { AgentScopeError, type ErrorInit } from "@agentscope-ts/message"

/**
 * Codes thrown by this package: the agent answers already; an answer fits no waiting call; an option or an input is wrong;
 * a reply was given up; the model's answers cannot be used; an answer was refused or filtered; the user's terminal is closed
 * or absent; two tools have one name; a question that a model must be asked again does not fit into the budget; agents ask
 * each other without end.
 */
export type AgentErrorCode =
  | "agent_busy"
  | "unknown_pending"
  | "invalid_argument"
  | "aborted"
  | "malformed_response"
  | "content_filtered"
  | "input_closed"
  | "name_clash"
  | "budget_exceeded"
  | "too_deep"

/** An error of this package. */
export function agentError(
  code: AgentErrorCode,
  message: string,
  more: Pick<ErrorInit, "cause" | "details" | "retryable"> = {},
): AgentScopeError<AgentErrorCode> {
  return new AgentScopeError({ code, message, ...more })
}
