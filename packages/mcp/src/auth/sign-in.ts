import { ambient, onAbort, untilAbort } from "@agentscope-ts/message"
import { authError, shownAddress, shownUrl } from "./auth-error.ts"
import { type AuthRequestContext, safeUrl } from "./auth-request.ts"
import type { McpAuthClient } from "./auth-store.ts"
import type { ClientIdentity } from "./client-authentication.ts"
import type { AuthServer } from "./discover.ts"
import type { McpSignIn } from "./mcp-auth.ts"
import { readCallback } from "./read-callback.ts"
import { listenForRedirect, type RedirectListener } from "./redirect-listener.ts"
import { registerClient } from "./register-client.ts"
import { startAuthorization } from "./sdk-auth.ts"
import { requestTokens, type TokenAnswer } from "./token-request.ts"

/**
 * A person signs in: authorization code with PKCE. `registered` is the client of an earlier login; `onRegistered` hears of
 * a new one at once, so that it is kept even if the login fails.
 */
export async function signIn(
  auth: McpSignIn,
  server: AuthServer,
  scope: string | undefined,
  registered: McpAuthClient | undefined,
  onRegistered: (client: McpAuthClient) => Promise<void>,
  context: AuthRequestContext,
): Promise<TokenAnswer> {
  const endpoint = authorizationEndpoint(server, context)
  const listener = auth.redirectUrl === undefined ? await listenForRedirect(auth.redirectPort) : undefined
  try {
    const redirectUrl = listener?.redirectUrl ?? auth.redirectUrl ?? ""
    let client = knownClient(auth, server, registered, redirectUrl)
    if (client === undefined) {
      const fresh = await registerClient(server, { name: auth.clientName ?? "AgentScope", redirectUrl, scope }, context)
      await onRegistered(fresh)
      client = fresh
    }
    const state = randomState()
    const { authorizationUrl, codeVerifier } = await startAuthorization(server.issuer, {
      metadata: {
        issuer: server.issuer,
        authorization_endpoint: endpoint.href,
        token_endpoint: server.tokenEndpoint,
        response_types_supported: ["code"],
      },
      clientInformation: { client_id: client.clientId },
      redirectUrl,
      state,
      ...(scope !== undefined && { scope }),
      ...(server.resource !== undefined && { resource: server.resource }),
    })
    const back = await askPerson(auth, authorizationUrl, listener, state, context.signal)
    const { issuer, namesIssuer, resource } = server
    const code = readCallback(back, { redirectUrl, state, issuer, namesIssuer })
    const grant = {
      grant_type: "authorization_code",
      code,
      code_verifier: codeVerifier,
      redirect_uri: redirectUrl,
      resource,
    }
    return await requestTokens(server, client, grant, context)
  } finally {
    listener?.close()
  }
}

/** The client that needs no registration: given, known by its metadata document, or registered before for this redirect address. */
export function knownClient(
  auth: McpSignIn,
  server: AuthServer,
  registered: McpAuthClient | undefined,
  redirectUrl?: string,
): ClientIdentity | undefined {
  const { clientId, clientSecret, privateKey, clientMetadataUrl } = auth
  if (clientId !== undefined) return { clientId, clientSecret, privateKey }
  if (clientMetadataUrl !== undefined && server.readsClientMetadata) return { clientId: clientMetadataUrl, privateKey }
  if (registered === undefined || (registered.expiresAt ?? Infinity) <= ambient().now()) return undefined
  return redirectUrl === undefined || registered.redirectUris?.includes(redirectUrl) ? registered : undefined
}

function authorizationEndpoint(server: AuthServer, context: AuthRequestContext): URL {
  const lacks = (what: string) =>
    authError(
      "auth_unsupported",
      `The authorization server ${shownAddress(server.issuer)} ${what}; a login there would not be safe or possible.`,
    )
  if (server.authorizationEndpoint === undefined) throw lacks("has no authorization endpoint")
  if (server.responseTypes !== undefined && !server.responseTypes.includes("code"))
    throw lacks("gives no authorization codes")
  if (server.pkceMethods !== undefined && !server.pkceMethods.includes("S256")) {
    throw lacks("does not say that it checks PKCE with S256")
  }
  return safeUrl(server.authorizationEndpoint, "authorization endpoint", context)
}

async function askPerson(
  auth: McpSignIn,
  url: URL,
  listener: RedirectListener | undefined,
  state: string,
  outer: AbortSignal,
): Promise<string | URL> {
  const ended = new AbortController()
  const off = onAbort(outer, () => ended.abort(outer.reason))
  const timeoutMs = auth.timeoutMs ?? 300_000
  const late = () =>
    ended.abort(authError("auth_denied", `Nobody finished the login at ${shownUrl(url)} within ${timeoutMs / 1000} s.`))
  ambient()
    .sleep(timeoutMs, ended.signal)
    .then(late, () => {})
  try {
    const arrival = listener?.arrival(state)
    const asked = (async () => {
      const answer = await auth.onRedirect(url, { signal: ended.signal })
      if (answer !== undefined) return answer
      if (arrival !== undefined) return arrival
      throw authError(
        "invalid_auth",
        `"onRedirect" gave nothing: with "redirectUrl" it must give the address that the browser was sent back to, or the code.`,
      )
    })()
    return await untilAbort(arrival === undefined ? asked : Promise.race([arrival, asked]), ended.signal)
  } finally {
    off()
    // ends the timer, and tells onRedirect that the login is over
    ended.abort()
  }
}

function randomState(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
}
