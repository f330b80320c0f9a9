/** What a vendor's SDK answers a call with: its own objects, or the raw response. */
export interface SdkAnswer {
  asResponse(): Promise<Response>
  withResponse?(): Promise<{ data: unknown }>
}

/** The response that an SDK had, to be read by us; of a binary stream, which only the SDK reads, its events. */
export async function sdkResponse(answer: SdkAnswer): Promise<Response> {
  const response = await answer.asResponse()
  const isBinary = /amazon\.eventstream/.test(response.headers.get("content-type") ?? "")
  if (!isBinary || !answer.withResponse) return response
  return eventResponse((await answer.withResponse()).data as AsyncIterable<{ type?: string }>)
}

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
