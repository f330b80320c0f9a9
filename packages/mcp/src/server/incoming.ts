import type { ServerSdk } from "./sdk.ts"
import type { RequestId, WireMessage } from "./wire.ts"

const mostInBatch = 100
/** The only version of the protocol with batches. */
const batchVersion = "2025-03-26"

/** What arrived: messages, or the error to answer with. */
export type Incoming =
  | { readonly messages: readonly WireMessage[]; readonly isBatch: boolean }
  | { readonly error: WireMessage }

/** An error that answers no request in particular. */
export function rpcError(code: number, message: string, id: RequestId | null = null): WireMessage {
  return { jsonrpc: "2.0", error: { code, message }, id }
}

/**
 * Reads what a client sent. Batches are taken from clients of 2025-03-26, and from those that have not said their version
 * (`undefined`); each message has to be one of JSON-RPC 2.0.
 */
export function readIncoming(text: string, sdk: ServerSdk, version: string | undefined): Incoming {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { error: rpcError(-32700, "This is no JSON.") }
  }
  if (!Array.isArray(value)) {
    return sdk.isMessage(value) ? { messages: [value], isBatch: false } : { error: notRpc(value) }
  }
  const values: readonly unknown[] = value
  if (version !== undefined && version !== batchVersion) {
    return { error: rpcError(-32600, `MCP ${version} has no batches: send the messages one by one.`) }
  }
  if (values.length === 0 || values.length > mostInBatch) {
    return { error: rpcError(-32600, `A batch holds 1 to ${mostInBatch} messages, this one ${values.length}.`) }
  }
  const wrong = values.find((each) => !sdk.isMessage(each))
  return wrong === undefined ? { messages: values as WireMessage[], isBatch: true } : { error: notRpc(wrong) }
}

function notRpc(value: unknown): WireMessage {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null
  const named = typeof id === "string" || typeof id === "number" ? id : null
  return rpcError(-32600, "This is no message of JSON-RPC 2.0.", named)
}

/** The id of a message that wants an answer. */
export function requestIdOf(message: WireMessage): RequestId | undefined {
  const { id, method } = message
  return typeof method === "string" && (typeof id === "string" || typeof id === "number") ? id : undefined
}

/** The id of the request that a message answers. */
export function answeredIdOf(message: WireMessage): RequestId | undefined {
  const { id, method } = message
  return method === undefined && (typeof id === "string" || typeof id === "number") ? id : undefined
}
