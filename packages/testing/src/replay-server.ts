import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { answers, type Cassette, isNdjson } from "./cassette.ts"
import { loadCassettes } from "./load-cassettes.ts"
import type { ReplayOptions } from "./replay-options.ts"
import { sendReply } from "./replay-reply.ts"
import { checkChunking } from "./split-body.ts"
import { testingError } from "./testing-error.ts"

/** A request that a {@link ReplayServer} got. `body` is parsed JSON where it parses, else text; `cassette` is the file served. */
export interface ReplayedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
  readonly cassette?: string
}

/** A running replay server. */
export interface ReplayServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`; add the base path that the client under test expects. */
  readonly url: string
  /** Every request so far, also those that were dropped or failed on purpose. */
  readonly requests: readonly ReplayedRequest[]
  /** How many connections are open now: none, where a client gave one up and closed it. */
  readonly openConnections: number
  /** Closes the server and every connection. */
  close(): Promise<void>
}

/**
 * Answers on the loopback address with recorded interchanges (files, folders with all below them, an `index.json` that lists
 * files, or cassettes themselves), byte for byte. A cassette answers requests of its method to the
 * path of its wire format under any base path; several that fit are served in the order given. A request that none answers
 * gets 404 with an error of type `replay_no_match`.
 * @throws AgentScopeError `invalid_cassette` for a file that cannot be read or is no cassette, `invalid_option` for an unknown
 * `chunking`.
 */
export async function startReplayServer(
  cassettes: string | Cassette | readonly (string | Cassette)[],
  options: ReplayOptions = {},
): Promise<ReplayServer> {
  if (options.chunking !== undefined) checkChunking(options.chunking)
  const list = loadCassettes(cassettes)
  const sources = [cassettes].flat()
  // an empty list is somebody's who wants nothing but failures; a folder without any is a wrong path
  if (list.length === 0 && sources.length > 0) {
    const paths = sources.filter((source) => typeof source === "string")
    throw testingError("invalid_cassette", `There is no cassette in ${paths.join(", ")}: check the path.`)
  }
  const used = new Set<Cassette>()
  const requests: ReplayedRequest[] = []
  const sockets = new Set<Socket>()
  let drops = options.dropFirst ?? 0
  let failures = options.failFirst ?? 0

  const pick = (method: string, path: string): Cassette | undefined => {
    const fitting = list.filter((cassette) => answers(cassette, method, path))
    const picked = fitting.find((cassette) => !used.has(cassette)) ?? (options.once ? undefined : fitting.at(-1))
    if (picked) used.add(picked)
    return picked
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const method = request.method ?? ""
    const path = request.url ?? ""
    const entry = { method, path, headers: request.headers, body: await bodyOf(request) }
    const fault = drops > 0 ? "drop" : failures > 0 ? "fail" : undefined
    const cassette = fault ? undefined : pick(method, path)
    requests.push(cassette?.file === undefined ? entry : { ...entry, cassette: cassette.file })
    if (fault === "drop") {
      drops--
      request.socket.destroy()
    } else if (fault === "fail") {
      failures--
      sendError(response, options.failStatus ?? 503, "server_error", "replay: planned failure")
    } else if (cassette === undefined) {
      sendError(response, 404, "replay_no_match", `replay: no cassette for ${method} ${path}`)
    } else {
      await sendReply(response, cassette.response, isNdjson(cassette), options)
    }
  }

  const server = createServer((request, response) => {
    // a client that goes away in the middle is not this server's error
    serve(request, response).catch(() => response.destroy())
  })
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => {})
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port ?? 0, "127.0.0.1", resolve)
  })
  const close = async (): Promise<void> => {
    if (!server.listening) return
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get openConnections() {
      return sockets.size
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const text = Buffer.concat(parts).toString("utf8")
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function sendError(response: ServerResponse, status: number, type: string, message: string): void {
  // "retry-after: 0" so that a client under test repeats at once
  response.writeHead(status, { "content-type": "application/json", "retry-after": "0" })
  response.end(JSON.stringify({ error: { message, type, code: status } }))
}
