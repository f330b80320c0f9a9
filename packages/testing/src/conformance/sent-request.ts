import { type ChatRequest, type ChatStreamSink, withRetry } from "@agentscope-ts/model"
import type { Cassette } from "../cassette.ts"
import { memoryFetch, type SentRequest } from "./answer-from-memory.ts"
import { pixel } from "./call.ts"
import type { ModelConformanceSuite } from "./model-suite.ts"
import { must, told } from "./expectation.ts"

/** A picture of the web, which a model may name or fetch. */
export const pictureUrl = "https://pictures.example/red-door-4711.png"

/** What became of a request: what went out, and what the caller was told. */
export interface Outgone {
  /** All of the request but its answer: address, headers and body in one text. */
  readonly whole: string
  readonly body: string
  /** Warnings, or the error by which the model refused to send it. */
  readonly words: readonly string[]
}

/** Makes one request of a model under test, whatever is answered. */
export type SendOnce = (request: ChatRequest, streaming?: boolean) => Promise<Outgone>

/** Sends requests that are answered with the cassette; pictures are there to be fetched. */
export function sendingTo(suite: ModelConformanceSuite, cassette: Cassette): SendOnce {
  const { status, headers, body } = cassette.response
  return async (request, streaming = false) => {
    const memory = memoryFetch({ status, headers, pieces: [Buffer.from(body)] })
    const fetch: typeof globalThis.fetch = async (input, init) =>
      addressOf(input) === pictureUrl ? pictureAnswer() : memory.fetch(input, init)
    const model = withRetry(suite.create({ url: "http://127.0.0.1:9", fetch, live: false, cassette }), {
      maxRetries: 0,
    })
    const words: string[] = []
    const sink: ChatStreamSink = { onWarning: ({ code, message }) => void words.push(`${code}: ${message}`) }
    try {
      await (streaming ? model.stream(request).drive(sink) : model.generate(request, sink))
    } catch (error) {
      // once it is sent, the answer may be what it likes
      if (memory.sent.length === 0) words.push(told(error))
    }
    const [sent] = memory.sent
    must(sent !== undefined || words.length > 0, "no request was sent through `fetch`")
    return { whole: sent ? wholeOf(sent) : "", body: sent?.body ?? "", words }
  }
}

/** Whether a text stands in the body, within other texts too. */
export function says({ body }: Outgone, text: string): boolean {
  return body.includes(JSON.stringify(text).slice(1, -1))
}

/** Whether a number or a text stands in the body as a value of its own. */
export function hasValue(outgone: Outgone, value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => hasValue(outgone, item))
  if (typeof value === "string") return says(outgone, value)
  return new RegExp(`(?<![\\w.])${JSON.stringify(value).replace(".", "\\.")}(?![\\w.])`).test(outgone.body)
}

/** Whether a warning names what it is about, in its code or its message: `topP`, or `top_p`. */
export function warnsOf({ words }: Outgone, name: string): boolean {
  const bare = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, "")
  return words.some((text) => bare(text).includes(bare(name)))
}

/** How often a text stands in the body. */
export const timesOf = ({ body }: Outgone, text: string): number => body.split(text).length - 1

const addressOf = (input: Parameters<typeof globalThis.fetch>[0]): string =>
  input instanceof Request ? input.url : input.toString()

const pictureAnswer = (): Response =>
  new Response(Buffer.from(pixel, "base64"), { headers: { "content-type": "image/png" } })

const wholeOf = ({ url, headers, body }: SentRequest): string => JSON.stringify([url, [...headers], body])
