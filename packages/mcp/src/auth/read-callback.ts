import { authError, shownAddress, shownUrl, shownWords } from "./auth-error.ts"

/** What the browser must bring back. */
export interface ExpectedCallback {
  readonly redirectUrl: string
  readonly state: string
  readonly issuer: string
  /** Whether the authorization server says that it names itself in each answer (RFC 9207). */
  readonly namesIssuer: boolean
}

/**
 * The code in the address that the browser was sent back to, once `state` and issuer are right; a bare code is taken as it is.
 * @throws AgentScopeError `auth_denied`.
 */
export function readCallback(value: string | URL, expected: ExpectedCallback): string {
  const text = String(value).trim()
  const url = /^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) {
    if (text !== "" && !/[\s?&]/.test(text)) return text
    throw authError("auth_denied", "The login gave neither a code nor the address that the browser was sent back to.")
  }
  const redirect = new URL(expected.redirectUrl)
  if (url.protocol !== redirect.protocol || url.host !== redirect.host || url.pathname !== redirect.pathname) {
    throw authError("auth_denied", `The login came back to ${shownUrl(url)}, not to ${shownUrl(redirect)}.`)
  }
  const answer = url.searchParams
  if (answer.get("state") !== expected.state) {
    throw authError(
      "auth_denied",
      `The login came back with a wrong "state": it is not the one that was begun. Sign in again.`,
    )
  }
  const issuer = answer.get("iss")
  if (issuer === null ? expected.namesIssuer : issuer !== expected.issuer) {
    throw authError(
      "auth_denied",
      `The login came back ${issuer === null ? "without the name of the authorization server" : `from ${shownAddress(issuer)}`}, not from ${shownAddress(expected.issuer)}.`,
    )
  }
  const error = answer.get("error")
  if (error !== null) {
    const words = shownWords(answer.get("error_description") ?? "", [expected.state])
    const shown = shownWords(error, [expected.state])
    throw authError("auth_denied", `The login was refused: ${shown}${words === "" ? "" : ` (${words})`}.`, {
      details: { error: shown },
    })
  }
  const code = answer.get("code")
  if (code === null || code === "") throw authError("auth_denied", "The login came back without a code.")
  return code
}
