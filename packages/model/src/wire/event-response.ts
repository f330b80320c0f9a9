/**
 * The events of a vendor's SDK told again as an event stream: for endpoints whose own stream is binary, which only the SDK
 * reads. An event's `type` becomes its name.
 */
export function eventResponse(events: AsyncIterable<{ readonly type?: string }>): Response {
  const encoder = new TextEncoder()
  const iterator = events[Symbol.asyncIterator]()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) return controller.close()
      const name = value.type === undefined ? "" : `event: ${value.type}\n`
      controller.enqueue(encoder.encode(`${name}data: ${JSON.stringify(value)}\n\n`))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}
