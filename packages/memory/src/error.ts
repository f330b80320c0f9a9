import { AgentScopeError, type ErrorInit } from "@agentscope-ts/message"

/**
 * Codes thrown by this package. `invalid_state`: saved state that is no list of messages. `invalid_argument`: an option or
 * argument that makes no sense. `overhead_too_big`: what has to stay of a history is above the limit. `compaction_failed`: no
 * summary was written. Of long-term memories: `memory_failed` (the disk, the database or a model that is none of ours failed;
 * the cause says how); `corrupted_memory` (the file cannot be read); `unsupported_version` (a newer version wrote it);
 * `memory_closed`; `too_large` (more text at once than one call records); `aborted` (the cause is `signal.reason`);
 * `missing_dependency` (the message names what to install); `unsupported_runtime` (there is no SQLite).
 */
export type MemoryErrorCode =
  | "invalid_state"
  | "invalid_argument"
  | "overhead_too_big"
  | "compaction_failed"
  | "memory_failed"
  | "corrupted_memory"
  | "unsupported_version"
  | "memory_closed"
  | "too_large"
  | "aborted"
  | "missing_dependency"
  | "unsupported_runtime"

/** An error of this package. */
export function memoryError(
  code: MemoryErrorCode,
  message: string,
  more: Pick<ErrorInit, "cause" | "details" | "retryable"> = {},
): AgentScopeError<MemoryErrorCode> {
  return new AgentScopeError({ code, message, ...more })
}
