import { authError, shownAddress, shownUrl } from "./auth-error.ts"
import { type AuthRequestContext, authRequest } from "./auth-request.ts"
import type { McpAuthClient } from "./auth-store.ts"
import type { AuthServer } from "./discover.ts"
import { refusal } from "./token-request.ts"

/** Registers the client by itself (RFC 7591), as a public one where the server takes those. */
export async function registerClient(
  server: AuthServer,
  client: { readonly name: string; readonly redirectUrl: string; readonly scope: string | undefined },
  context: AuthRequestContext,
): Promise<McpAuthClient> {
  if (server.registrationEndpoint === undefined) {
    throw authError(
      "auth_unsupported",
      `The authorization server ${shownAddress(server.issuer)} lets no client register itself. Register one there and give its "clientId"${server.readsClientMetadata ? ', or give "clientMetadataUrl"' : ""}.`,
    )
  }
  const methods = server.authMethods ?? ["client_secret_basic"]
  const method = ["none", "client_secret_basic", "client_secret_post"].find((known) => methods.includes(known))
  const body = JSON.stringify({
    client_name: client.name,
    redirect_uris: [client.redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: client.redirectUrl.startsWith("https:") ? "web" : "native",
    ...(method !== undefined && { token_endpoint_auth_method: method }),
    ...(client.scope !== undefined && { scope: client.scope }),
  })
  const headers = { accept: "application/json", "content-type": "application/json" }
  const what = "registration endpoint"
  const { status, json, url } = await authRequest(
    server.registrationEndpoint,
    what,
    { method: "POST", headers, body },
    context,
  )
  const answer = (typeof json === "object" && json !== null ? json : {}) as Readonly<Record<string, unknown>>
  const where = `The ${what} ${shownUrl(url)}`
  if (status >= 500 || status === 429) throw authError("auth_unreachable", `${where} answers with HTTP ${status}.`)
  if (status < 200 || status > 299) throw refusal(`${where} refuses`, status, answer, [])
  const clientId = answer["client_id"]
  const clientSecret = answer["client_secret"]
  const authMethod = answer["token_endpoint_auth_method"]
  const expires = Number(answer["client_secret_expires_at"] ?? 0)
  if (typeof clientId !== "string" || clientId === "")
    throw authError("auth_metadata", `${where} answers without a "client_id".`)
  return {
    clientId,
    redirectUris: [client.redirectUrl],
    ...(typeof clientSecret === "string" && clientSecret !== "" && { clientSecret }),
    ...(typeof authMethod === "string" && { authMethod }),
    ...(Number.isFinite(expires) && expires > 0 && { expiresAt: expires * 1000 }),
  }
}
