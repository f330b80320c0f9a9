/** What a {@link memoryFetch} was sent. */
export interface SentRequest {
  readonly url: string
  readonly headers: Headers
  readonly body: string
}

/** How the answer from memory looks; `broken` ends it as a lost connection would. */
export interface MemoryAnswer {
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly pieces: readonly Uint8Array[]
  readonly broken?: boolean | undefined
  /** Called when the reader waits for more than there is; the answer then never ends. */
  readonly onDrained?: (() => void) | undefined
}

/** A `fetch` that answers with the pieces given, the last answer again and again, and keeps what it was sent. */
export function memoryFetch(...answers: readonly MemoryAnswer[]): {
  readonly fetch: typeof globalThis.fetch
  readonly sent: readonly SentRequest[]
} {
  const sent: SentRequest[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = input instanceof Request ? input : undefined
    const body = init?.body ?? (await request?.text()) ?? ""
    const headers = new Headers(init?.headers ?? request?.headers)
    sent.push({
      url: request?.url ?? (input as string | URL).toString(),
      headers,
      body: await new Response(body).text(),
    })
    const answer = answers[Math.min(sent.length, answers.length) - 1] ?? { pieces: [] }
    return new Response(bodyOf(answer), { status: answer.status ?? 200, headers: ofMessage(answer.headers) })
  }
  return { fetch, sent }
}

function bodyOf({ pieces, broken, onDrained }: MemoryAnswer): ReadableStream<Uint8Array> | null {
  if (pieces.length === 0 && !broken && !onDrained) return null
  let next = 0
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const piece = pieces[next++]
    if (piece) controller.enqueue(piece)
    else if (onDrained) onDrained()
    else if (broken) controller.error(new TypeError("terminated"))
    else controller.close()
  }
  // nothing is taken before the reader asks for it
  return new ReadableStream({ pull }, { highWaterMark: 0 })
}

const ofConnection = /^(content-length|content-encoding|transfer-encoding|connection|keep-alive)$/i

const ofMessage = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.test(name)))
