import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"

/** Answers a request of Node's server by a handler of web requests, no faster than the client reads. */
export async function answerNode(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handler: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController()
  const onGone = (): void => gone.abort()
  // the response: a request closes as soon as its body was read
  outgoing.once("close", onGone)
  let answer: Response | undefined
  try {
    answer = await handler(requestOf(incoming, gone.signal))
    if (gone.signal.aborted) return await answer.body?.cancel()
    const headers = Object.fromEntries(answer.headers)
    // what was not read of a body stands in the way of the next request
    if (!incoming.complete) headers["connection"] = "close"
    outgoing.writeHead(answer.status, headers)
    if (answer.body === null) outgoing.end()
    else await pump(answer.body.getReader(), outgoing, gone.signal)
  } catch {
    outgoing.destroy()
  } finally {
    outgoing.off("close", onGone)
  }
}

async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  outgoing: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const onGone = (): void => void reader.cancel().catch(() => {})
  gone.addEventListener("abort", onGone, { once: true })
  try {
    outgoing.flushHeaders()
    for (;;) {
      const { done, value } = await reader.read()
      if (done || gone.aborted) break
      if (outgoing.write(value)) continue
      await new Promise<void>((resolve) => {
        const next = (): void => {
          outgoing.off("drain", next)
          outgoing.off("close", next)
          resolve()
        }
        outgoing.on("drain", next)
        outgoing.on("close", next)
      })
    }
    outgoing.end()
  } finally {
    gone.removeEventListener("abort", onGone)
  }
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
    const [name = "", value = ""] = incoming.rawHeaders.slice(i, i + 2)
    headers.append(name, value)
  }
  const { method = "GET", url = "/" } = incoming
  const hasBody = method !== "GET" && method !== "HEAD"
  return new Request(new URL(url, "http://localhost"), {
    method,
    headers,
    signal,
    ...(hasBody && {
      body: Readable.toWeb(incoming),
      duplex: "half",
    }),
  })
}
