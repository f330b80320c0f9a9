import { AgentScopeError, errorJson, type JsonObject } from "@agentscope-ts/message"

/** An error as JSON-RPC tells it. */
export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: JsonObject
}

const codes: Readonly<Record<string, number>> = {
  invalid_request: -32600,
  unknown_method: -32601,
  invalid_input: -32602,
  unknown_tool: -32602,
  unknown_prompt: -32602,
  unknown_resource: -32002,
}

/** What a client is told of an error that no tool result can hold; whatever is not the client's fault is -32603. */
export function rpcCodeOf(error: unknown): RpcError {
  const { code, message } = errorJson(error)
  const told = { code: codes[code] ?? -32603, message }
  return AgentScopeError.is(error) && Object.keys(error.details).length > 0 ? { ...told, data: error.details } : told
}
