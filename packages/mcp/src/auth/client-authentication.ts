import { authError, shownUrl } from "./auth-error.ts"
import type { AuthServer } from "./discover.ts"
import type { McpPrivateKey } from "./mcp-auth.ts"
import { createPrivateKeyJwtAuth } from "./sdk-auth.ts"

/** Who the client is at an authorization server, and how it proves it. */
export interface ClientIdentity {
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly privateKey?: McpPrivateKey | undefined
  /** What it was registered with. */
  readonly authMethod?: string | undefined
}

/** What a token endpoint says of itself. */
export type TokenEndpoint = Pick<AuthServer, "issuer" | "tokenEndpoint" | "authMethods">

/**
 * Puts the client's proof into a token request, by the method that it was registered with or the best of those that the server
 * takes: `private_key_jwt`, `client_secret_basic`, `client_secret_post`, `none`.
 */
export async function authenticateClient(
  client: ClientIdentity,
  server: TokenEndpoint,
  headers: Record<string, string>,
  params: URLSearchParams,
): Promise<void> {
  switch (chooseAuthMethod(client, server)) {
    case "private_key_jwt":
      params.set("client_id", client.clientId)
      return signAssertion(client, server, params)
    case "client_secret_basic":
      // RFC 6749 section 2.3.1: both parts are encoded before they are joined
      headers["authorization"] =
        `Basic ${btoa([client.clientId, client.clientSecret ?? ""].map(encodeURIComponent).join(":"))}`
      return
    case "client_secret_post":
      params.set("client_id", client.clientId)
      params.set("client_secret", client.clientSecret ?? "")
      return
    case "none":
      params.set("client_id", client.clientId)
  }
}

function chooseAuthMethod(
  client: ClientIdentity,
  server: TokenEndpoint,
): "private_key_jwt" | "client_secret_basic" | "client_secret_post" | "none" {
  const takes = (method: string) => server.authMethods === undefined || server.authMethods.includes(method)
  if (client.privateKey !== undefined && (takes("private_key_jwt") || client.clientSecret === undefined))
    return "private_key_jwt"
  if (client.clientSecret === undefined) return "none"
  const registered = client.authMethod
  if (registered === "client_secret_basic" || registered === "client_secret_post" || registered === "none") {
    if (takes(registered)) return registered
  }
  // RFC 8414 section 2: a server that does not say takes client_secret_basic
  if (takes("client_secret_basic")) return "client_secret_basic"
  if (takes("client_secret_post")) return "client_secret_post"
  if (takes("none")) return "none"
  throw authError(
    "auth_unsupported",
    `The token endpoint ${shownUrl(new URL(server.tokenEndpoint))} takes none of client_secret_basic, client_secret_post and none. Give a private key if it takes private_key_jwt.`,
  )
}

async function signAssertion(client: ClientIdentity, server: TokenEndpoint, params: URLSearchParams): Promise<void> {
  const { key, algorithm } = client.privateKey as McpPrivateKey
  const sign = createPrivateKeyJwtAuth({
    issuer: client.clientId,
    subject: client.clientId,
    privateKey: typeof key === "string" ? key : { ...key },
    alg: algorithm,
    audience: server.issuer,
  })
  try {
    await sign(new Headers(), params, server.tokenEndpoint)
  } catch {
    // the cause could quote the key
    throw authError(
      "invalid_auth",
      `The private key cannot sign with ${algorithm}: give PKCS #8 as PEM text, or a JWK, that fits it.`,
    )
  }
}
