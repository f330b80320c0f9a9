import { ambient } from "@agentscope-ts/message"
import { mcpError } from "../../error.ts"
import { answeredIdOf, requestIdOf } from "../incoming.ts"
import type { RequestId, Wire, WireExtra, WireMessage } from "../wire.ts"
import { EventLog } from "./event-log.ts"
import { refusal } from "./refusal.ts"
import { SseStream } from "./sse-stream.ts"

/** The stream of what belongs to no request. */
const common = "get"
/** The most connections of a session to its common stream; one more ends the oldest. */
const mostCommon = 4
/** The first version whose clients come back for an answer. */
const resumingSince = "2025-11-25"
const light = new Set(["notifications/progress", "notifications/message"])

/** The requests that came in one POST, and the stream of their answers. */
interface Exchange {
  readonly name: string
  readonly open: Set<RequestId>
  sse: SseStream | undefined
  /** Whether the client knows the id of an event, and so could come back. */
  isKnown: boolean
  /** Ends the wait for a client that has gone. */
  wait: AbortController | undefined
}

/** The terms of a session over HTTP. */
export interface HttpWireInit {
  /** Absent without sessions: then nobody can come back, and the wire closes itself after its exchange. */
  readonly sessionId: string | undefined
  readonly retryMs: number
  readonly resumeMs: number
  /** The version that was agreed on, once it was. */
  readonly version: () => string | undefined
}

/** The wire of one session over streamable HTTP. */
export class HttpWire implements Wire {
  onmessage?: (message: WireMessage, extra?: WireExtra) => void
  onclose?: () => void
  readonly #init: HttpWireInit
  readonly #log: EventLog | undefined
  readonly #exchanges = new Map<string, Exchange>()
  readonly #byRequest = new Map<RequestId, Exchange>()
  readonly #common = new Set<SseStream>()
  #count = 0
  #closed = false

  constructor(init: HttpWireInit) {
    this.#init = init
    this.#log = init.sessionId === undefined ? undefined : new EventLog()
  }

  /** Whether a call runs, or the client listens. */
  get isBusy(): boolean {
    return this.#byRequest.size > 0 || this.#common.size > 0
  }

  async start(): Promise<void> {}

  /** Takes the messages of a POST, and answers it. */
  receive(messages: readonly WireMessage[], version: string | undefined): Response {
    const ids = messages.map(requestIdOf).filter((id) => id !== undefined)
    const twice = ids.find((id, i) => this.#byRequest.has(id) || ids.indexOf(id) !== i)
    if (twice !== undefined) {
      const message = `The id ${JSON.stringify(twice)} is that of a request that is still running.`
      return refusal(400, -32600, message)
    }
    if (ids.length === 0) {
      for (const message of messages) this.onmessage?.(message)
      return new Response(null, { status: 202 })
    }
    const exchange: Exchange = {
      name: `p${++this.#count}`,
      open: new Set(ids),
      sse: undefined,
      isKnown: false,
      wait: undefined,
    }
    this.#exchanges.set(exchange.name, exchange)
    for (const id of ids) this.#byRequest.set(id, exchange)
    const sse = this.#connect(exchange)
    const resumes = this.#log !== undefined && (version ?? "") >= resumingSince
    if (resumes) this.#prime(exchange, sse)
    const extra = resumes ? { closeStream: () => this.#closeStream(exchange) } : {}
    for (const message of messages) this.onmessage?.(message, extra)
    return this.#answer(sse)
  }

  /** Answers a GET: the stream of what belongs to no request, or one that the client comes back to. */
  listen(lastEventId: string | null, version: string | undefined): Response {
    if (lastEventId !== null) return this.#resume(lastEventId)
    const sse = this.#connectCommon()
    if (this.#log && (version ?? "") >= resumingSince)
      sse.write(frameOf(this.#log.mark(common), "", this.#init.retryMs))
    return this.#answer(sse)
  }

  async send(message: WireMessage, related?: RequestId): Promise<void> {
    const answered = answeredIdOf(message)
    const id = answered ?? related
    const isLight = light.has(message["method"] as string)
    if (id === undefined) return this.#sendCommon(message, isLight)
    const exchange = this.#byRequest.get(id)
    // the client took the request back, or could not come for it: nobody waits
    if (exchange === undefined) {
      if (answered === undefined && "id" in message) throw gone()
      return
    }
    if (!(isLight && exchange.sse?.isBehind)) this.#write(exchange, message, isLight)
    if (answered !== undefined) this.#settle(exchange, answered)
    else if ("id" in message && exchange.sse === undefined && this.#log === undefined) throw gone()
  }

  dropped(id: RequestId): void {
    const exchange = this.#byRequest.get(id)
    if (exchange) this.#settle(exchange, id)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    for (const exchange of this.#exchanges.values()) {
      exchange.wait?.abort()
      exchange.sse?.end()
    }
    for (const sse of this.#common) sse.end()
    this.#exchanges.clear()
    this.#byRequest.clear()
    this.#common.clear()
    this.onclose?.()
  }

  #write(exchange: Exchange, message: WireMessage, isLight: boolean): void {
    const text = JSON.stringify(message)
    if (this.#log === undefined) {
      exchange.sse?.write(frameOf(undefined, text))
      return
    }
    const frame = this.#log.add(exchange.name, (id) => frameOf(id, text), isLight)
    if (exchange.sse?.write(frame)) exchange.isKnown = true
  }

  #settle(exchange: Exchange, id: RequestId): void {
    exchange.open.delete(id)
    this.#byRequest.delete(id)
    if (exchange.open.size > 0) return
    exchange.wait?.abort()
    exchange.sse?.end()
    this.#exchanges.delete(exchange.name)
    if (this.#init.sessionId === undefined) void this.close()
  }

  #sendCommon(message: WireMessage, isLight: boolean): void {
    const text = JSON.stringify(message)
    const frame = this.#log?.add(common, (id) => frameOf(id, text), isLight) ?? frameOf(undefined, text)
    // to one of the connections, the newest that is there
    for (const sse of [...this.#common].toReversed()) if ((isLight && sse.isBehind) || sse.write(frame)) return
  }

  #connect(exchange: Exchange): SseStream {
    exchange.sse?.end()
    exchange.wait?.abort()
    exchange.wait = undefined
    const sse = new SseStream(() => {
      if (exchange.sse !== sse) return
      exchange.sse = undefined
      this.#await(exchange)
    })
    exchange.sse = sse
    return sse
  }

  #connectCommon(): SseStream {
    const [oldest] = this.#common
    if (oldest && this.#common.size >= mostCommon) {
      this.#common.delete(oldest)
      oldest.end()
    }
    const sse: SseStream = new SseStream(() => this.#common.delete(sse))
    this.#common.add(sse)
    return sse
  }

  #prime(exchange: Exchange, sse: SseStream): void {
    if (this.#log === undefined) return
    sse.write(frameOf(this.#log.mark(exchange.name), "", this.#init.retryMs))
    exchange.isKnown = true
  }

  #closeStream(exchange: Exchange): void {
    if (exchange.sse === undefined || !exchange.isKnown) return
    const { sse } = exchange
    exchange.sse = undefined
    sse.end()
    this.#await(exchange)
  }

  /** The client has gone from an exchange: it may come back for a while, if it can; then its requests are given up. */
  #await(exchange: Exchange): void {
    if (exchange.open.size === 0) return
    if (!exchange.isKnown || this.#log === undefined) return this.#giveUp(exchange)
    const wait = new AbortController()
    exchange.wait = wait
    ambient()
      .sleep(this.#init.resumeMs, wait.signal)
      .then(
        () => this.#giveUp(exchange),
        () => {},
      )
  }

  #giveUp(exchange: Exchange): void {
    for (const requestId of exchange.open) {
      const params = { requestId, reason: "The client has gone." }
      this.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params })
    }
  }

  #resume(lastEventId: string): Response {
    const past = this.#log?.after(lastEventId)
    if (past === undefined) {
      return refusal(400, -32000, `What came after the event "${lastEventId}" is not known any more: ask again.`)
    }
    const exchange = this.#exchanges.get(past.stream)
    const sse = exchange
      ? this.#connect(exchange)
      : past.stream === common
        ? this.#connectCommon()
        : new SseStream(() => {})
    for (const frame of past.frames) sse.write(frame)
    // all that there will be of this stream was there
    if (exchange === undefined && past.stream !== common) sse.end()
    return this.#answer(sse)
  }

  #answer(sse: SseStream): Response {
    const { sessionId } = this.#init
    return new Response(sse.body, {
      status: 200,
      headers: {
        "Content-Type": "text/event-stream",
        "Cache-Control": "no-cache, no-transform",
        "X-Accel-Buffering": "no",
        ...(sessionId !== undefined && { "Mcp-Session-Id": sessionId }),
      },
    })
  }
}

function frameOf(id: string | undefined, data: string, retryMs?: number): string {
  const place = id === undefined ? "" : `id: ${id}\n`
  const retry = retryMs === undefined ? "" : `retry: ${retryMs}\n`
  return `${data === "" ? "" : "event: message\n"}${place}${retry}data: ${data}\n\n`
}

function gone(): Error {
  return mcpError("connection_closed", "The client has gone, and cannot be asked.")
}
