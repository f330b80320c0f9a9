import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"

/** Our own code for an answer that is none; servers have -32768 to -32000 but do not use it. */
export const malformedCode = -32699

/**
 * Lets requests fail whose answers are none for the SDK (`isAnswer`): it passes over them, and the request would wait
 * until its time is over. Has to listen before the transport is connected.
 */
export function failMalformed(transport: Transport, isAnswer: (message: unknown) => boolean): void {
  const before = transport.onmessage
  transport.onmessage = (message, extra) => {
    before?.(message, extra)
    const { id, method, result, error } = message as unknown as Readonly<Record<string, unknown>>
    if (method !== undefined || (typeof id !== "number" && typeof id !== "string")) return
    if (isAnswer(message)) return
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
