import { untilAbort } from "@agentscope-ts/message"
import { authError, shownUrl } from "./auth-error.ts"
import { type AuthRequestContext, safeUrl } from "./auth-request.ts"
import type { TokenEndpoint } from "./client-authentication.ts"
import { type AuthServer, sameIssuer, serverMetadata } from "./discover.ts"
import type { McpCrossAppAccess } from "./mcp-auth.ts"
import { requestTokens, type TokenAnswer } from "./token-request.ts"

const grantType = "urn:ietf:params:oauth:token-type:id-jag"

/**
 * A company's identity provider vouches for the person: the ID token is exchanged for an identity assertion grant (RFC 8693),
 * the grant for an access token (RFC 7523).
 */
export async function crossAppAccess(
  auth: McpCrossAppAccess,
  server: AuthServer,
  scope: string | undefined,
  context: AuthRequestContext,
): Promise<TokenAnswer> {
  const { clientId, clientSecret, privateKey, identityProvider: provider } = auth
  // its address is the user's own word, not the MCP server's
  const own = { ...context, loopback: true }
  const endpoint = await providerEndpoint(provider, own)
  const idToken = await untilAbort(Promise.resolve(provider.idToken({ signal: context.signal })), context.signal)
  const exchange = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: grantType,
    audience: server.issuer,
    resource: server.resource,
    scope,
    subject_token: idToken,
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
  }
  const identity = { clientId: provider.clientId, clientSecret: provider.clientSecret }
  const grant = await requestTokens(endpoint, identity, exchange, own, "n_a")
  if (grant.issuedTokenType !== grantType) {
    throw authError(
      "auth_metadata",
      `The identity provider ${provider.issuer} gave a token of another type than ${grantType}.`,
    )
  }
  const assertion = {
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: grant.accessToken,
    scope,
    resource: server.resource,
  }
  return requestTokens(server, { clientId, clientSecret, privateKey }, assertion, context)
}

async function providerEndpoint(
  provider: McpCrossAppAccess["identityProvider"],
  context: AuthRequestContext,
): Promise<TokenEndpoint> {
  const { issuer, tokenEndpoint } = provider
  if (tokenEndpoint !== undefined) return { issuer, tokenEndpoint }
  const url = safeUrl(issuer, "identity provider", context)
  const metadata = await serverMetadata(issuer, context)
  if (metadata !== undefined && sameIssuer(metadata.issuer, issuer)) return metadata
  throw authError(
    "auth_metadata",
    metadata === undefined
      ? `The identity provider ${shownUrl(url)} has no metadata. Give its "tokenEndpoint".`
      : `The metadata of the identity provider ${shownUrl(url)} is that of another one.`,
  )
}
