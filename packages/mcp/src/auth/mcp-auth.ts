import { AuthSession } from "./auth-session.ts"
import type { McpAuthStore } from "./auth-store.ts"
import { authorizedFetch } from "./authorized-fetch.ts"
import { checkAuth } from "./check-auth.ts"

/** A key that signs what the client says about itself (`private_key_jwt`, RFC 7523). */
export interface McpPrivateKey {
  /** PKCS #8 as PEM text, or a JWK. */
  readonly key: string | Readonly<Record<string, unknown>>
  /** `ES256`, `RS256`, `PS256` … */
  readonly algorithm: string
}

/** What every way of signing in has. */
interface AnyMcpAuth {
  /** Scopes, separated by spaces. Default: those that the server asks for, else those that its metadata lists. */
  readonly scope?: string | undefined
  /** The one authorization server (its issuer address) that may be used. Default: the one that the MCP server names. Give it where there is a secret to lose. */
  readonly issuer?: string | undefined
  /** Default: in memory, until the program ends. */
  readonly store?: McpAuthStore | undefined
}

/**
 * A person signs in with the browser (authorization code with PKCE). The client introduces itself with `clientId` where
 * given, else with `clientMetadataUrl` where the server reads such documents, else it registers itself.
 */
export interface McpSignIn extends AnyMcpAuth {
  readonly type: "sign_in"
  /**
   * Shows `url` to the person. With `redirectUrl` it resolves to the address the browser was sent back to (`state` and issuer
   * are then checked), or to the bare code. Without, it only opens the browser: the answer comes to a listener on 127.0.0.1.
   */
  onRedirect(url: URL, options: { readonly signal: AbortSignal }): Promise<string | URL | void> | string | URL | void
  /** Where the browser is sent back to. Default: a listener on 127.0.0.1, on a free port, for as long as the login takes. */
  readonly redirectUrl?: string | undefined
  /** The port of that listener, for a client that was registered with one. Default: a free one. */
  readonly redirectPort?: number | undefined
  /** A client registered beforehand. */
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  readonly privateKey?: McpPrivateKey | undefined
  /** The https address of this client's metadata document. */
  readonly clientMetadataUrl?: string | undefined
  /** The name that people see when they are asked for consent. Default `AgentScope`. */
  readonly clientName?: string | undefined
  /** Milliseconds a person may take. Default 300,000. */
  readonly timeoutMs?: number | undefined
}

/** A program signs in as itself (client credentials), with a secret or a key. */
export interface McpClientCredentials extends AnyMcpAuth {
  readonly type: "client_credentials"
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly privateKey?: McpPrivateKey | undefined
}

/** A company's identity provider vouches for the person (cross-app access): its ID token is exchanged for a grant, the grant for a token. */
export interface McpCrossAppAccess extends AnyMcpAuth {
  readonly type: "cross_app_access"
  /** The client at the MCP server's authorization server. */
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly privateKey?: McpPrivateKey | undefined
  readonly identityProvider: {
    /** Its issuer address; its metadata names the token endpoint. */
    readonly issuer: string
    /** Its token endpoint, where it has no metadata. */
    readonly tokenEndpoint?: string | undefined
    /** The client at the identity provider. */
    readonly clientId: string
    readonly clientSecret?: string | undefined
    /** The person's ID token, a fresh one each time it is asked for. */
    idToken(options: { readonly signal: AbortSignal }): Promise<string> | string
  }
}

/** How an HTTP client signs in at an MCP server: OAuth 2.1 by the authorization part of MCP 2025-11-25. */
export type McpAuth = McpSignIn | McpClientCredentials | McpCrossAppAccess

/** What a transport needs in order to sign in. */
export interface TransportAuth {
  /**
   * Adds the token, signs in when the server asks for it and sends the request again. Everything goes to the server through
   * it; the SDK's own `authProvider` stays empty. Its errors are AgentScopeErrors and not to be retried.
   */
  readonly fetch: typeof globalThis.fetch
  /**
   * The login under way, if any: settles with it, never rejects. A person may take minutes: whoever counts the time of a request
   * starts to count again when it has settled.
   */
  pending(): Promise<void> | undefined
}

/**
 * Signing in at the MCP server `serverUrl`, over `options.fetch`. The same `auth` object signs in once, whoever uses it.
 * @throws AgentScopeError `invalid_auth` when `auth` makes no sense, or tokens would travel in the clear.
 */
export function transportAuth(
  auth: McpAuth,
  serverUrl: string | URL,
  options: { fetch?: typeof globalThis.fetch | undefined } = {},
): TransportAuth {
  const url = checkAuth(auth, serverUrl)
  const session = sessionOf(auth, url)
  const base: typeof globalThis.fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
  return { fetch: authorizedFetch(session, base), pending: () => session.pending() }
}

const sessions = new WeakMap<McpAuth, Map<string, AuthSession>>()

function sessionOf(auth: McpAuth, url: URL): AuthSession {
  const ofAuth = sessions.get(auth) ?? new Map<string, AuthSession>()
  sessions.set(auth, ofAuth)
  const session = ofAuth.get(url.href) ?? new AuthSession(auth, url)
  ofAuth.set(url.href, session)
  return session
}
