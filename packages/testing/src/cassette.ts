import { readFileSync } from "node:fs"
import { testingError } from "./testing-error.ts"

/**
 * A recorded HTTP interchange with a model provider, as stored in a cassette file. `api` names the wire format, such as
 * `openai-chat`; `response.body` is the raw text, for a stream with its SSE or NDJSON framing.
 */
export interface Cassette {
  readonly file?: string | undefined
  readonly provider: string
  readonly api: string
  readonly model: string | null
  readonly categories: readonly string[]
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown }
  readonly response: {
    readonly status: number
    readonly headers?: Readonly<Record<string, string>> | undefined
    readonly body: string
  }
  /** What a right reading of the response gives. */
  readonly expect?: unknown
}

/** The end of the request path by which a wire format is known, whatever stands before it. */
const pathEnds: Readonly<Record<string, string>> = {
  "openai-chat": "/chat/completions",
  "openai-responses": "/responses",
  "anthropic-messages": "/messages",
  "gemini-generate": ":generateContent",
  "gemini-stream": ":streamGenerateContent",
  "dashscope-generation": "/text-generation/generation",
  "dashscope-multimodal": "/multimodal-generation/generation",
  "ollama-chat": "/api/chat",
}

/** @throws AgentScopeError `invalid_cassette` when the file cannot be read or is no cassette. */
export function loadCassette(source: string | Cassette): Cassette {
  if (typeof source !== "string") return checked(source, "The cassette given")
  let value: unknown
  try {
    value = JSON.parse(readFileSync(source, "utf8"))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw testingError("invalid_cassette", `The cassette ${source} cannot be read: ${why}`, { cause })
  }
  return { ...checked(value, `The file ${source}`), file: source }
}

function checked(value: unknown, name: string): Cassette {
  const { api, request, response } = (value ?? {}) as Partial<Cassette>
  const right =
    typeof api === "string" &&
    typeof request?.method === "string" &&
    typeof request.path === "string" &&
    typeof response?.status === "number" &&
    typeof response.body === "string"
  if (right) return value as Cassette
  throw testingError(
    "invalid_cassette",
    `${name} is no cassette: it needs api, request { method, path } and response { status, body } with body as text.`,
  )
}

/** Whether the cassette answers this request: same method, and the same path or the path of its wire format under any base. */
export function answers(cassette: Cassette, method: string, url: string): boolean {
  if (cassette.request.method !== method) return false
  const path = withoutQuery(url)
  if (path === withoutQuery(cassette.request.path)) return true
  const end = pathEnds[cassette.api]
  return end !== undefined && path.endsWith(end)
}

const withoutQuery = (path: string): string => path.split("?", 1)[0] ?? path

/** Whether each line of the body is one event, as against SSE, where a blank line ends one. */
export function isNdjson(cassette: Cassette): boolean {
  return cassette.api === "ollama-chat" || (cassette.response.headers?.["content-type"]?.includes("ndjson") ?? false)
}
