import { AgentScopeError, type ErrorInit } from "@agentscope-ts/message"

/**
 * Codes thrown by this package. Of modules: `invalid_state` (state that does not fit the module), `name_clash` (two states
 * under one key), `state_cycle` (a module that holds itself), `invalid_argument` (a value that is no JSON, or an option that
 * makes no sense). Of session stores: `session_not_found` (also: it was deleted while open); `corrupted_session` (what is stored cannot be read);
 * `unsupported_version` (it was stored by a newer version); `session_conflict` (somebody else has written to a session that
 * is open: `agent.restore()`); `session_failed` (the disk or the database failed; the cause says how, `retryable` where the
 * database was busy); `store_closed`; `unsupported_runtime`
 * (files or SQLite are not to be had here).
 */
export type StateErrorCode =
  | "invalid_state"
  | "name_clash"
  | "state_cycle"
  | "invalid_argument"
  | "session_not_found"
  | "corrupted_session"
  | "unsupported_version"
  | "session_conflict"
  | "session_failed"
  | "store_closed"
  | "unsupported_runtime"

/** An error of this package. */
export function stateError(
  code: StateErrorCode,
  message: string,
  more: Pick<ErrorInit, "cause" | "details" | "retryable"> = {},
): AgentScopeError<StateErrorCode> {
  return new AgentScopeError({ code, message, ...more })
}
