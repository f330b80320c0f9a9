import type { JsonValue } from "@agentscope-ts/message"
import type { Secrets } from "./secrets.ts"
import type { TapeBody, TapePiece, TapeRequest } from "./tape-event.ts"
import { pieceOf } from "./tape-pieces.ts"

/** A request as `fetch` takes it, read: what stands on a tape, and what may still be sent. */
export interface ReadRequest {
  readonly told: TapeRequest
  readonly input: Parameters<typeof globalThis.fetch>[0]
  readonly init: RequestInit | undefined
  readonly signal: AbortSignal | undefined
}

/** Reads a request without using it up. */
export async function readRequest(
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit | undefined,
  secrets: Secrets,
): Promise<ReadRequest> {
  const request = input instanceof Request ? input : undefined
  const headers = new Headers(init?.headers ?? request?.headers)
  secrets.learnHeaders(headers)
  const method = (init?.method ?? request?.method ?? "GET").toUpperCase()
  const url = secrets.url(input instanceof Request ? input.url : input.toString())
  const signal = init?.signal ?? request?.signal
  const { body, send } = await readBody(init?.body ?? undefined, request)
  return {
    told: { method, url, body: body && cleanBody(body, secrets) },
    input,
    init: send === undefined ? init : { ...init, body: send },
    signal: signal ?? undefined,
  }
}

type Read = { readonly body: TapeBody | null; readonly send?: Uint8Array<ArrayBuffer> }

async function readBody(given: RequestInit["body"] | undefined, request: Request | undefined): Promise<Read> {
  if (given === undefined || given === null) {
    if (!request?.body) return { body: null }
    return { body: bodyOf(pieceOf(new Uint8Array(await request.clone().arrayBuffer()))) }
  }
  if (typeof given === "string") return { body: bodyOf(given) }
  if (given instanceof URLSearchParams) return { body: { text: given.toString() } }
  if (given instanceof FormData) return { body: { form: await formOf(given) } }
  const bytes = new Uint8Array(await new Response(given as ConstructorParameters<typeof Response>[0]).arrayBuffer())
  const piece = bodyOf(pieceOf(bytes))
  // a stream is used up
  return given instanceof ReadableStream || Symbol.asyncIterator in Object(given)
    ? { body: piece, send: bytes }
    : { body: piece }
}

async function formOf(form: FormData): Promise<(readonly [string, TapePiece])[]> {
  return Promise.all(
    [...form].map(async ([name, value]) => {
      if (typeof value === "string") return [name, value] as const
      return [`${name} (${value.name})`, pieceOf(new Uint8Array(await value.arrayBuffer()))] as const
    }),
  )
}

function bodyOf(piece: TapePiece): TapeBody {
  if (typeof piece !== "string") return piece
  try {
    return { json: JSON.parse(piece) as JsonValue }
  } catch {
    return { text: piece }
  }
}

function cleanBody(body: TapeBody, secrets: Secrets): TapeBody {
  if ("base64" in body) return body
  if ("text" in body) return { text: secrets.clean(body.text) }
  return secrets.cleanJson(body)
}

/** The path of a URL, with its query in order: what requests are compared by, whatever host they went to. */
export function pathOf(url: string): string {
  const { pathname, searchParams } = new URL(url)
  searchParams.sort()
  const query = searchParams.toString()
  return query === "" ? pathname : `${pathname}?${query}`
}
