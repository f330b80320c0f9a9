import { ambient } from "@agentscope-ts/message"
import type { ContextValues } from "@agentscope-ts/tool"
import { mcpError } from "../../error.ts"
import { readIncoming } from "../incoming.ts"
import { type ServerSdk, serverSdk } from "../sdk.ts"
import type { ServerSession, SessionInit } from "../server-session.ts"
import type { Wire, WireMessage } from "../wire.ts"
import { Guard } from "./guard.ts"
import { HttpWire } from "./http-wire.ts"
import type { McpHttpOptions } from "./mcp-http-options.ts"
import { readBody } from "./read-body.ts"
import { jsonAnswer, refusal } from "./refusal.ts"

/** Answers a request; `context` are values that tools get by `ctx.get` in calls of this request, such as who it is from. */
export type HttpHandler = (
  request: Request,
  options?: { readonly context?: ContextValues | undefined },
) => Promise<Response>

interface HttpSession {
  readonly wire: HttpWire
  readonly session: ServerSession
  lastUsed: number
  context: ContextValues
}

const methods = "GET, POST, DELETE"

/** The sessions of a server over streamable HTTP. */
export class McpHttp {
  readonly #open: (wire: Wire, init: SessionInit) => Promise<ServerSession>
  readonly #guard: Guard
  readonly #options: McpHttpOptions
  readonly #maxBodyBytes: number
  readonly #maxSessions: number
  readonly #idleMs: number
  readonly #sessions = new Map<string, HttpSession>()
  /** Sessions that are being opened. */
  #opening = 0
  #closed = false

  constructor(open: (wire: Wire, init: SessionInit) => Promise<ServerSession>, options: McpHttpOptions) {
    this.#open = open
    this.#guard = new Guard(options)
    this.#options = options
    this.#maxBodyBytes = atLeast("maxBodyBytes", options.maxBodyBytes ?? 4 * 1024 * 1024, 1)
    this.#maxSessions = atLeast("maxSessions", options.maxSessions ?? 1000, 1)
    this.#idleMs = atLeast("sessionIdleMs", options.sessionIdleMs ?? 30 * 60_000, 1)
    atLeast("retryMs", options.retryMs ?? 0, 0)
    atLeast("resumeMs", options.resumeMs ?? 0, 0)
  }

  readonly handler: HttpHandler = async (request, { context = [] } = {}) => {
    const refused = await this.#guard.refuse(request)
    if (refused) return refused
    const answer = await this.#answer(request, context)
    for (const [name, value] of Object.entries(this.#guard.corsHeaders(request))) answer.headers.set(name, value)
    return answer
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#sessions.values()].map(({ session }) => session.close()))
  }

  async #answer(request: Request, context: ContextValues): Promise<Response> {
    if (this.#closed) return closing()
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: { Allow: methods } })
    const isStateless = this.#options.stateless === true
    if (request.method === "POST") return this.#post(request, context, isStateless)
    if ((request.method !== "GET" && request.method !== "DELETE") || isStateless) {
      const headers = { Allow: isStateless ? "POST" : methods }
      return refusal(405, -32000, `This server has no ${request.method} here.`, headers)
    }
    const found = await this.#find(request)
    if (found instanceof Response) return found
    if (request.method === "DELETE") {
      await found.session.close()
      return new Response(null, { status: 200 })
    }
    if (!accepts(request, "text/event-stream")) {
      return refusal(406, -32000, "The answer is a stream of events: Accept: text/event-stream.")
    }
    return found.wire.listen(request.headers.get("last-event-id"), found.session.version)
  }

  async #post(request: Request, context: ContextValues, isStateless: boolean): Promise<Response> {
    if (!accepts(request, "application/json") || !accepts(request, "text/event-stream")) {
      return refusal(406, -32000, "The answer may be either: Accept: application/json, text/event-stream.")
    }
    const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase()
    if (type !== "application/json") return refusal(415, -32000, "Messages are JSON: Content-Type: application/json.")
    const sdk = await serverSdk()
    const hasSession = request.headers.has("mcp-session-id") && !isStateless
    const found = hasSession ? await this.#find(request) : undefined
    if (found instanceof Response) return found
    const text = await this.#body(request)
    if (text instanceof Response) return text
    const version = found?.session.version ?? request.headers.get("mcp-protocol-version") ?? undefined
    const incoming = readIncoming(text, sdk, version)
    if ("error" in incoming) return jsonAnswer(400, incoming.error)
    const { messages } = incoming
    const isInitialize = messages.some(({ method }) => method === "initialize")
    if (isInitialize && messages.length > 1) return refusal(400, -32600, "initialize comes alone.")
    if (isInitialize && found) return refusal(400, -32600, "This session is initialized already: open another one.")
    const wrong = isInitialize ? undefined : wrongVersion(request, sdk)
    if (wrong) return wrong
    if (isStateless) return this.#once(messages, context)
    if (isInitialize) return this.#begin(messages, context)
    if (found === undefined) return refusal(400, -32000, "Mcp-Session-Id is missing: send initialize first.")
    found.context = context
    return found.wire.receive(messages, found.session.version)
  }

  async #body(request: Request): Promise<string | Response> {
    try {
      const text = await readBody(request, this.#maxBodyBytes)
      return text ?? refusal(413, -32000, `A request has at most ${this.#maxBodyBytes} bytes.`)
    } catch {
      return refusal(400, -32700, "The request broke off.")
    }
  }

  /** The session that a request names, or why it cannot be had. */
  async #find(request: Request): Promise<HttpSession | Response> {
    const id = request.headers.get("mcp-session-id")
    if (id === null) return refusal(400, -32000, "Mcp-Session-Id is missing: send initialize first.")
    await this.#expire()
    const found = this.#sessions.get(id)
    if (found === undefined) return refusal(404, -32001, "There is no such session (any more): send initialize again.")
    found.lastUsed = ambient().now()
    // the last one used stands last
    this.#sessions.delete(id)
    this.#sessions.set(id, found)
    return wrongVersion(request, await serverSdk()) ?? found
  }

  async #begin(messages: readonly WireMessage[], context: ContextValues): Promise<Response> {
    await this.#expire()
    if (!(await this.#makeRoom())) {
      return refusal(503, -32000, `${this.#maxSessions} sessions are busy: try again later.`, { "Retry-After": "5" })
    }
    const id = crypto.randomUUID()
    this.#opening++
    try {
      const [wire, session] = await this.#openSession(id, () => this.#sessions.get(id)?.context ?? context)
      if (this.#closed) {
        await session.close()
        return closing()
      }
      this.#sessions.set(id, { wire, session, lastUsed: ambient().now(), context })
      const asked = (messages[0]?.["params"] as { protocolVersion?: unknown } | undefined)?.protocolVersion
      return wire.receive(messages, typeof asked === "string" ? asked : undefined)
    } finally {
      this.#opening--
    }
  }

  async #once(messages: readonly WireMessage[], context: ContextValues): Promise<Response> {
    const [wire, session] = await this.#openSession(undefined, () => context)
    const answer = wire.receive(messages, undefined)
    if (answer.body === null || answer.status !== 200) await session.close()
    return answer
  }

  async #openSession(id: string | undefined, context: () => ContextValues): Promise<[HttpWire, ServerSession]> {
    let session: ServerSession | undefined
    const { retryMs = 1000, resumeMs = 30_000 } = this.#options
    const wire = new HttpWire({ sessionId: id, retryMs, resumeMs, version: () => session?.version })
    const onClose = (): void => {
      if (id !== undefined) this.#sessions.delete(id)
    }
    session = await this.#open(wire, { id, lasting: id !== undefined, context, onClose })
    return [wire, session]
  }

  /** Ends the sessions that were idle for too long. */
  async #expire(): Promise<void> {
    const now = ambient().now()
    const idle = [...this.#sessions.values()].filter((each) => !each.wire.isBusy && now - each.lastUsed > this.#idleMs)
    await Promise.all(idle.map(({ session }) => session.close()))
  }

  /** Room for one session more: the longest idle one goes; false when none is idle. */
  async #makeRoom(): Promise<boolean> {
    if (this.#sessions.size + this.#opening < this.#maxSessions) return true
    const oldest = [...this.#sessions.values()].find(({ wire }) => !wire.isBusy)
    await oldest?.session.close()
    return oldest !== undefined
  }
}

function closing(): Response {
  return refusal(503, -32000, "This server is closing.")
}

function atLeast(option: string, value: number, least: number): number {
  if (value >= least) return value
  throw mcpError("invalid_argument", `The ${option} is ${value}: it has to be ${least} or more.`)
}

function accepts(request: Request, type: string): boolean {
  const accept = request.headers.get("accept")?.toLowerCase() ?? ""
  const [group] = type.split("/")
  return accept.split(",").some((each) => [type, `${group}/*`, "*/*"].includes(each.split(";", 1)[0]?.trim() ?? ""))
}

function wrongVersion(request: Request, sdk: ServerSdk): Response | undefined {
  const version = request.headers.get("mcp-protocol-version")
  if (version === null || sdk.versions.includes(version)) return undefined
  const message = `This server does not speak MCP "${version}", but ${sdk.versions.join(", ")}.`
  return refusal(400, -32000, message)
}
