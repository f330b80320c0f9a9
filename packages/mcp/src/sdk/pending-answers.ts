import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { malformedCode } from "./malformed-answer.ts"
import type { WireMessage } from "./open-session.ts"
import { EventIdScan } from "./event-id-scan.ts"

type RequestId = string | number

const connectionClosed = -32000
const methodNotAllowed = 405
const emptyLine = new TextEncoder().encode("\n\n")

/**
 * The requests whose answers are still to come over HTTP. The SDK lets a request wait for ever when its stream ends
 * without the answer; here such a request fails at once, or once the stream could not be taken up again.
 */
export class PendingAnswers {
  readonly #transport: Transport
  readonly #pending = new Set<RequestId>()
  /** Those whose stream ended, and is being taken up again. */
  readonly #resuming = new Set<RequestId>()
  /** The last event of each request's stream. */
  readonly #lastEvents = new Map<RequestId, string>()

  /** Listens on the transport, ahead of whoever connects it. */
  constructor(transport: Transport) {
    this.#transport = transport
    transport.onmessage = (message: WireMessage) => {
      if ("method" in message || !("id" in message) || message.id === undefined) return
      this.#pending.delete(message.id)
      this.#resuming.delete(message.id)
      this.#lastEvents.delete(message.id)
    }
    const send = transport.send.bind(transport)
    transport.send = (message, options) => {
      if (!("method" in message) || !("id" in message)) return send(message, options)
      const onresumptiontoken = (event: string) => void this.#lastEvents.set(message.id, event)
      return send(message, { ...options, onresumptiontoken })
    }
  }

  /**
   * Follows the answer to a GET that goes on after the event `from`. A stream that breaks off once more goes on from there too: the
   * SDK knows the event only where the stream names it. What the server refuses to go on with has failed.
   */
  followResumed(from: string | null, response: Response): Response {
    if (from === null || from === "") return response
    if (response.ok) return response.body === null ? response : beginningWith(`id: ${from}\ndata: \n\n`, response)
    const [id] = [...this.#lastEvents].find(([one, event]) => event === from && this.#resuming.has(one)) ?? []
    if (id === undefined || !isFinal(response.status)) return response
    this.#fail(id, `its answer broke off, and going on with it was refused (HTTP ${response.status})`)
    void response.body?.cancel().catch(() => {})
    // what the SDK leaves alone
    return new Response(null, { status: methodNotAllowed })
  }

  /** Follows the answer to a POST: what comes back is the same answer. */
  follow(sent: unknown, response: Response): Response {
    const id = requestId(sent)
    if (id === undefined || !response.ok || response.body === null) return response
    const isStream = response.headers.get("content-type")?.toLowerCase().startsWith("text/event-stream")
    this.#pending.add(id)
    const { status, statusText, headers } = response
    const body = this.#watched(response.body, id, isStream ? new EventIdScan() : undefined)
    return new Response(body, { status, statusText, headers })
  }

  /** `scan`: of a stream of events; without it the body is the answer itself. */
  #watched(body: ReadableStream<Uint8Array>, id: RequestId, scan: EventIdScan | undefined): ReadableStream<Uint8Array> {
    const reader = body.getReader()
    let isOver = false
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          // left open, as below: whoever reads on waits
          if (isOver) return
          try {
            const { done, value } = await reader.read()
            if (!done) {
              scan?.push(value)
              return controller.enqueue(value)
            }
            isOver = true
            if (scan === undefined) {
              controller.close()
              return await this.#read(id)
            }
            // the last event may lack the empty line that ends it
            controller.enqueue(emptyLine)
            await this.#ended(id, scan.found, "the server ended its answer without a result", () => controller.close())
          } catch (error) {
            isOver = true
            await this.#ended(id, scan?.found ?? false, "the answer broke off", () => controller.error(error))
          }
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    )
  }

  /** A body has been read to its end: it has to have had the answer. */
  async #read(id: RequestId): Promise<void> {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
    if (this.#pending.has(id)) this.#fail(id, "the answer to this request is not in it", malformedCode)
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

  #fail(id: RequestId, why: string, code = connectionClosed): void {
    this.#transport.onmessage?.({ jsonrpc: "2.0", id, error: { code, message: why } })
  }
}

/** Whether asking again would be refused as well. */
const isFinal = (status: number): boolean => status >= 400 && status < 500 && ![408, 425, 429].includes(status)

function beginningWith(text: string, { body, status, statusText, headers }: Response): Response {
  const begin = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
  })
  return new Response(body?.pipeThrough(begin) ?? null, { status, statusText, headers })
}

function requestId(body: unknown): RequestId | undefined {
  if (typeof body !== "string") return undefined
  const message = JSON.parse(body) as { readonly id?: RequestId; readonly method?: string }
  return message.method === undefined ? undefined : message.id
}
