import { ambient, onAbort, untilAbort } from "@agentscope-ts/message"
import { authError, shownUrl } from "./auth-error.ts"

/** How requests to authorization servers are sent. */
export interface AuthRequestContext {
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal
  /** Whether the MCP server itself is on this machine: only then may its metadata name plain http addresses here. */
  readonly loopback: boolean
}

/** An answer, read to its end. `json` is undefined where the body is none. */
export interface AuthResponse {
  readonly status: number
  readonly url: URL
  readonly json: unknown
  /** A web page: what servers show at addresses that they do not know. */
  readonly html: boolean
}

const timeoutMs = 30_000
const maxBytes = 1_048_576
const maxRedirects = 5

/** Whether `url` names this machine. */
export function isLoopback(url: URL): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
}

/** `text` as an address that secrets may be sent to: https, or http to this machine where the MCP server is there too. */
export function safeUrl(text: string | URL, what: string, context: Pick<AuthRequestContext, "loopback">): URL {
  const url = URL.parse(String(text))
  if (url === null) throw authError("auth_metadata", `The ${what} is no URL.`)
  if (url.username !== "" || url.password !== "") {
    throw authError("auth_metadata", `The ${what} ${shownUrl(url)} holds a user name or password; it is not used.`)
  }
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url) && context.loopback)) return url
  throw authError(
    "auth_metadata",
    `The ${what} ${shownUrl(url)} is not safe: only https is used, or http where the MCP server and it are both on this machine.`,
  )
}

/**
 * Sends one request and reads the answer: at most 1 MiB, within 30 seconds, redirects of a GET followed on the same origin
 * only. Any HTTP status is an answer.
 * @throws AgentScopeError `auth_unreachable`, `auth_metadata` (too large, unsafe); the signal's reason when it aborts.
 */
export async function authRequest(
  address: string | URL,
  what: string,
  init: { method?: "GET" | "POST"; headers: Record<string, string>; body?: string },
  context: AuthRequestContext,
): Promise<AuthResponse> {
  let url = safeUrl(address, what, context)
  const limit = new AbortController()
  const off = onAbort(context.signal, () => limit.abort(context.signal.reason))
  const timer = new AbortController()
  const late = () =>
    limit.abort(
      authError("auth_unreachable", `The ${what} ${shownUrl(url)} did not answer within ${timeoutMs / 1000} s.`),
    )
  ambient()
    .sleep(timeoutMs, timer.signal)
    .then(late, () => {})
  try {
    for (let hops = 0; ; hops++) {
      const sent = context.fetch(url, { ...init, redirect: "manual", signal: limit.signal })
      const response = await untilAbort(sent, limit.signal)
      const target = redirectTarget(response, url)
      if (target === undefined) {
        const text = await readText(response, url, what, limit.signal)
        const html = /^text\/html\b/i.test(response.headers.get("content-type") ?? "")
        return { status: response.status, url, json: parsed(text), html }
      }
      void response.body?.cancel().catch(() => {})
      if (init.method === "POST" || hops === maxRedirects || target.origin !== url.origin) {
        throw authError(
          "auth_metadata",
          `The ${what} ${shownUrl(url)} redirects to ${shownUrl(target)}; that is not followed.`,
        )
      }
      url = safeUrl(target, what, context)
    }
  } catch (error) {
    context.signal.throwIfAborted()
    if (limit.signal.aborted) throw limit.signal.reason
    if (typeof error === "object" && error !== null && "code" in error && String(error.code).startsWith("auth_"))
      throw error
    throw authError("auth_unreachable", `The ${what} ${shownUrl(url)} could not be reached.`, { cause: error })
  } finally {
    off()
    timer.abort()
  }
}

function redirectTarget(response: Response, from: URL): URL | undefined {
  const location = [301, 302, 303, 307, 308].includes(response.status) ? response.headers.get("location") : null
  return location !== null && URL.canParse(location, from.href) ? new URL(location, from) : undefined
}

async function readText(response: Response, url: URL, what: string, signal: AbortSignal): Promise<string> {
  if (response.body === null) return ""
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await untilAbort(reader.read(), signal)
      if (done) return text + decoder.decode()
      bytes += value.byteLength
      if (bytes > maxBytes) {
        throw authError("auth_metadata", `The ${what} ${shownUrl(url)} answers with more than ${maxBytes / 1024} KiB.`)
      }
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    void reader.cancel().catch(() => {})
    throw error
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
