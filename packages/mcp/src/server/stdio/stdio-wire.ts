import type { Readable, Writable } from "node:stream"
import { LineSplitter } from "../../stdio/line-splitter.ts"
import { readIncoming, requestIdOf, rpcError } from "../incoming.ts"
import type { ServerSdk } from "../sdk.ts"
import type { RequestId, Wire, WireExtra, WireMessage } from "../wire.ts"

/** The most bytes of one message. */
const mostBytes = 16 * 1024 * 1024
/** Beyond this many bytes that the client has not read, progress and logs are left out. */
const mostWaiting = 1024 * 1024
const light = new Set(["notifications/progress", "notifications/message"])

/** The wire to the process at the other end of two streams: one JSON-RPC message a line. */
export class StdioWire implements Wire {
  onmessage?: (message: WireMessage, extra?: WireExtra) => void
  onclose?: () => void
  /** The version that was agreed on, once it was. */
  version: () => string | undefined = () => undefined
  readonly #input: Readable
  readonly #output: Writable
  readonly #write: (text: string, done: () => void) => boolean
  readonly #sdk: ServerSdk
  readonly #lines = new LineSplitter(mostBytes)
  readonly #running = new Set<RequestId>()
  #closed = false

  /** `write` puts a text on the output, and calls back when it is there. */
  constructor(input: Readable, output: Writable, write: (text: string, done: () => void) => boolean, sdk: ServerSdk) {
    this.#input = input
    this.#output = output
    this.#write = write
    this.#sdk = sdk
  }

  // oxlint-disable-next-line typescript/require-await -- the wire of HTTP has to wait
  async start(): Promise<void> {
    this.#input.on("data", this.#onData)
    this.#input.on("end", this.#onEnd)
    this.#input.on("close", this.#onEnd)
    this.#input.on("error", this.#onEnd)
    this.#output.on("error", this.#onEnd)
  }

  send(message: WireMessage): Promise<void> {
    const { id, method } = message
    if (method === undefined) this.#running.delete(id as RequestId)
    if (this.#closed) return Promise.resolve()
    if (light.has(method as string) && this.#output.writableLength > mostWaiting) return Promise.resolve()
    return new Promise((resolve) => this.#write(`${JSON.stringify(message)}\n`, resolve))
  }

  dropped(id: RequestId): void {
    this.#running.delete(id)
  }

  // oxlint-disable-next-line typescript/require-await -- the wire of HTTP has to wait
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#input.off("data", this.#onData)
    this.#input.off("end", this.#onEnd)
    this.#input.off("close", this.#onEnd)
    this.#input.off("error", this.#onEnd)
    this.#output.off("error", this.#onEnd)
    // a write may still fail later, and must not bring the process down
    this.#output.on("error", () => {})
    if (this.#input.listenerCount("data") === 0) this.#input.pause()
    this.onclose?.()
  }

  readonly #onEnd = (): void => void this.close()

  readonly #onData = (chunk: Buffer | string): void => {
    const lines = this.#lines.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk)
    if (lines === undefined) {
      void this.send(rpcError(-32600, `A message is longer than ${mostBytes} bytes: the connection ends.`))
      return void this.close()
    }
    for (const line of lines) if (!this.#closed) this.#onLine(line)
  }

  #onLine(line: string): void {
    const text = line.replace(/^\uFEFF/, "").trim()
    if (text === "") return
    const incoming = readIncoming(text, this.#sdk, this.version())
    if ("error" in incoming) return void this.send(incoming.error)
    for (const message of incoming.messages) {
      const id = requestIdOf(message)
      if (id !== undefined && this.#running.has(id)) {
        // answered without touching the request that runs
        const error = rpcError(-32600, `The id ${JSON.stringify(id)} is that of a request that is still running.`)
        void new Promise<void>((resolve) => this.#write(`${JSON.stringify(error)}\n`, resolve))
        continue
      }
      if (id !== undefined) this.#running.add(id)
      this.onmessage?.(message)
    }
  }
}
