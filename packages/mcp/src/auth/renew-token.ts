import { AgentScopeError } from "@agentscope-ts/message"
import { authError, shownUrl } from "./auth-error.ts"
import type { AuthRequestContext } from "./auth-request.ts"
import type { AuthSession, TokenNeed, TokenSource } from "./auth-session.ts"
import type { McpAuthClient, McpAuthRecord } from "./auth-store.ts"
import { crossAppAccess } from "./cross-app-access.ts"
import { type AuthServer, discover, sameIssuer } from "./discover.ts"
import type { McpAuth } from "./mcp-auth.ts"
import { coversScopes, joinScopes } from "./scopes.ts"
import { knownClient, signIn } from "./sign-in.ts"
import { requestTokens, type TokenAnswer } from "./token-request.ts"

/** Gets a token that answers `need`: one that somebody else stored meanwhile, a refreshed one, or a new one by a login. */
export async function renewToken(
  session: AuthSession,
  need: TokenNeed,
  context: AuthRequestContext,
): Promise<TokenSource> {
  const stored = await session.load()
  if (stored?.tokens !== undefined && stored.tokens.accessToken !== need.refused) return "found"
  const resourceMetadata = need.challenge.resourceMetadata ?? session.found?.resourceMetadata
  const found = resourceMetadata === undefined ? {} : { resourceMetadata }
  const server = await discover(session.serverUrl, found, session.auth.issuer, context)
  session.found = found
  // what belongs to one authorization server is never shown to another
  const record = stored && sameIssuer(stored.issuer, server.issuer) ? stored : { issuer: server.issuer }
  const scope = wantedScope(session, need, server, record.tokens?.requestedScope)
  if (need.status === 401 && !need.anew) {
    const refreshed = await refresh(session.auth, server, record, need, context)
    if (refreshed !== undefined) {
      await session.save({ ...record, tokens: refreshed })
      return "refresh"
    }
  }
  await login(session, server, scope, record.client, context)
  return "login"
}

/** The scopes to ask for: those of the challenge, else those that the metadata lists, with all that were asked for before. */
function wantedScope(
  { auth, serverUrl }: AuthSession,
  { status, challenge }: TokenNeed,
  server: AuthServer,
  before: string | undefined,
): string | undefined {
  const asked = joinScopes(auth.scope, challenge.scope)
  const listed = server.resourceScopes?.join(" ")
  const scope = joinScopes(
    before,
    asked ?? listed,
    status === 403 && challenge.scope === undefined ? listed : undefined,
  )
  if (status === 403 && coversScopes(before, scope)) {
    throw authError(
      "auth_rejected",
      `${shownUrl(serverUrl)} asks for more scopes than the token has, and they were asked for already (${before ?? "none"}). The account may lack the right.`,
      { details: { error: "insufficient_scope" } },
    )
  }
  // for a refresh token some servers want this scope; alone it would narrow what a server gives unasked
  const offline = auth.type === "sign_in" && scope !== undefined && server.scopes?.includes("offline_access")
  return offline ? joinScopes(scope, "offline_access") : scope
}

/** New tokens by the refresh token; undefined where there is none, it is refused, or it would not give what is needed. */
async function refresh(
  auth: McpAuth,
  server: AuthServer,
  { tokens, client: registered }: McpAuthRecord,
  { challenge }: TokenNeed,
  context: AuthRequestContext,
): Promise<McpAuthRecord["tokens"]> {
  if (tokens?.refreshToken === undefined || !coversScopes(tokens.requestedScope, challenge.scope)) return undefined
  const client = auth.type === "sign_in" ? knownClient(auth, server, registered) : auth
  if (client === undefined) return undefined
  const grant = { grant_type: "refresh_token", refresh_token: tokens.refreshToken, resource: server.resource }
  try {
    const answer = await requestTokens(server, client, grant, context)
    // a server that sends no new refresh token leaves the old one in force
    return kept(answer, tokens.requestedScope, tokens.refreshToken)
  } catch (error) {
    if (AgentScopeError.is(error) && error.code === "auth_denied") return undefined
    throw error
  }
}

async function login(
  session: AuthSession,
  server: AuthServer,
  scope: string | undefined,
  registered: McpAuthClient | undefined,
  context: AuthRequestContext,
): Promise<void> {
  const { auth } = session
  const { issuer } = server
  let client = registered
  const keepClient = async (fresh: McpAuthClient) => {
    client = fresh
    await session.save({ issuer, client: fresh })
  }
  const byType = (): Promise<TokenAnswer> => {
    switch (auth.type) {
      case "sign_in":
        return signIn(auth, server, scope, registered, keepClient, context)
      case "client_credentials":
        return requestTokens(
          server,
          auth,
          { grant_type: "client_credentials", scope, resource: server.resource },
          context,
        )
      case "cross_app_access":
        return crossAppAccess(auth, server, scope, context)
    }
  }
  try {
    const answer = await byType()
    await session.save({ issuer, ...(client && { client }), tokens: kept(answer, scope, undefined) })
  } catch (error) {
    // a server that forgot its clients shows the person an error and sends nobody back: register again next time
    if (registered !== undefined && client === registered && !context.signal.aborted) await session.save({ issuer })
    throw error
  }
}

function kept(answer: TokenAnswer, requestedScope: string | undefined, refreshToken: string | undefined) {
  const { issuedTokenType: _, ...tokens } = answer
  return {
    ...(refreshToken !== undefined && { refreshToken }),
    ...tokens,
    ...(requestedScope !== undefined && { requestedScope }),
  }
}
