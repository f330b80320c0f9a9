import { AgentScopeError, cutText, type JsonObject, onAbort, untilAbort } from "@agentscope-ts/message"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { mcpError } from "../error.ts"
import type { McpEvent, McpOptions } from "../mcp-options.ts"
import { Deadline } from "./deadline.ts"
import { failMalformed } from "./malformed-answer.ts"
import { fromSdk, httpStatus } from "./sdk-error.ts"
import {
  asObject,
  type McpProgress,
  type RequestOptions,
  type ServerFacts,
  type Session,
  type SessionHandlers,
} from "./session.ts"

/** A way to a server, not yet open. */
export interface Wire {
  readonly transport: Transport
  /** How the server's process ended; undefined while it runs, and where there is none. */
  ending?(): string | undefined
  /** What the server's process wrote that is no MCP, as a sentence behind a blank; empty where there is nothing to tell. */
  babble?(): string
  /** What may be the matter with a server that did not answer in time, and what it wrote, in the same form. */
  silence?(): string
  /** What may be the matter where something answers that does not speak this transport. */
  readonly stranger?: string
  /** Whether the server's process has ended, though its last words may still be on the way. */
  isGone?(): boolean
  /** Says goodbye, where the protocol has a word for it. */
  leave?(): Promise<void>
  /** A login under way, for which the time of requests stands still. */
  held?(): Promise<void> | undefined
  /** Called by the wire when it does not hear the server any more. */
  onLost?: (() => void) | undefined
}

/** What a session is opened with. */
export interface SessionSetup {
  readonly options: McpOptions
  readonly capabilities: JsonObject
  readonly handlers: SessionHandlers
  readonly wire: Wire
  readonly signal: AbortSignal | undefined
}

// the SDK's own timer never fires before ours
const never = 2 ** 31 - 1
const clientInfo = { name: "agentscope-ts", version: "0.0.0" }

/** Connects and initializes; leaves nothing open when that fails. Rejects with the reason of the signal when it aborts. */
export async function openSession(setup: SessionSetup): Promise<Session> {
  const { options, wire, signal } = setup
  const session = new SdkSession(setup, await import("@modelcontextprotocol/sdk/client/index.js"), await loadTypes())
  const { name, connectTimeoutMs = 60_000 } = options
  const late = new AbortController()
  const deadline = new Deadline(
    connectTimeoutMs,
    connectTimeoutMs,
    () => late.abort(),
    () => wire.held?.(),
  )
  const stop = signal ? AbortSignal.any([signal, late.signal]) : late.signal
  try {
    await untilAbort(session.connect(), stop)
    return session
  } catch (cause) {
    // before it is told to stop, which it may have words of its own for
    const silence = wire.silence?.() ?? ""
    await session.abandon()
    if (signal?.aborted) throw signal.reason
    if (late.signal.aborted) {
      const message = `The MCP server "${name}" did not answer initialize within ${connectTimeoutMs} ms.`
      throw mcpError("timeout", endingOf(wire, message + silence), { details: { server: name, method: "initialize" } })
    }
    throw notConnected(cause, name, wire)
  } finally {
    deadline.stop()
  }
}

const loadTypes = () => import("@modelcontextprotocol/sdk/types.js")

function endingOf(wire: Wire, message: string): string {
  const ending = wire.ending?.()
  return ending === undefined ? message : `${message} ${ending}`
}

/** Errors that say more than that connecting failed. */
const keptCodes = new Set(
  "command_not_found invalid_argument unauthorized http_error invalid_auth auth_unreachable auth_metadata auth_unsupported auth_denied auth_rejected".split(
    " ",
  ),
)

function notConnected(cause: unknown, name: string, wire: Wire): Error {
  const error = fromSdk(cause, name, "initialize", undefined)
  const stranger = wire.stranger !== undefined && isStranger(error) ? ` ${wire.stranger}` : ""
  if (stranger !== "" && AgentScopeError.is(error, "http_error")) {
    const { message, details, retryable } = error
    return mcpError("http_error", message + stranger, { cause: error.cause, details, retryable })
  }
  if ("code" in error && keptCodes.has(error.code as string)) return error
  const failure = `Connecting to the MCP server "${name}" failed: ${error.message}${stranger}`
  const message = endingOf(wire, failure + (wire.babble?.() ?? ""))
  const retryable = "retryable" in error && error.retryable === true
  return mcpError("connect_failed", message, { cause, details: { server: name }, retryable })
}

/** Whether something answered that is no MCP server: a page, or a refusal that is not of the protocol. */
function isStranger(error: Error): boolean {
  const status = httpStatus(error)
  if (status === undefined) return /(?:Unexpected|Invalid) content type/i.test(error.message)
  if (error.message.includes('"jsonrpc"')) return false
  return (status >= 300 && status < 400) || [400, 404, 405, 410, 415, 501].includes(status)
}

type SdkClient = typeof import("@modelcontextprotocol/sdk/client/index.js")
type SdkTypes = Awaited<ReturnType<typeof loadTypes>>

/** A session on the SDK's client, of which only the messages are used: schemas, lists and names are looked after here. */
class SdkSession implements Session {
  readonly #setup: SessionSetup
  readonly #types: SdkTypes
  readonly #client: InstanceType<SdkClient["Client"]>
  /** Requests of the server that are being answered. */
  readonly #asked = new Map<string | number, AbortController>()
  /** Who waits until all of them are. */
  readonly #onAnswered: (() => void)[] = []
  /** Who hears the progress of a request, by its token. */
  readonly #progress = new Map<number, (progress: McpProgress) => void>()
  #lastToken = 0
  #open = false
  #requests = 0
  #closing: Promise<void> | undefined

  constructor(setup: SessionSetup, { Client }: SdkClient, types: SdkTypes) {
    this.#setup = setup
    this.#types = types
    this.#client = new Client(clientInfo, { capabilities: setup.capabilities })
    this.#listen()
  }

  get #name(): string {
    return this.#setup.options.name
  }

  get server(): ServerFacts {
    const { name = this.#name, version = "", title } = this.#client.getServerVersion() ?? {}
    const instructions = this.#client.getInstructions()
    const capabilities = asObject(this.#client.getServerCapabilities())
    return {
      name,
      version,
      ...(title !== undefined && { title }),
      ...(instructions !== undefined && { instructions }),
      capabilities,
    }
  }

  get isOpen(): boolean {
    return this.#open && this.#closing === undefined && this.#setup.wire.isGone?.() !== true
  }

  #listen(): void {
    const { handlers, wire } = this.#setup
    const client = this.#client
    const { isJSONRPCResultResponse, isJSONRPCErrorResponse } = this.#types
    failMalformed(wire.transport, (message) => isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message))
    client.onerror = (error) => {
      // what closing breaks off is nothing of the server's
      if (this.#closing === undefined) this.#report("ignored", error.message)
    }
    client.onclose = () => this.#onLost()
    wire.onLost = () => this.#onLost()
    client.fallbackNotificationHandler = async ({ method, params }) => {
      handlers.onNotification(method, asObject(params))
    }
    client.fallbackRequestHandler = (request, extra) => this.#answer(request.method, asObject(request.params), extra)
    // the SDK's own handler forgets a request at its answer, and with it progress that came just before
    client.setNotificationHandler(this.#types.ProgressNotificationSchema, ({ params }) => {
      const { progressToken, progress, total, message } = params
      const told = { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
      this.#progress.get(Number(progressToken))?.(told)
    })
    // the SDK's own handler takes the id 0, which is the first of most servers, for none
    client.setNotificationHandler(this.#types.CancelledNotificationSchema, ({ params }) => {
      const { requestId } = params
      // a request that came just before is not yet under way: the SDK starts it some promises later
      if (requestId !== undefined) setImmediate(() => this.#asked.get(requestId)?.abort())
    })
  }

  #report(type: McpEvent["type"], text: string): void {
    this.#setup.handlers.onEvent({ type, text: cutText(text, 2000) })
  }

  async #answer(
    method: string,
    params: JsonObject,
    { requestId, signal }: { requestId: string | number; signal: AbortSignal },
  ): Promise<JsonObject> {
    const { ErrorCode, McpError } = this.#types
    const controller = new AbortController()
    this.#asked.set(requestId, controller)
    const off = onAbort(signal, () => controller.abort())
    try {
      const answer = this.#setup.handlers.onRequest(method, params, controller.signal)
      if (answer === undefined) throw new McpError(ErrorCode.MethodNotFound, `Method not found: ${method}`)
      return await untilAbort(answer, controller.signal)
    } catch (error) {
      if (error instanceof McpError) throw error
      const message = error instanceof Error ? error.message : String(error)
      const isInput = typeof error === "object" && error !== null && "code" in error && error.code === "invalid_input"
      throw new McpError(isInput ? ErrorCode.InvalidParams : ErrorCode.InternalError, message)
    } finally {
      off()
      this.#asked.delete(requestId)
      if (this.#asked.size === 0) for (const resolve of this.#onAnswered.splice(0)) resolve()
    }
  }

  #onLost(): void {
    if (!this.#open) return
    this.#open = false
    if (this.#closing) return
    this.#report("lost", endingOf(this.#setup.wire, `The connection to the MCP server "${this.#name}" ended.`))
    this.#setup.handlers.onLost(this)
    this.#closeWhenIdle()
  }

  /** A connection that is given up carries what is under way to its end. */
  #closeWhenIdle(): void {
    if (!this.#open && this.#requests === 0) void this.close()
  }

  async connect(): Promise<void> {
    await this.#client.connect(this.#setup.wire.transport, { timeout: never })
    this.#open = true
  }

  /** Takes a half-open connection down. */
  async abandon(): Promise<void> {
    await this.#setup.wire.transport.close().catch(() => {})
  }

  async request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    const { signal, onProgress } = options
    signal?.throwIfAborted()
    const { timeoutMs = 60_000, maxTimeoutMs = 600_000 } = this.#setup.options
    // its own: the SDK never takes its listener off the signal
    const controller = new AbortController()
    const off = onAbort(signal, () => controller.abort("The request was given up."))
    let late: number | undefined
    const onLate = (ms: number): void => {
      late = ms
      controller.abort(`No answer after ${ms} ms.`)
    }
    const deadline = new Deadline(timeoutMs, maxTimeoutMs, onLate, () => this.#held())
    const progressToken = ++this.#lastToken
    this.#progress.set(progressToken, (progress) => {
      deadline.extend()
      onProgress?.(progress)
    })
    this.#requests += 1
    try {
      // always with a token: without one a server tells no progress
      const request = { method, params: { ...params, _meta: { ...asObject(params["_meta"]), progressToken } } }
      return (await this.#client.request(request, this.#types.ResultSchema, {
        signal: controller.signal,
        timeout: never,
      })) as JsonObject
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (late !== undefined) throw this.#late(method, late)
      throw fromSdk(error, this.#name, method, this.#setup.wire.ending?.())
    } finally {
      off()
      deadline.stop()
      this.#progress.delete(progressToken)
      this.#requests -= 1
      this.#closeWhenIdle()
    }
  }

  #late(method: string, ms: number): Error {
    const { timeoutMs = 60_000, maxTimeoutMs = 600_000 } = this.#setup.options
    const why = ms >= maxTimeoutMs ? `in all (maxTimeoutMs ${maxTimeoutMs})` : `(timeoutMs ${timeoutMs})`
    const message = `The MCP server "${this.#name}" did not finish ${method} within ${ms} ms ${why}, and was told to stop.`
    return mcpError("timeout", message, { details: { server: this.#name, method } })
  }

  /** What the time of requests stands still for: a login, and what the server itself waits for, such as a person's answer. */
  #held(): Promise<void> | undefined {
    const login = this.#setup.wire.held?.()
    if (login || this.#asked.size === 0) return login
    return new Promise((resolve) => this.#onAnswered.push(resolve))
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    await this.#client.notification({ method, params })
  }

  retire(): void {
    this.#open = false
    this.#closeWhenIdle()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { wire } = this.#setup
    if (this.#open) await wire.leave?.().catch(() => {})
    await wire.transport.close().catch(() => {})
  }
}

/** A message of the wire, as the SDK types it. */
export type WireMessage = JSONRPCMessage
