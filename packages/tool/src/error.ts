import { AgentScopeError, type JsonObject } from "@agentscope-ts/message"

/**
 * Codes of this package. Thrown at the developer: `invalid_tool` `invalid_schema` `invalid_argument` `invalid_preset`
 * `invalid_rule` `invalid_skill` `name_clash` `unknown_tool` `unknown_group` `group_reserved` `deletion_not_allowed`
 * `source_failed` `context_missing` and, from `run()`, `invalid_input` `external_tool` `tool_suspended`. In the
 * `metadata.error` of a result also `unknown_skill` `tool_inactive` `invalid_output` `approval_failed` `not_started` `timeout`
 * `aborted` and `unexpected` (whatever else a tool threw).
 */
export type ToolErrorCode =
  | "invalid_tool"
  | "invalid_schema"
  | "invalid_argument"
  | "invalid_preset"
  | "invalid_rule"
  | "invalid_input"
  | "invalid_output"
  | "name_clash"
  | "unknown_tool"
  | "unknown_group"
  | "group_reserved"
  | "tool_inactive"
  | "deletion_not_allowed"
  | "source_failed"
  | "context_missing"
  | "invalid_skill"
  | "unknown_skill"
  | "external_tool"
  | "tool_suspended"
  | "approval_failed"
  | "not_started"
  | "timeout"
  | "aborted"

/** An error of this package. */
export function toolError(
  code: ToolErrorCode,
  message: string,
  more: { cause?: unknown; details?: JsonObject } = {},
): AgentScopeError<ToolErrorCode> {
  return new AgentScopeError({ code, message, ...more })
}
