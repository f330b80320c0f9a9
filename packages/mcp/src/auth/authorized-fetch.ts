import { authError, shownUrl } from "./auth-error.ts"
import type { AuthSession, TokenSource } from "./auth-session.ts"
import { readChallenge } from "./challenge.ts"

/** How often one request may have its token renewed: found, refreshed, a login, and two steps up. */
const maxRenewals = 4

/**
 * `fetch` with the session's token for requests to the server's own origin. When the server refuses the token (401, or 403 with
 * `insufficient_scope`) it is renewed and the request sent again, a bounded number of times.
 */
export function authorizedFetch(session: AuthSession, base: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const request = input instanceof Request ? await replayable(input, init) : { url: new URL(input), init: init ?? {} }
    if (request.url.origin !== session.serverUrl.origin) return base(input, init)
    return send(session, base, request.url, request.init)
  }
}

async function send(
  session: AuthSession,
  base: typeof globalThis.fetch,
  url: URL,
  init: RequestInit,
): Promise<Response> {
  const signal = init.signal ?? undefined
  let source: TokenSource | undefined
  for (let renewals = 0; ; renewals++) {
    const refused = await session.token(base, signal)
    const headers = new Headers(init.headers)
    if (refused !== undefined) headers.set("authorization", `Bearer ${refused}`)
    // a token never follows a redirect by itself: the transport decides, and asks for the next address through here
    const response = await base(url, { redirect: "manual", ...init, headers })
    const { status } = response
    if (status !== 401 && status !== 403) return response
    const challenge = readChallenge(response.headers.get("www-authenticate"))
    if (status === 403 && challenge.error !== "insufficient_scope") return response
    // the end of a session is worth no login, and a stream cannot be sent twice
    if (init.method === "DELETE" || init.body instanceof ReadableStream) return response
    void response.body?.cancel().catch(() => {})
    if (renewals === maxRenewals || (status === 401 && source === "login")) throw rejected(url, status)
    source = await session.renew({ refused, status, challenge, anew: source === "refresh" }, base, signal)
  }
}

const rejected = (url: URL, status: number) =>
  authError(
    "auth_rejected",
    `${shownUrl(url)} refuses the token that its own authorization server just gave (HTTP ${status}).`,
    {
      details: { status },
    },
  )

async function replayable(input: Request, init: RequestInit | undefined): Promise<{ url: URL; init: RequestInit }> {
  const request = new Request(input, init)
  const { method, headers, signal, redirect } = request
  const body = request.body === null ? undefined : await request.arrayBuffer()
  return { url: new URL(request.url), init: { method, headers, signal, redirect, ...(body && { body }) } }
}
