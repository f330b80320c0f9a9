import { AgentScopeError, type JsonObject } from "@agentscope-ts/message"

/**
 * Codes of signing in. `invalid_auth`: what was given as `auth` makes no sense. `auth_unreachable`: an endpoint does not
 * answer, not in time, or with a fault of its own (may be retried). `auth_metadata`: what an endpoint says is no metadata, too
 * much, for somebody else or at an unsafe address. `auth_unsupported`: the authorization server lacks what is needed.
 * `auth_denied`: the login was refused, by the person or by the server. `auth_rejected`: the MCP server refuses a token that it
 * was just given, or asks for scopes that were not granted. `details.error` is the OAuth error code where there is one.
 * No message, cause or detail holds a token, code or secret.
 */
export type McpAuthErrorCode =
  | "invalid_auth"
  | "auth_unreachable"
  | "auth_metadata"
  | "auth_unsupported"
  | "auth_denied"
  | "auth_rejected"

/** An error of signing in. */
export function authError(
  code: McpAuthErrorCode,
  message: string,
  more: { cause?: unknown; details?: JsonObject } = {},
): AgentScopeError<McpAuthErrorCode> {
  return new AgentScopeError({ code, message, retryable: code === "auth_unreachable", ...more })
}

/** An address as errors may show it: without user, query and fragment, where secrets and states travel. */
export function shownUrl(url: URL): string {
  return url.origin === "null" ? `${url.protocol}…` : shownWords(`${url.origin}${url.pathname}`)
}

/** What a server calls an address, as errors may show it. */
export function shownAddress(text: string): string {
  const url = URL.parse(text)
  return url === null ? `"${shownWords(text)}"` : shownUrl(url)
}

/** A server's words, fit for an error: one line, 300 characters at most, `secrets` taken out. */
export function shownWords(text: string, secrets: readonly string[] = []): string {
  let shown = text
  for (const secret of secrets) if (secret.length > 3) shown = shown.replaceAll(secret, "***")
  shown = shown.replace(/[\s\p{Cc}]+/gu, " ").trim()
  return shown.length > 300 ? `${shown.slice(0, 299).toWellFormed()}…` : shown
}
