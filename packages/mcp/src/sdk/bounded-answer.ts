import { mcpError } from "../error.ts"

/** The longest message over HTTP, in bytes. */
const messageLimit = 64 * 1024 * 1024
const newline = 10
const carriageReturn = 13

/** An answer whose messages end at 64 MiB: what is longer breaks it off. Of a stream, each event counts for itself. */
export function boundedAnswer(response: Response, limit: number = messageLimit): Response {
  if (response.body === null) return response
  const isStream = response.headers.get("content-type")?.toLowerCase().startsWith("text/event-stream")
  let size = 0
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        size = isStream ? sizeOfLastEvent(value, size) : size + value.length
        if (size > limit) {
          await reader.cancel()
          throw mcpError("invalid_response", `The MCP server sent a message of more than ${limit} bytes.`)
        }
        controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}

/** How much of an event there is after this chunk: events end with an empty line. */
function sizeOfLastEvent(chunk: Uint8Array, before: number): number {
  let lines = 0
  for (let at = chunk.length - 1; at >= 0; at--) {
    const byte = chunk[at]
    if (byte === newline) lines += 1
    else if (byte !== carriageReturn) lines = 0
    if (lines === 2) return chunk.length - at
  }
  return before + chunk.length
}
