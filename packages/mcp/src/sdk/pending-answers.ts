import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { WireMessage } from "./open-session.ts"
import { EventIdScan } from "./event-id-scan.ts"

type RequestId = string | number

const connectionClosed = -32000

/**
 * The requests whose answers are still to come over HTTP. The SDK lets a request wait for ever when its stream ends
 * without the answer; here such a request fails at once, or once the stream could not be taken up again.
 */
export class PendingAnswers {
  readonly #transport: Transport
  readonly #pending = new Set<RequestId>()
  /** Those whose stream ended, and is being taken up again. */
  readonly #resuming = new Set<RequestId>()

  /** Listens on the transport, ahead of whoever connects it. */
  constructor(transport: Transport) {
    this.#transport = transport
    transport.onmessage = (message: WireMessage) => {
      if ("method" in message || !("id" in message) || message.id === undefined) return
      this.#pending.delete(message.id)
      this.#resuming.delete(message.id)
    }
  }

  /** Follows the answer to a POST: what comes back is the same answer. */
  follow(body: unknown, response: Response): Response {
    const id = requestId(body)
    const isStream = response.headers.get("content-type")?.toLowerCase().startsWith("text/event-stream")
    if (id === undefined || !response.ok || !isStream || response.body === null) return response
    this.#pending.add(id)
    const { status, statusText, headers } = response
    return new Response(this.#watched(response.body, id), { status, statusText, headers })
  }

  #watched(body: ReadableStream<Uint8Array>, id: RequestId): ReadableStream<Uint8Array> {
    const reader = body.getReader()
    const scan = new EventIdScan()
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read()
            if (!done) {
              scan.push(value)
              return controller.enqueue(value)
            }
            await this.#ended(id, scan.found, "the server ended its answer without a result", () => controller.close())
          } catch (error) {
            await this.#ended(id, scan.found, "the answer broke off", () => controller.error(error))
          }
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    )
  }

  async #ended(id: RequestId, canResume: boolean, why: string, finish: () => void): Promise<void> {
    // what came last is on its way through the parser
    await new Promise((resolve) => setImmediate(resolve))
    const isAnswered = !this.#pending.has(id)
    // an answered stream that could be resumed is left as it is: the SDK takes it up again after an error answer
    if (isAnswered && canResume) return
    finish()
    if (isAnswered) return
    if (canResume) this.#resuming.add(id)
    else this.#fail(id, why)
  }

  /** No stream could be taken up again. */
  failResuming(): void {
    for (const id of this.#resuming) this.#fail(id, "its answer broke off and could not be taken up again")
  }

  #fail(id: RequestId, why: string): void {
    this.#transport.onmessage?.({ jsonrpc: "2.0", id, error: { code: connectionClosed, message: why } })
  }
}

function requestId(body: unknown): RequestId | undefined {
  if (typeof body !== "string") return undefined
  const message = JSON.parse(body) as { readonly id?: RequestId; readonly method?: string }
  return message.method === undefined ? undefined : message.id
}
