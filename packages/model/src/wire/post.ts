import { parseJson, malformed } from "./malformed.ts"
import { httpError } from "./http-error.ts"
import { wireJson } from "./json.ts"
import { NdjsonReader } from "./ndjson.ts"
import { withoutSecrets } from "./secrets.ts"
import { type SseEvent, SseReader } from "./sse.ts"
import { type Target, targetOf } from "./target.ts"
import type { Exchange, ResponseHeaders, SendOptions, Transport } from "./exchange.ts"
import { transportOf } from "./transport.ts"
import { Utf8Decoder } from "./utf8.ts"

/** Options of a POST. */
export interface PostOptions extends SendOptions {
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** Replaces the transport. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Takes the decoded text of a successful answer, piece by piece. */
export interface TextReader {
  push(piece: string): void
  /** The body has ended as it should. */
  end(): void
  /** See {@link Exchange.graceMs}. */
  readonly graceMs?: number | undefined
}

/** How much of the body of an error is kept. */
const maxErrorBody = 256 * 1024
/** The longest answer that is read whole. */
const maxJsonBody = 64 * 1024 * 1024

class Answer implements Exchange {
  readonly #target: Target
  readonly #reader: TextReader
  readonly #decoder = new Utf8Decoder()
  #status = 0
  #headers: () => ResponseHeaders = () => ({})
  #errorBody = ""

  constructor(target: Target, reader: TextReader) {
    this.#target = target
    this.#reader = reader
  }

  get graceMs(): number | undefined {
    return this.#reader.graceMs
  }

  get #ok(): boolean {
    return this.#status >= 200 && this.#status < 300
  }

  onHead(status: number, headers: () => ResponseHeaders): void {
    this.#status = status
    this.#headers = headers
    if (status >= 300 && status < 400) throw this.#error()
  }

  onBytes(bytes: Uint8Array): void {
    this.#push(this.#decoder.write(bytes))
  }

  #push(piece: string): void {
    if (piece === "") return
    if (this.#ok) return this.#reader.push(piece)
    this.#errorBody += piece
    if (this.#errorBody.length > maxErrorBody) throw this.#error()
  }

  end(): void {
    this.#push(this.#decoder.end())
    if (!this.#ok) throw this.#error()
    this.#reader.end()
  }

  #error(): Error {
    return httpError({
      label: this.#target.label,
      status: this.#status,
      headers: this.#headers(),
      body: withoutSecrets(this.#errorBody, this.#target),
    })
  }
}

/**
 * Sends a body and gives the text of a successful answer to the reader; any other status is thrown as
 * {@link httpError}. Every failure is an `AgentScopeError`, but for what the reader throws itself.
 */
export function postBody(
  transport: Transport,
  target: Target,
  body: Uint8Array,
  reader: TextReader,
  options: SendOptions = {},
): Promise<void> {
  const answer = new Answer(target, reader)
  return transport.post(target, body, answer, options).then(() => answer.end())
}

function post(url: string, body: unknown, reader: TextReader, options: PostOptions): Promise<void> {
  const bytes = new TextEncoder().encode(wireJson(body))
  return postBody(transportOf(options.fetch), targetOf(url, options.headers), bytes, reader, options)
}

/** Collects a text up to a limit. */
export class TextCollector implements TextReader {
  text = ""
  readonly #limit: number

  /** `limit`: in UTF-16 units; a longer answer is an error, `malformed_response`. */
  constructor(limit = maxJsonBody) {
    this.#limit = limit
  }

  push(piece: string): void {
    this.text += piece
    if (this.text.length > this.#limit) {
      throw malformed(`The answer is longer than ${this.#limit} characters: it was given up.`)
    }
  }

  end(): void {
    if (this.text.charCodeAt(0) === 0xfeff) this.text = this.text.slice(1)
  }
}

/**
 * Posts JSON and answers with the parsed JSON of the response. Errors: `AgentScopeError`s with the code that the
 * provider's answer stands for, `network`, `timeout`, `malformed_response`, `aborted`.
 */
export async function postJson(url: string, body: unknown, options: PostOptions = {}): Promise<unknown> {
  const reader = new TextCollector()
  await post(url, body, reader, { ...options, headers: { accept: "application/json", ...options.headers } })
  return parseJson(reader.text, `The answer of ${targetOf(url).label}`)
}

/**
 * Posts JSON and hands over each event of the event stream that comes back, but not the `[DONE]` at the end of some. What
 * `onEvent` throws ends the request.
 */
export async function postSse(
  url: string,
  body: unknown,
  onEvent: (event: SseEvent) => void,
  options: PostOptions = {},
): Promise<void> {
  const reader = new EventReader(onEvent)
  await post(url, body, reader, { ...options, headers: { accept: "text/event-stream", ...options.headers } })
}

/** `[DONE]` is how some streams say that they are over: the body then has a moment to end. */
class EventReader extends SseReader implements TextReader {
  graceMs: number | undefined

  constructor(onEvent: (event: SseEvent) => void) {
    super((text, from, to, event) => {
      const data = text.slice(from, to)
      if (data === "[DONE]") this.graceMs = 250
      else onEvent(event === "" ? { data } : { event, data })
    })
  }
}

/** Posts JSON and hands over each value of the newline-delimited JSON that comes back. */
export async function postNdjson(
  url: string,
  body: unknown,
  onLine: (line: unknown) => void,
  options: PostOptions = {},
): Promise<void> {
  await post(url, body, new NdjsonReader(onLine), {
    ...options,
    headers: { accept: "application/x-ndjson", ...options.headers },
  })
}
