import type { ServerResponse } from "node:http"
import type { Cassette } from "./cassette.ts"
import type { ReplayOptions } from "./replay-options.ts"
import { splitBody } from "./split-body.ts"

/** Headers that describe the recorded connection, not the message. */
const ofTheConnection = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "date",
  "keep-alive",
  "transfer-encoding",
])

/** Sends a recorded answer piece by piece, and stalls or cuts it where the options say so. */
export async function sendReply(
  response: ServerResponse,
  recorded: Cassette["response"],
  ndjson: boolean,
  options: ReplayOptions,
): Promise<void> {
  const body = Buffer.from(recorded.body, "utf8")
  const split = { seed: options.seed ?? 1, maxChunk: options.maxChunk ?? 40, ndjson }
  const cut = cutAt(body, ndjson, options)
  const stall = options.stallAfterBytes ?? Number.POSITIVE_INFINITY
  const end = Math.min(body.length, cut, stall)

  response.socket?.setNoDelay(true)
  response.writeHead(recorded.status, headersOf(recorded))
  response.flushHeaders()
  const pieces = splitBody(body.subarray(0, end), { ...split, chunking: options.chunking ?? "event" })
  for (const [i, piece] of pieces.entries()) {
    if (i > 0) await pause(options.delayMs ?? 0)
    if (response.destroyed) return
    await write(response, piece)
  }
  if (stall <= cut && stall <= body.length) return // the socket stays open until the client or close() ends it
  if (cut <= body.length && options.disconnectMode !== "end") response.destroy()
  else response.end()
}

function headersOf(recorded: Cassette["response"]): Record<string, string> {
  const entries = Object.entries(recorded.headers ?? {})
  return Object.fromEntries(entries.filter(([name]) => !ofTheConnection.has(name.toLowerCase())))
}

/** The offset at which the connection is to be cut; infinite when it is not. */
function cutAt(body: Buffer, ndjson: boolean, options: ReplayOptions): number {
  let cut = options.disconnectAfterBytes ?? Number.POSITIVE_INFINITY
  if (options.disconnectAfterEvents !== undefined) {
    const events = splitBody(body, { chunking: "event", seed: 1, maxChunk: 1, ndjson })
    const kept = events.slice(0, options.disconnectAfterEvents)
    cut = Math.min(
      cut,
      kept.reduce((sum, event) => sum + event.length, 0),
    )
  }
  return cut
}

/** Resolves once the piece has left for the socket: what was written before a cut must arrive. */
const write = (response: ServerResponse, piece: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    response.write(piece, (error) => (error ? reject(error) : resolve()))
  })

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    if (ms > 0) setTimeout(resolve, ms)
    else setImmediate(resolve)
  })
