import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { ambient } from "@agentscope-ts/message"
import { mcpError } from "../../error.ts"
import { isLoopback } from "./guard.ts"
import type { McpHttp } from "./mcp-http.ts"
import type { McpHttpOptions } from "./mcp-http-options.ts"
import { refusal } from "./refusal.ts"

/** Where a server listens. */
export interface McpListenOptions extends McpHttpOptions {
  /** A free one unless given. */
  port?: number | undefined
  /** `127.0.0.1` unless given. Any other than a loopback address needs a token. */
  host?: string | undefined
  /** `/mcp` unless given. */
  path?: string | undefined
}

/** A server that listens. */
export interface McpListener {
  /** What clients are told: `http://127.0.0.1:8080/mcp`. */
  readonly url: string
  readonly port: number
  /** Ends the sessions that came this way, and stops listening. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Listens for HTTP; throws `invalid_argument` for an address that everybody reaches without a token, or that cannot be had. */
export async function listenOn(
  make: (options: McpHttpOptions) => McpHttp,
  { port = 0, host = "127.0.0.1", path = "/mcp", ...options }: McpListenOptions,
): Promise<McpListener> {
  const isLocal = isLoopback(host === "::1" ? "[::1]" : host)
  if (!isLocal && options.token === undefined) {
    const message = `Listening on "${host}" lets others reach the server: give it a token, or listen on 127.0.0.1.`
    throw mcpError("invalid_argument", message)
  }
  const [{ createServer }, { answerNode }] = await Promise.all([import("node:http"), import("./node-request.ts")])
  const allowedHosts = [...(options.allowedHosts ?? []), ...(isLocal ? [] : await namesOf(host))]
  const http = make({ ...options, allowedHosts })
  const server = createServer((incoming, outgoing) => {
    void answerNode(incoming, outgoing, async (request) => {
      if (new URL(request.url).pathname === path) return http.handler(request)
      return refusal(404, -32000, `There is nothing here; MCP is at ${path}.`)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const hint = hints[cause.code ?? ""] ?? ""
      const message = `The MCP server cannot listen on ${host}:${port}: ${cause.message}.${hint}`
      reject(mcpError("invalid_argument", message, { cause }))
    })
    server.listen(port, host, resolve)
  })
  const bound = (server.address() as AddressInfo).port
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}${path}`,
    port: bound,
    close: () => closeAll(server, http),
    [Symbol.asyncDispose]: () => closeAll(server, http),
  }
}

const hints: Readonly<Record<string, string>> = {
  EADDRINUSE: " The port is in use: choose another, or 0 for any free one.",
  EACCES: " This process may not have that port: choose one above 1023, or 0 for any free one.",
}

async function closeAll(server: Server, http: McpHttp): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  await http.close()
  server.closeIdleConnections()
  // what is still being answered has its end on the way; nobody waits for slow readers
  const done = new AbortController()
  ambient()
    .sleep(closeMs, done.signal)
    .then(
      () => server.closeAllConnections(),
      () => {},
    )
  await closed
  done.abort()
}

/** How long answers may take to reach their readers when the server closes, in milliseconds. */
const closeMs = 1000

/** The names of this machine that an address stands for. */
async function namesOf(host: string): Promise<readonly string[]> {
  if (host !== "0.0.0.0" && host !== "::") return [host.includes(":") ? `[${host}]` : host]
  const { hostname, networkInterfaces } = await import("node:os")
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  const own = addresses.map(({ address }) => (address.includes(":") ? `[${address.split("%", 1)[0]}]` : address))
  return [hostname(), ...own]
}
