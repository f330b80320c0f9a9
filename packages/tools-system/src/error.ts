import { AgentScopeError, type JsonObject } from "@agentscope-ts/message"

/**
 * Codes of this package; a toolkit turns them into error results for the model.
 *
 * Paths: `outside_root` `protected_path` `not_found` `not_a_file` `not_a_folder` `special_file`. Contents: `too_large`
 * `binary_file` `bad_encoding` `not_read` `changed_on_disk` `no_match` `not_unique`. Arguments: `invalid_argument`. The
 * machine: `io_error` `shell_missing` `python_missing` `spawn_failed` `search_timeout` `package_missing`. Background commands:
 * `no_such_job` `too_many_jobs`.
 */
export type ToolsSystemErrorCode =
  | "invalid_argument"
  | "outside_root"
  | "protected_path"
  | "not_found"
  | "not_a_file"
  | "not_a_folder"
  | "special_file"
  | "too_large"
  | "binary_file"
  | "bad_encoding"
  | "not_read"
  | "changed_on_disk"
  | "no_match"
  | "not_unique"
  | "io_error"
  | "shell_missing"
  | "python_missing"
  | "spawn_failed"
  | "search_timeout"
  | "package_missing"
  | "no_such_job"
  | "too_many_jobs"

/** An error of this package. */
export function systemError(
  code: ToolsSystemErrorCode,
  message: string,
  more: { cause?: unknown; details?: JsonObject } = {},
): AgentScopeError<ToolsSystemErrorCode> {
  return new AgentScopeError({ code, message, ...more })
}

/** The `code` of a Node error (`ENOENT` …); empty for anything else. */
export function errnoOf(error: unknown): string {
  // no `instanceof`: an error out of `node:vm` has another `Error`
  if (typeof error !== "object" || error === null || !("code" in error)) return ""
  return typeof error.code === "string" ? error.code : ""
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "the permission to do that is missing",
  EPERM: "the system does not permit it",
  EROFS: "it is on a read-only file system",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its links lead in a circle",
  EBUSY: "it is in use",
}

/** A failed file operation as an error for the model: named by its relative path, without the machine's own paths. */
export function ioError(doing: string, shown: string, error: unknown): AgentScopeError {
  if (AgentScopeError.is(error)) return error
  const errno = errnoOf(error)
  return systemError("io_error", `Could not ${doing} "${shown}": ${reasons[errno] ?? (errno || "an unknown error")}.`, {
    cause: error,
  })
}
