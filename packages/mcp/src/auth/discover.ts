import { authError, shownAddress, shownUrl } from "./auth-error.ts"
import { type AuthRequestContext, type AuthResponse, authRequest, safeUrl } from "./auth-request.ts"
import type { Challenge } from "./challenge.ts"
import { buildDiscoveryUrls, checkResourceAllowed } from "./sdk-auth.ts"

/** What is known of the authorization server of an MCP server. Addresses are checked to be safe where they are used. */
export interface AuthServer {
  readonly issuer: string
  readonly authorizationEndpoint?: string
  readonly tokenEndpoint: string
  readonly registrationEndpoint?: string
  /** What may be sent as `resource` (RFC 8707); absent where the MCP server has no metadata (MCP 2025-03-26). */
  readonly resource?: string
  readonly resourceScopes?: readonly string[]
  readonly scopes?: readonly string[]
  readonly authMethods?: readonly string[]
  /** Undefined where it has no metadata at all, by which MCP 2025-03-26 means its defaults. */
  readonly pkceMethods?: readonly string[]
  readonly responseTypes?: readonly string[]
  readonly readsClientMetadata: boolean
  readonly namesIssuer: boolean
}

type Json = Readonly<Record<string, unknown>>
const headers = { accept: "application/json", "mcp-protocol-version": "2025-11-25" }

/**
 * Finds the authorization server of the MCP server at `serverUrl`: by the metadata that the challenge names, else by the well-known
 * addresses (RFC 9728), and its metadata by those of RFC 8414 and OpenID Connect. A server without metadata is its own
 * authorization server, as in MCP 2025-03-26.
 */
export async function discover(
  serverUrl: URL,
  challenge: Pick<Challenge, "resourceMetadata">,
  expectedIssuer: string | undefined,
  context: AuthRequestContext,
): Promise<AuthServer> {
  const resource = await resourceMetadata(serverUrl, challenge, context)
  if (resource === undefined) return legacyServer(serverUrl, expectedIssuer, context)
  const servers = texts(resource.json, "authorization_servers") ?? []
  const issuer =
    expectedIssuer === undefined ? servers[0] : servers.find((server) => sameIssuer(server, expectedIssuer))
  if (issuer === undefined) {
    if (servers.length === 0) return { ...(await legacyServer(serverUrl, expectedIssuer, context)), ...resource.found }
    throw unexpectedIssuer(serverUrl, expectedIssuer, servers[0] as string)
  }
  const metadata = await serverMetadata(issuer, context)
  if (metadata === undefined) {
    throw authError(
      "auth_metadata",
      `The authorization server ${shownAddress(issuer)} of ${shownUrl(serverUrl)} has no metadata at its well-known addresses (RFC 8414, OpenID Connect).`,
    )
  }
  if (!sameIssuer(metadata.issuer, issuer)) throw wrongIssuer(issuer, metadata.issuer)
  return { ...metadata, ...resource.found }
}

/** Whether two issuers are the same but for one slash at the end, which some servers add when they list them. */
export function sameIssuer(a: string, b: string): boolean {
  return a === b || `${a}/` === b || a === `${b}/`
}

async function resourceMetadata(
  serverUrl: URL,
  challenge: Pick<Challenge, "resourceMetadata">,
  context: AuthRequestContext,
) {
  const path = serverUrl.pathname.replace(/\/$/, "")
  const wellKnown = (suffix: string) => new URL(`/.well-known/oauth-protected-resource${suffix}`, serverUrl.origin)
  const candidates: (string | URL)[] = [...new Set([path, ""])].map(wellKnown)
  if (challenge.resourceMetadata !== undefined) candidates.unshift(challenge.resourceMetadata)
  for (const candidate of candidates) {
    const response = await authRequest(candidate, "resource metadata", { headers }, context)
    const json = metadataOf(response, "resource metadata")
    if (json === undefined) continue
    const resource = text(json, "resource", "resource metadata", response.url)
    if (
      !URL.canParse(resource) ||
      !checkResourceAllowed({ requestedResource: serverUrl, configuredResource: resource })
    ) {
      throw authError(
        "auth_metadata",
        `The resource metadata ${shownUrl(response.url)} is for ${shownAddress(resource)}, not for ${shownUrl(serverUrl)}. Use the address that it names, if it is the right one.`,
      )
    }
    const scopes = texts(json, "scopes_supported")
    return { json, found: { resource, ...(scopes && { resourceScopes: scopes }) } }
  }
  return undefined
}

async function legacyServer(
  serverUrl: URL,
  expectedIssuer: string | undefined,
  context: AuthRequestContext,
): Promise<AuthServer> {
  const base = serverUrl.origin
  const found = await serverMetadata(base, context)
  // there the issuer may have a path, but must be at home where its metadata lies
  if (found && (!URL.canParse(found.issuer) || new URL(found.issuer).origin !== base))
    throw wrongIssuer(base, found.issuer)
  const server = found ?? {
    issuer: base,
    authorizationEndpoint: `${base}/authorize`,
    tokenEndpoint: `${base}/token`,
    registrationEndpoint: `${base}/register`,
    readsClientMetadata: false,
    namesIssuer: false,
  }
  if (expectedIssuer !== undefined && !sameIssuer(server.issuer, expectedIssuer)) {
    throw unexpectedIssuer(serverUrl, expectedIssuer, server.issuer)
  }
  return server
}

/** The metadata of an authorization server, by its issuer address; undefined where there is none. */
export async function serverMetadata(issuer: string, context: AuthRequestContext): Promise<AuthServer | undefined> {
  const what = "authorization server metadata"
  for (const { url } of buildDiscoveryUrls(safeUrl(issuer, "authorization server", context))) {
    const response = await authRequest(url, what, { headers }, context)
    const json = metadataOf(response, what)
    if (json === undefined) continue
    const authorizationEndpoint = optionalText(json, "authorization_endpoint")
    const registrationEndpoint = optionalText(json, "registration_endpoint")
    const scopes = texts(json, "scopes_supported")
    const authMethods = texts(json, "token_endpoint_auth_methods_supported")
    const responseTypes = texts(json, "response_types_supported")
    return {
      issuer: text(json, "issuer", what, response.url),
      tokenEndpoint: text(json, "token_endpoint", what, response.url),
      ...(authorizationEndpoint !== undefined && { authorizationEndpoint }),
      ...(registrationEndpoint !== undefined && { registrationEndpoint }),
      ...(scopes && { scopes }),
      ...(authMethods && { authMethods }),
      ...(responseTypes && { responseTypes }),
      pkceMethods: texts(json, "code_challenge_methods_supported") ?? [],
      readsClientMetadata: json["client_id_metadata_document_supported"] === true,
      namesIssuer: json["authorization_response_iss_parameter_supported"] === true,
    }
  }
  return undefined
}

function metadataOf({ status, json, url, html }: AuthResponse, what: string): Json | undefined {
  if (status >= 500) throw authError("auth_unreachable", `The ${what} ${shownUrl(url)} answers with HTTP ${status}.`)
  if (status < 200 || status > 299 || html) return undefined
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as Json
  throw authError("auth_metadata", `The ${what} ${shownUrl(url)} is no JSON object.`)
}

function text(json: Json, field: string, what: string, url: URL): string {
  const value = json[field]
  if (typeof value === "string" && value !== "") return value
  throw authError("auth_metadata", `The ${what} ${shownUrl(url)} has no "${field}".`)
}

function optionalText(json: Json, field: string): string | undefined {
  const value = json[field]
  return typeof value === "string" && value !== "" ? value : undefined
}

function texts(json: Json, field: string): string[] | undefined {
  const value = json[field]
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined
}

const wrongIssuer = (expected: string, actual: string) =>
  authError(
    "auth_metadata",
    `The metadata of ${shownAddress(expected)} is that of another authorization server: ${shownAddress(actual)}.`,
  )

const unexpectedIssuer = (serverUrl: URL, expected: string | undefined, actual: string) =>
  authError(
    "auth_denied",
    `${shownUrl(serverUrl)} names ${shownAddress(actual)} as its authorization server, not ${shownAddress(expected ?? "")}, the only one that "issuer" allows. Nothing was sent there.`,
  )
