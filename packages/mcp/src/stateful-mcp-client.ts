import { ambient, type JsonObject, onAbort } from "@agentscope-ts/message"
import { mcpError } from "./error.ts"
import { McpClient, type McpCallOptions } from "./mcp-client.ts"
import type { McpLogLevel, McpLogMessage, McpOptions } from "./mcp-options.ts"
import { ChangeListeners } from "./change-listeners.ts"
import { answerServer, clientCapabilities } from "./requests/answer-server.ts"
import { openSession, type Wire } from "./sdk/open-session.ts"
import { isSessionGone } from "./sdk/sdk-error.ts"
import { asString, type ServerFacts, type Session, type SessionHandlers } from "./sdk/session.ts"

/** A connection that is being made, and how many wait for it. */
interface Opening {
  readonly session: Promise<Session>
  readonly controller: AbortController
  waiting: number
}

/** So many losses within a minute are too many. */
const maxLosses = 5
const lossWindowMs = 60_000

/**
 * A client that keeps one connection. `connect()` opens it, and so does the first request; when the server went away by
 * itself, the next request opens it again (the one that was under way fails, and is not repeated). After `close()` only
 * `connect()` does.
 */
export abstract class StatefulMcpClient extends McpClient implements AsyncDisposable {
  #options: McpOptions
  #session: Session | undefined
  #opening: Opening | undefined
  #closing: Promise<void> | undefined
  #isClosed = false
  /** When connections were lost or not had. */
  #losses: number[] = []
  #logLevel: McpLogLevel | undefined
  readonly #toolListeners = new ChangeListeners()
  readonly #promptListeners = new ChangeListeners()
  readonly #resourceListeners = new ChangeListeners()
  readonly #subscriptions = new Map<string, ChangeListeners>()

  constructor(options: McpOptions) {
    super(options)
    this.#options = options
  }

  /** A new way to the server. */
  protected abstract wire(): Promise<Wire> | Wire

  /** Whether losing the connection again and again ends it: a process that dies is not started for ever. */
  protected abstract readonly limitsLosses: boolean

  /** What the server said of itself; undefined while there is no connection. */
  get server(): ServerFacts | undefined {
    return this.#session?.server
  }

  get isConnected(): boolean {
    return this.#session?.isOpen === true
  }

  /**
   * Connects, and does nothing where that has been done. Aborting the signal leaves the wait, and takes the attempt back
   * when nobody else waits for it.
   */
  async connect({ signal }: McpCallOptions = {}): Promise<this> {
    await this.#closing
    this.#isClosed = false
    this.#losses = []
    await this.#ready(signal)
    return this
  }

  /**
   * Ends the connection and the server's process; what is under way fails with `connection_closed`. Does nothing where
   * there is none. Several clients may be closed in any order.
   */
  close(): Promise<void> {
    this.#isClosed = true
    this.#closing ??= this.#close().finally(() => {
      this.#closing = undefined
    })
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    const [session, opening] = [this.#session, this.#opening]
    this.#session = undefined
    this.#opening = undefined
    opening?.controller.abort(this.#closedError())
    await opening?.session.then(
      (late) => late.close(),
      () => {},
    )
    await session?.close()
  }

  #closedError(): Error {
    return mcpError("client_closed", `The MCP client "${this.name}" is closed: call connect() to use it again.`)
  }

  protected async use<T>(work: (session: Session) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const session = await this.#ready(signal)
    try {
      return await work(session)
    } catch (error) {
      if (!isSessionGone(error)) throw error
      // the server forgot the session, and so did nothing: a new one, and the request once more
      this.#drop(session)
      return work(await this.#ready(signal))
    }
  }

  #drop(session: Session): void {
    if (this.#session !== session) return
    this.#session = undefined
    session.retire()
  }

  async #ready(signal: AbortSignal | undefined): Promise<Session> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw this.#closedError()
    if (this.#session?.isOpen) return this.#session
    const opening = (this.#opening ??= this.#open())
    opening.waiting += 1
    return new Promise((resolve, reject) => {
      let isOver = false
      const leave = (settle: () => void): void => {
        if (isOver) return
        isOver = true
        opening.waiting -= 1
        settle()
      }
      const off = onAbort(signal, () => {
        leave(() => reject(signal?.reason as Error))
        if (opening.waiting > 0) return
        if (this.#opening === opening) this.#opening = undefined
        opening.controller.abort(signal?.reason)
      })
      opening.session.then(
        (session) => (off(), leave(() => resolve(session))),
        (error: Error) => (off(), leave(() => reject(error))),
      )
    })
  }

  #open(): Opening {
    const controller = new AbortController()
    const opening: Opening = { controller, waiting: 0, session: this.#connectNew(controller.signal) }
    opening.session.then(
      (session) => {
        // nobody waits for it any more
        if (this.#opening !== opening) return void session.close()
        this.#opening = undefined
        this.#session = session
      },
      () => {
        if (this.#opening === opening) this.#opening = undefined
      },
    )
    return opening
  }

  async #connectNew(signal: AbortSignal): Promise<Session> {
    this.#checkLosses()
    const isAgain = this.#everConnected
    let session: Session
    try {
      const [options, handlers] = [this.#options, this.#handlers()]
      const setup = { options, handlers, signal, capabilities: clientCapabilities(options) }
      session = await openSession({ ...setup, wire: await this.wire() })
    } catch (error) {
      if (!signal.aborted) this.#losses.push(ambient().now())
      throw error
    }
    this.#everConnected = true
    this.report({ type: "connected", text: `Connected to the MCP server "${this.name}".` })
    if (isAgain) await this.#restore(session)
    return session
  }

  #everConnected = false

  /** What the server has to be told again, and what may have changed while it was away. */
  async #restore(session: Session): Promise<void> {
    const told: Promise<unknown>[] = [...this.#subscriptions.keys()].map((uri) =>
      session.request("resources/subscribe", { uri }),
    )
    if (this.#logLevel) told.push(session.request("logging/setLevel", { level: this.#logLevel }))
    await Promise.allSettled(told)
    for (const listeners of [this.#toolListeners, this.#promptListeners, this.#resourceListeners]) listeners.call()
  }

  #checkLosses(): void {
    if (!this.limitsLosses) return
    const since = ambient().now() - lossWindowMs
    this.#losses = this.#losses.filter((at) => at > since)
    if (this.#losses.length < maxLosses) return
    const message = `The MCP server "${this.name}" went away ${this.#losses.length} times within a minute and is not started again for now: see its errors, then call connect().`
    throw mcpError("reconnect_limit", message)
  }

  #handlers(): SessionHandlers {
    return {
      onRequest: (method, params, signal) => answerServer(method, params, this.#options, signal),
      onNotification: (method, params) => this.#onNotification(method, params),
      onEvent: (event) => this.report(event),
      onLost: (session) => {
        this.#losses.push(ambient().now())
        if (this.#session === session) this.#session = undefined
      },
    }
  }

  #onNotification(method: string, params: JsonObject): void {
    switch (method) {
      case "notifications/tools/list_changed":
        return this.#toolListeners.call()
      case "notifications/prompts/list_changed":
        return this.#promptListeners.call()
      case "notifications/resources/list_changed":
        return this.#resourceListeners.call()
      case "notifications/resources/updated":
        return this.#subscriptions.get(asString(params["uri"]) ?? "")?.call()
      case "notifications/message":
        return this.#options.onLog?.(params as unknown as McpLogMessage)
      case "notifications/elicitation/complete":
        return this.report({ type: "elicitation_complete", text: asString(params["elicitationId"]) ?? "" })
      default:
        return this.report({ type: "ignored", text: `The notification ${method} is not known.` })
    }
  }

  /** Calls `listener` after the server's tools have changed, once for all changes that came together. Returns what forgets it. */
  onToolsChanged(listener: () => void): () => void {
    return this.#toolListeners.add(listener)
  }

  /** Calls `listener` after the server's prompts have changed. */
  onPromptsChanged(listener: () => void): () => void {
    return this.#promptListeners.add(listener)
  }

  /** Calls `listener` after the list of the server's resources has changed. */
  onResourcesChanged(listener: () => void): () => void {
    return this.#resourceListeners.add(listener)
  }

  /** Calls `listener` whenever a resource has changed, until the function that it resolves with is called. */
  async subscribeResource(
    uri: string,
    listener: () => void,
    { signal }: McpCallOptions = {},
  ): Promise<() => Promise<void>> {
    const listeners = this.#subscriptions.get(uri) ?? new ChangeListeners()
    const off = listeners.add(listener)
    this.#subscriptions.set(uri, listeners)
    const forget = (): boolean => {
      off()
      return listeners.size === 0 && this.#subscriptions.delete(uri)
    }
    try {
      await this.use((session) => session.request("resources/subscribe", { uri }, { signal }), signal)
    } catch (error) {
      forget()
      throw error
    }
    return async () => {
      if (forget() && this.#session) await this.#session.request("resources/unsubscribe", { uri })
    }
  }

  /** Sets the least level of log messages that the server sends to `onLog`, also for connections to come. */
  async setLogLevel(level: McpLogLevel, { signal }: McpCallOptions = {}): Promise<void> {
    await this.use((session) => session.request("logging/setLevel", { level }, { signal }), signal)
    this.#logLevel = level
  }

  /** Changes the folders that the server may work in, and tells it. Only for clients that were made with `roots`. */
  async setRoots(roots: readonly string[]): Promise<void> {
    if (this.#options.roots === undefined) {
      const message = `The MCP client "${this.name}" was made without roots, and its server was told so: make it with roots: [].`
      throw mcpError("invalid_argument", message)
    }
    this.#options = { ...this.#options, roots }
    await this.#session?.notify("notifications/roots/list_changed", {})
  }
}
