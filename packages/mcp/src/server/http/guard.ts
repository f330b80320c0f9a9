import { mcpError } from "../../error.ts"
import type { McpHttpOptions } from "./mcp-http-options.ts"
import { refusal } from "./refusal.ts"

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"])

/** Whether a host name (no port) is this machine's own loopback. */
export function isLoopback(name: string): boolean {
  return loopback.has(name) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
}

/** The name of a `Host` header, in small letters and without its port; `undefined` for what is none. */
function nameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase()
}

/**
 * Keeps out whoever has no business here: names that are not the server's own (DNS rebinding), pages of other sites, and,
 * where there is a token, those without it.
 */
export class Guard {
  readonly #hosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>
  readonly #token: McpHttpOptions["token"]

  /** Throws `invalid_argument` when the server could be reached beyond this machine by anybody. */
  constructor({ allowedHosts = [], allowedOrigins = [], token }: McpHttpOptions) {
    this.#hosts = new Set(allowedHosts.map((host) => host.toLowerCase()))
    this.#origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, "")))
    this.#token = token
    const open = allowedHosts.find((host) => !isLoopback(nameOf(host.toLowerCase()) ?? ""))
    if (token === "") throw mcpError("invalid_argument", "The token is empty: anybody has that one.")
    if (open !== undefined && token === undefined) {
      const message = `The server can be called as "${open}", beyond this machine, and has no token: give one, or token: () => true where something in front of it keeps others out.`
      throw mcpError("invalid_argument", message)
    }
  }

  /** The answer to a request that may not come in. */
  async refuse(request: Request): Promise<Response | undefined> {
    const host = request.headers.get("host") ?? new URL(request.url).host
    if (!this.#isOwnHost(host)) {
      return refusal(403, -32000, `This server is not called "${host}". Its operator can name it in allowedHosts.`)
    }
    const origin = request.headers.get("origin")
    if (origin !== null && !this.#isOwnOrigin(origin)) {
      return refusal(
        403,
        -32000,
        `Pages of "${origin}" may not call this server. Its operator can name them in allowedOrigins.`,
      )
    }
    // a preflight has no token, and gets nothing
    if (this.#token === undefined || request.method === "OPTIONS") return undefined
    const given = /^bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1]
    if (given !== undefined && (await this.#isRight(given, request))) return undefined
    const headers = { "WWW-Authenticate": given === undefined ? "Bearer" : 'Bearer error="invalid_token"' }
    return refusal(401, -32000, "This server wants a token: Authorization: Bearer …", headers)
  }

  /** The headers by which a browser shows the answer to a page of another site that was named. */
  corsHeaders(request: Request): Readonly<Record<string, string>> {
    const origin = request.headers.get("origin")
    if (origin === null || !this.#origins.has(origin.toLowerCase())) return {}
    return {
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Allow-Methods": "GET, POST, DELETE",
      "Access-Control-Allow-Headers":
        "Authorization, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Last-Event-ID",
      "Access-Control-Expose-Headers": "Mcp-Session-Id, WWW-Authenticate",
      "Access-Control-Max-Age": "600",
      Vary: "Origin",
    }
  }

  #isOwnHost(host: string): boolean {
    const name = nameOf(host)
    return name !== undefined && (isLoopback(name) || this.#hosts.has(name) || this.#hosts.has(host.toLowerCase()))
  }

  #isOwnOrigin(origin: string): boolean {
    if (this.#origins.has(origin.toLowerCase())) return true
    const url = URL.parse(origin)
    return url !== null && /^https?:$/.test(url.protocol) && this.#isOwnHost(url.host)
  }

  async #isRight(given: string, request: Request): Promise<boolean> {
    if (typeof this.#token === "function") return this.#token(given, request)
    return sameText(given, this.#token ?? "")
  }
}

/** Whether two texts are equal, in a time that does not tell where they differ. */
function sameText(left: string, right: string): boolean {
  const [a, b] = [new TextEncoder().encode(left), new TextEncoder().encode(right)]
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i % b.length] ?? 0)
  return difference === 0
}
