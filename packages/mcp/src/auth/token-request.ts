import { ambient } from "@agentscope-ts/message"
import { authError, shownUrl, shownWords } from "./auth-error.ts"
import { type AuthRequestContext, authRequest } from "./auth-request.ts"
import type { McpAuthTokens } from "./auth-store.ts"
import { authenticateClient, type ClientIdentity, type TokenEndpoint } from "./client-authentication.ts"

/** What a token endpoint granted. */
export interface TokenAnswer extends Omit<McpAuthTokens, "requestedScope"> {
  readonly issuedTokenType?: string
}

/**
 * Asks a token endpoint for tokens.
 * @throws AgentScopeError `auth_denied` (`details.error`: the OAuth code), `auth_unreachable`, `auth_metadata`.
 */
export async function requestTokens(
  server: TokenEndpoint,
  client: ClientIdentity,
  parameters: Readonly<Record<string, string | undefined>>,
  context: AuthRequestContext,
  tokenType: "bearer" | "n_a" = "bearer",
): Promise<TokenAnswer> {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) params.set(name, value)
  const headers: Record<string, string> = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  }
  await authenticateClient(client, server, headers, params)
  const init = { method: "POST", headers, body: params.toString() } as const
  const { status, json, url } = await authRequest(server.tokenEndpoint, "token endpoint", init, context)
  const answer = (typeof json === "object" && json !== null ? json : {}) as Readonly<Record<string, unknown>>
  const where = `The token endpoint ${shownUrl(url)}`
  // some servers tell a refusal with HTTP 200
  if (status < 200 || status > 299 || typeof answer["error"] === "string") {
    if (status >= 500 || status === 429) throw authError("auth_unreachable", `${where} answers with HTTP ${status}.`)
    const secrets = [...params.values(), client.clientSecret ?? ""].filter((value) => !notSecret.has(value))
    throw refusal(`${where} refuses (${parameters["grant_type"]})`, status, answer, secrets)
  }
  const accessToken = answer["access_token"]
  const type = typeof answer["token_type"] === "string" ? answer["token_type"].toLowerCase() : ""
  // a token that fits no header would be quoted by the error of whoever sends it
  if (typeof accessToken !== "string" || !/^[\x21-\x7e]+$/.test(accessToken)) {
    throw authError("auth_metadata", `${where} answers without a usable "access_token".`)
  }
  if (type !== tokenType) {
    throw authError(
      "auth_metadata",
      `${where} answers with a token of the type "${shownWords(type, [accessToken])}", not "${tokenType}".`,
    )
  }
  const refreshToken = answer["refresh_token"]
  const grantedScope = answer["scope"]
  const issuedTokenType = answer["issued_token_type"]
  const seconds = Number(answer["expires_in"] ?? Number.NaN)
  return {
    accessToken,
    ...(typeof refreshToken === "string" && refreshToken !== "" && { refreshToken }),
    ...(Number.isFinite(seconds) && { expiresAt: ambient().now() + seconds * 1000 }),
    ...(typeof grantedScope === "string" && { grantedScope }),
    ...(typeof issuedTokenType === "string" && { issuedTokenType }),
  }
}

const notSecret = new Set(["authorization_code", "refresh_token", "client_credentials"])

/** An OAuth error answer as an error: its code and its words, without `secrets`. */
export function refusal(
  what: string,
  status: number,
  answer: Readonly<Record<string, unknown>>,
  secrets: readonly string[],
): ReturnType<typeof authError> {
  const error = typeof answer["error"] === "string" ? shownWords(answer["error"], secrets) : undefined
  const words = typeof answer["error_description"] === "string" ? shownWords(answer["error_description"], secrets) : ""
  return authError("auth_denied", `${what}: ${error ?? `HTTP ${status}`}${words === "" ? "" : ` (${words})`}.`, {
    details: { status, ...(error !== undefined && { error }) },
  })
}
