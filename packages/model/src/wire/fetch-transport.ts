import { onAbort } from "@agentscope-ts/message"
import { abortedError } from "../errors/model-error.ts"
import type { Target } from "./target.ts"
import { defaultTimeoutMs, type Exchange, type ResponseHeaders, type SendOptions, type Transport } from "./exchange.ts"
import { type Watched, Watchdogs } from "./watchdog.ts"
import { networkError, timeoutError } from "./wire-error.ts"

const watchdogs = new Watchdogs()

/**
 * Posts through a `fetch`: for runtimes other than Node, for tapes, for users' own. The body goes as a string and the
 * headers as a plain object, as the vendors' SDKs send them; redirects are not followed.
 */
export class FetchTransport implements Transport {
  readonly #fetch: typeof globalThis.fetch

  constructor(fetch: typeof globalThis.fetch) {
    this.#fetch = fetch
  }

  post(target: Target, body: Uint8Array, exchange: Exchange, options: SendOptions): Promise<void> {
    const headers: Record<string, string> = {}
    for (let i = 2; i < target.headers.length; i += 2)
      headers[target.headers[i] as string] = target.headers[i + 1] as string
    const init = { method: "POST", headers, body: new TextDecoder().decode(body), redirect: "manual" as const }
    const fetch = this.#fetch
    return readResponse((signal) => fetch(target.url, { ...init, signal }), target, exchange, options)
  }
}

/**
 * Feeds a `Response` to an exchange: for transports on top of a client that answers with one. `request` gets a signal
 * of its own, so that no listener stays on the caller's, whatever the client does.
 */
export function readResponse(
  request: (signal: AbortSignal) => Promise<Response>,
  target: Target,
  exchange: Exchange,
  options: SendOptions,
): Promise<void> {
  return new Promise((resolve, reject) => new FetchExchange(target, exchange, options, resolve, reject).start(request))
}

class FetchExchange implements Watched {
  active = false
  idle = 0
  readonly #target: Target
  readonly #exchange: Exchange
  readonly #signal: AbortSignal | undefined
  readonly #timeoutMs: number
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  readonly #controller = new AbortController()
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #off: (() => void) | undefined
  #grace: ReturnType<typeof setTimeout> | undefined
  #began = false
  #settled = false

  constructor(
    target: Target,
    exchange: Exchange,
    { signal, timeoutMs = defaultTimeoutMs }: SendOptions,
    resolve: () => void,
    reject: (error: unknown) => void,
  ) {
    this.#target = target
    this.#exchange = exchange
    this.#signal = signal
    this.#timeoutMs = timeoutMs
    this.#resolve = resolve
    this.#reject = reject
  }

  start(request: (signal: AbortSignal) => Promise<Response>): void {
    if (this.#signal?.aborted) return this.#abort()
    watchdogs.of(this.#timeoutMs).add(this)
    this.#off = onAbort(this.#signal, () => this.#abort())
    this.#run(request).then(
      () => this.#done(),
      (error: unknown) => this.#fail(networkError(error, this.#target, this.#began)),
    )
  }

  expire(): void {
    this.#fail(timeoutError(this.#target, this.#timeoutMs))
  }

  #abort(): void {
    this.#fail(abortedError(this.#signal as AbortSignal, `The request to ${this.#target.label}`))
  }

  async #run(request: (signal: AbortSignal) => Promise<Response>): Promise<void> {
    const response = await request(this.#controller.signal)
    if (this.#settled) return void response.body?.cancel().catch(ignore)
    this.#began = true
    this.active = true
    const headers = (): ResponseHeaders => Object.fromEntries(response.headers)
    // browsers hide the status of a redirect that is not followed
    this.#guard(() => this.#exchange.onHead(response.type === "opaqueredirect" ? 302 : response.status, headers))
    if (!response.body) return
    const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader()
    this.#reader = reader
    while (!this.#settled) {
      const { done, value } = await reader.read()
      if (done || this.#settled) return
      this.active = true
      this.#guard(() => this.#exchange.onBytes(value))
      this.#watchGrace()
    }
  }

  /** What the exchange throws is its own and no trouble of the network. */
  #guard(call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#fail(error)
    }
  }

  #watchGrace(): void {
    const { graceMs } = this.#exchange
    if (graceMs === undefined || this.#settled) return
    clearTimeout(this.#grace)
    this.#grace = setTimeout(() => {
      this.#done()
      this.#cancel()
    }, graceMs)
  }

  #fail(error: unknown): void {
    if (this.#close()) this.#reject(error)
    this.#cancel()
  }

  #done(): void {
    if (this.#close()) this.#resolve()
  }

  #cancel(): void {
    this.#controller.abort()
    this.#reader?.cancel().catch(ignore)
  }

  #close(): boolean {
    if (this.#settled) return false
    this.#settled = true
    clearTimeout(this.#grace)
    this.#off?.()
    watchdogs.of(this.#timeoutMs).delete(this)
    return true
  }
}

const ignore = (): void => {}
