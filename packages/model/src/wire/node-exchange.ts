import type { ClientRequest, IncomingMessage } from "node:http"
import type { Transform } from "node:stream"
import { onAbort } from "@agentscope-ts/message"
import { abortedError } from "../errors/model-error.ts"
import { encodingOf, unpacker } from "./content-encoding.ts"
import type { NodeTransport } from "./node-transport.ts"
import type { Target } from "./target.ts"
import type { Exchange, ResponseHeaders } from "./exchange.ts"
import type { Watched } from "./watchdog.ts"
import { networkError, timeoutError } from "./wire-error.ts"

/** One request on {@link NodeTransport} from its start to its one end: every way out goes through `#close`. */
export class NodeExchange implements Watched {
  active = false
  idle = 0
  readonly #transport: NodeTransport
  readonly #target: Target
  readonly #body: Uint8Array
  readonly #exchange: Exchange
  readonly #signal: AbortSignal | undefined
  readonly #timeoutMs: number
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  #request: ClientRequest | undefined
  #response: IncomingMessage | undefined
  #unpack: Transform | undefined
  #off: (() => void) | undefined
  #grace: ReturnType<typeof setTimeout> | undefined
  #graceChecked = false
  #began = false
  #settled = false

  constructor(
    transport: NodeTransport,
    target: Target,
    body: Uint8Array,
    exchange: Exchange,
    signal: AbortSignal | undefined,
    timeoutMs: number,
    resolve: () => void,
    reject: (error: unknown) => void,
  ) {
    this.#transport = transport
    this.#target = target
    this.#body = body
    this.#exchange = exchange
    this.#signal = signal
    this.#timeoutMs = timeoutMs
    this.#resolve = resolve
    this.#reject = reject
  }

  start(): void {
    if (this.#signal?.aborted) return this.#abort()
    this.#transport.watchdogs.of(this.#timeoutMs).add(this)
    this.#off = onAbort(this.#signal, () => this.#abort())
    this.#send(true)
  }

  expire(): void {
    this.#fail(timeoutError(this.#target, this.#timeoutMs, this.#transport.proxyWay(this.#target)))
  }

  #abort(): void {
    this.#fail(abortedError(this.#signal as AbortSignal, `The request to ${this.#target.label}`))
  }

  #send(mayRetry: boolean): void {
    try {
      const request = this.#transport.request(this.#target, this.#body.length)
      this.#request = request
      request.on("response", (response) => this.#receive(response))
      request.on("error", (error) => {
        if (request === this.#request) this.#broken(error, mayRetry && request.reusedSocket)
      })
      request.end(this.#body)
    } catch (error) {
      this.#fail(this.#networkError(error, false))
    }
  }

  /** A kept connection that the server has closed meanwhile: nothing was answered, so once more on a fresh one. */
  #broken(error: Error & { code?: string }, stale: boolean): void {
    if (stale && !this.#began && !this.#settled && (error.code === "ECONNRESET" || error.code === "EPIPE")) {
      this.#transport.dropFree(this.#target)
      this.#send(false)
    } else this.#fail(this.#networkError(error, this.#began))
  }

  #networkError(error: unknown, began: boolean): unknown {
    return networkError(error, this.#target, began, this.#transport.proxyWay(this.#target))
  }

  #receive(response: IncomingMessage): void {
    this.#began = true
    this.#response = response
    this.active = true
    response.on("error", (error) => this.#fail(this.#networkError(error, true)))
    try {
      this.#exchange.onHead(response.statusCode ?? 0, () => response.headers as ResponseHeaders)
      const encoding = encodingOf(response.rawHeaders)
      if (encoding !== undefined) return this.#receivePacked(response, unpacker(encoding))
    } catch (error) {
      return this.#fail(error)
    }
    response.on("data", (bytes: Uint8Array) => this.#data(bytes))
    response.on("end", () => this.#done())
  }

  #receivePacked(response: IncomingMessage, unpack: Transform): void {
    this.#unpack = unpack
    unpack.on("data", (bytes: Uint8Array) => this.#data(bytes))
    unpack.on("end", () => this.#done())
    unpack.on("error", (error) => this.#fail(this.#networkError(error, true)))
    response.pipe(unpack)
  }

  #data(bytes: Uint8Array): void {
    if (this.#settled) return
    this.active = true
    try {
      this.#exchange.onBytes(bytes)
    } catch (error) {
      return this.#fail(error)
    }
    if (this.#exchange.graceMs === undefined || this.#graceChecked) return
    this.#graceChecked = true
    // mostly the body ends in the same breath: a look afterwards is cheaper than a timer
    queueMicrotask(() => {
      this.#graceChecked = false
      if (!this.#settled && this.#response?.complete !== true) this.#startGrace()
    })
  }

  #startGrace(): void {
    clearTimeout(this.#grace)
    this.#grace = setTimeout(() => {
      this.#done()
      this.#destroy()
    }, this.#exchange.graceMs)
  }

  #fail(error: unknown): void {
    if (this.#close()) this.#reject(error)
    this.#destroy()
  }

  #done(): void {
    if (this.#close()) this.#resolve()
  }

  #destroy(): void {
    this.#request?.destroy()
    this.#unpack?.destroy()
  }

  /** Lets go of everything; false when that was done before. */
  #close(): boolean {
    if (this.#settled) return false
    this.#settled = true
    clearTimeout(this.#grace)
    this.#off?.()
    this.#transport.watchdogs.of(this.#timeoutMs).delete(this)
    return true
  }
}
