import { AgentScopeError, type JsonObject } from "@agentscope-ts/message"

/**
 * Codes of this package. `invalid_argument`: an option or argument makes no sense. `command_not_found`: the command of a
 * stdio server is not there. `connect_failed`: the server did not answer `initialize`. `client_closed`: used after
 * `close()`. `server_exited` and `connection_closed`: the server went away during a request. `reconnect_limit`: it goes
 * away again and again. `timeout`: no answer in time. `server_error`: it answered with a JSON-RPC error (`details.code`,
 * `details.data`). `http_error`: it refused over HTTP (`details.status`). `unauthorized`: it asks for an authorization that
 * could not be had. `unsupported`: it does not offer what was asked. `unknown_tool` and `unknown_prompt`: it has none of
 * that name. `invalid_input` and `invalid_output`: arguments, or a tool's value, do not fit the schema. `invalid_response`:
 * its answer breaks the protocol. Of the server: `client_error`: the client
 * answered with a JSON-RPC error (`details.code`). `server_closed`: used after `close()`. In what it answers to clients also
 * `invalid_request`, `unknown_method` and `unknown_resource`.
 */
export type McpErrorCode =
  | "invalid_argument"
  | "command_not_found"
  | "connect_failed"
  | "client_closed"
  | "server_exited"
  | "connection_closed"
  | "reconnect_limit"
  | "timeout"
  | "server_error"
  | "http_error"
  | "unauthorized"
  | "unsupported"
  | "unknown_tool"
  | "unknown_prompt"
  | "invalid_input"
  | "invalid_output"
  | "invalid_response"
  | "client_error"
  | "server_closed"
  | "invalid_request"
  | "unknown_method"
  | "unknown_resource"

/** An error of this package. */
export function mcpError(
  code: McpErrorCode,
  message: string,
  more: { cause?: unknown; details?: JsonObject; retryable?: boolean } = {},
): AgentScopeError<McpErrorCode> {
  return new AgentScopeError({ code, message, ...more })
}
