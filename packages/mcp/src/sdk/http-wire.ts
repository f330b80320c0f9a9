import { ambient } from "@agentscope-ts/message"
import { shownUrl } from "../auth/auth-error.ts"
import { transportAuth } from "../auth/mcp-auth.ts"
import { mcpError } from "../error.ts"
import type { HeaderSource, HttpOptions } from "../mcp-options.ts"
import { boundedAnswer } from "./bounded-answer.ts"
import type { Wire } from "./open-session.ts"
import { PendingAnswers } from "./pending-answers.ts"

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** How long a server may take to hear that its session is over, in milliseconds. */
const leaveMs = 2000
/** After a stream broke off: from 0.5 s up to 10 s apart, for about half a minute, or as the server says (`retry`). */
const reconnectionOptions = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 10_000,
  reconnectionDelayGrowFactor: 1.8,
  maxRetries: 6,
}

/** The address of a server; throws `invalid_argument` for what is none. */
export function serverUrl({ name, url }: HttpOptions): URL {
  const parsed = URL.parse(String(url))
  if (parsed?.protocol === "http:" || parsed?.protocol === "https:") return parsed
  throw mcpError(
    "invalid_argument",
    `The url of the MCP server "${name}" is "${String(url)}": give one with http: or https:.`,
  )
}

/** The way to a server over HTTP. */
export async function httpWire(options: HttpOptions): Promise<Wire> {
  const url = serverUrl(options)
  const own = withHeaders(options.fetch ?? globalThis.fetch, options.headers, url)
  const auth = options.auth && transportAuth(options.auth, url, { fetch: own as typeof globalThis.fetch })
  const fetch: Fetch = auth?.fetch ?? own
  const wire = await (options.transport === "sse" ? sseWire(url, fetch) : streamableWire(url, fetch))
  if (auth) wire.held = () => auth.pending()
  return wire
}

/** Adds the user's headers, for the server's own origin: an authorization server gets none of them. */
function withHeaders(fetch: Fetch, source: HeaderSource | undefined, server: URL): Fetch {
  if (source === undefined) return fetch
  return async (url, init) => {
    if (new URL(url).origin !== server.origin) return fetch(url, init)
    const headers = new Headers(init?.headers)
    const own = typeof source === "function" ? await source() : source
    for (const [name, value] of Object.entries(own)) headers.set(name, value)
    return fetch(url, { ...init, headers })
  }
}

async function streamableWire(url: URL, fetch: Fetch): Promise<Wire> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js")
  let answers: PendingAnswers | undefined
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: async (target, init) => {
      const response = boundedAnswer(await fetch(target, init))
      if (answers === undefined) return response
      if (init?.method === "POST") return answers.follow(init.body, response)
      return answers.followResumed(new Headers(init?.headers).get("last-event-id"), response)
    },
    reconnectionOptions,
  })
  answers = new PendingAnswers(transport)
  clearTimersOnClose(transport)
  const wire: Wire = {
    transport,
    stranger: `Nothing at ${shownUrl(url)} speaks MCP over streamable HTTP: check the address and its path (often /mcp), and give transport: "sse" for an older server.`,
    leave: async () => {
      const stop = new AbortController()
      await Promise.race([transport.terminateSession(), ambient().sleep(leaveMs, stop.signal)])
      stop.abort()
    },
  }
  transport.onerror = ({ message }) => {
    if (!message.startsWith("Maximum reconnection attempts")) return
    answers?.failResuming()
    // the server is not heard any more: what it tells of changes would be missed
    wire.onLost?.()
  }
  return wire
}

async function sseWire(url: URL, fetch: Fetch): Promise<Wire> {
  const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js")
  const transport = new SSEClientTransport(url, { fetch })
  let isOpen = false
  const start = transport.start.bind(transport)
  transport.start = async () => {
    await start()
    isOpen = true
  }
  // its stream is the session: the SDK would take up a new one that nobody has initialized
  transport.onerror = (error) => {
    if (isOpen && "event" in error) void transport.close()
  }
  return {
    transport,
    stranger: `Nothing at ${shownUrl(url)} speaks MCP over the older transport: check the address and its path (often /sse), and leave transport out for streamable HTTP.`,
  }
}

/**
 * The SDK keeps the timer of the last stream alone that it is to take up again, and sets more after it was closed: here all
 * are kept, and none outlives the connection.
 */
function clearTimersOnClose(transport: { close(): Promise<void> }): void {
  const timers = new Set<NodeJS.Timeout>()
  let isClosed = false
  Object.defineProperty(transport, "_reconnectionTimeout", {
    get: () => undefined,
    set: (timer: NodeJS.Timeout | undefined) => {
      if (timer === undefined) return
      if (isClosed) clearTimeout(timer)
      else timers.add(timer)
    },
  })
  const close = transport.close.bind(transport)
  transport.close = () => {
    isClosed = true
    for (const timer of timers) clearTimeout(timer)
    return close()
  }
}
