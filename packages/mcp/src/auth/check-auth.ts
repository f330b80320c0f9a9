import { authError, shownUrl } from "./auth-error.ts"
import { isLoopback } from "./auth-request.ts"
import type { McpAuth } from "./mcp-auth.ts"

/** The address of the MCP server without fragment, once `auth` makes sense for it. */
export function checkAuth(auth: McpAuth, serverUrl: string | URL): URL {
  const url = new URL(serverUrl)
  url.hash = ""
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url))) {
    throw authError(
      "invalid_auth",
      `${shownUrl(url)} is not https: tokens would travel in the clear. Use https, or no "auth".`,
    )
  }
  const wrong = problem(auth)
  if (wrong !== undefined) throw authError("invalid_auth", `"auth" for ${shownUrl(url)}: ${wrong}.`)
  return url
}

function problem(auth: McpAuth): string | undefined {
  if (auth.issuer !== undefined && !URL.canParse(auth.issuer)) return '"issuer" is no URL'
  switch (auth.type) {
    case "sign_in":
      if (typeof auth.onRedirect !== "function") return '"onRedirect" is no function'
      if (auth.redirectUrl !== undefined && !URL.canParse(auth.redirectUrl)) return '"redirectUrl" is no URL'
      if (auth.timeoutMs !== undefined && !(auth.timeoutMs > 0)) return '"timeoutMs" is not above 0'
      if (auth.clientMetadataUrl !== undefined && !isDocument(auth.clientMetadataUrl)) {
        return '"clientMetadataUrl" must be an https address with a path'
      }
      return auth.clientId === undefined && auth.clientSecret !== undefined
        ? '"clientSecret" needs its "clientId"'
        : undefined
    case "client_credentials":
      if (!auth.clientId) return '"clientId" is missing'
      return auth.clientSecret === undefined && auth.privateKey === undefined
        ? 'give "clientSecret" or "privateKey"'
        : undefined
    case "cross_app_access":
      if (!auth.clientId) return '"clientId" is missing'
      if (!auth.identityProvider?.clientId) return '"identityProvider.clientId" is missing'
      return typeof auth.identityProvider.idToken === "function"
        ? undefined
        : '"identityProvider.idToken" is no function'
    default:
      return '"type" must be "sign_in", "client_credentials" or "cross_app_access"'
  }
}

function isDocument(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === "https:" && url.pathname !== "/" && url.hash === ""
}
