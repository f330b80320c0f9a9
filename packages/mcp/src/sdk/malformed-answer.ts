import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { asObject } from "./session.ts"

/** Our own code for an answer that is none; servers have -32768 to -32000 but do not use it. */
export const malformedCode = -32699

/**
 * Lets requests fail whose answers break JSON-RPC: the SDK passes over such answers, and the request would wait until its
 * time is over. Has to listen before the transport is connected.
 */
export function failMalformed(transport: Transport): void {
  const before = transport.onmessage
  transport.onmessage = (message, extra) => {
    before?.(message, extra)
    const { id, method, result, error } = message as unknown as Readonly<Record<string, unknown>>
    if (method !== undefined || (typeof id !== "number" && typeof id !== "string")) return
    const { code, message: said } = asObject(error)
    const isError = Number.isInteger(code) && typeof said === "string"
    const isResult = typeof result === "object" && result !== null && !Array.isArray(result)
    if (isError || isResult) return
    const answer = JSON.stringify({ result, error }).slice(0, 200)
    queueMicrotask(() =>
      transport.onmessage?.({
        jsonrpc: "2.0",
        id,
        error: { code: malformedCode, message: `no JSON-RPC answer: ${answer}` },
      }),
    )
  }
}
