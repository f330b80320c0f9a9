import type { IncomingMessage, ServerResponse } from "node:http"
import { rpcError } from "../incoming.ts"

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
    // a stream that was given up, or a judge of tokens that threw: what it was is nobody's business outside
    if (outgoing.headersSent) outgoing.destroy()
    else {
      const body = JSON.stringify(rpcError(-32603, "The request could not be answered."))
      outgoing.writeHead(500, { "content-type": "application/json", connection: "close" }).end(body)
    }
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
  // HTTP/1.0 needs no Host; whoever leaves it out is not taken at his word for the name either
  if (!headers.has("host")) headers.set("host", "")
  const { method = "GET", url = "/" } = incoming
  const hasBody = method !== "GET" && method !== "HEAD"
  return new Request(new URL(url, "http://localhost"), {
    method,
    headers,
    signal,
    ...(hasBody && {
      body: bodyOf(incoming),
      duplex: "half",
    }),
  })
}

/**
 * The body of a request. Not `Readable.toWeb`: what arrives after that one was cancelled throws where nobody catches it, and
 * a client could bring the process down with a body that is too long.
 */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let stop = (): void => {}
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const onData = (chunk: Buffer): void => {
          controller.enqueue(new Uint8Array(chunk))
          incoming.pause()
        }
        const onEnd = (): void => {
          stop()
          controller.close()
        }
        const onError = (): void => {
          stop()
          controller.error(new DOMException("The request broke off.", "AbortError"))
        }
        stop = () => {
          incoming.off("data", onData).off("end", onEnd).off("error", onError).off("close", onError)
          // a request that is destroyed later must not bring the process down
          incoming.on("error", () => {})
        }
        incoming.on("data", onData).on("end", onEnd).on("error", onError).on("close", onError)
        incoming.pause()
      },
      pull: () => void incoming.resume(),
      cancel: () => {
        stop()
        // the rest is thrown away as it comes, so that the client gets to read the answer
        incoming.resume()
      },
    },
    { highWaterMark: 0 },
  )
}
