import { rpcError } from "../incoming.ts"
import type { WireMessage } from "../wire.ts"

/** An answer that says no, in the words of JSON-RPC. */
export function refusal(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return jsonAnswer(status, rpcError(code, message), headers)
}

/** An answer of one JSON value. */
export function jsonAnswer(
  status: number,
  body: WireMessage,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } })
}
