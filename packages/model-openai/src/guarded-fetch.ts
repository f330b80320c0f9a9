import { malformed } from "@agentscope-ts/model/wire"

/** The longest answer, in bytes. */
const mostBytes = 128 * 1024 * 1024

/**
 * A `fetch` for the official client, which itself follows redirects and reads answers of any length: what a person says or
 * shows goes to the address that the program gave and to no other, and an answer that gets too long breaks off.
 */
export function guardedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => bounded(await fetch(input, { ...init, redirect: "manual" }))
}

function bounded(response: Response): Response {
  const { body, headers, status, statusText } = response
  if (!body) return response
  let size = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length
      if (size <= mostBytes) controller.enqueue(chunk)
      else controller.error(malformed(`The answer is longer than ${mostBytes} bytes: it was given up.`))
    },
  })
  return new Response(body.pipeThrough(counter), { headers, status, statusText })
}

/** Whether what came as a success is a page, such as that of a gateway. */
export const isPage = (text: string): boolean => /^\s*<(?:!doctype|html|head|body|\?xml)\b/i.test(text)
