import { AgentScopeError } from "@agentscope-ts/message"
import { type ModelErrorCode, modelError } from "../errors/model-error.ts"
import type { ProxyWay } from "./proxy.ts"
import type { Target } from "./target.ts"

type SystemError = Error & { readonly code?: unknown; readonly hostname?: string }

/** Errors of certificates and of the TLS handshake: they stay as long as the configuration does. */
const tls =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY|GET)|HOSTNAME_MISMATCH|EPROTO$)/

const explained: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there: is the server running, and are host and port of baseURL right?",
  ENOTFOUND: "the host name is not known (DNS): check baseURL and the network.",
  EAI_AGAIN: "the host name could not be looked up (DNS): check the network.",
  ECONNRESET: "the connection was closed by the other side.",
  EPIPE: "the connection was closed by the other side.",
  ETIMEDOUT: "the connection could not be made in time.",
  EHOSTUNREACH: "the host cannot be reached: check the network.",
  ENETUNREACH: "the network cannot be reached.",
  UND_ERR_SOCKET: "the connection was closed by the other side.",
  UND_ERR_CONNECT_TIMEOUT: "the connection could not be made in time.",
  ERR_PROXY_TUNNEL: "the proxy refused the way there: check HTTPS_PROXY, or add the host to NO_PROXY.",
}

/** The same where a proxy stands between: what could not be reached is the proxy. */
const explainedOfProxy: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there: is the proxy running?",
  ENOTFOUND: "the proxy's host name is not known (DNS).",
  EAI_AGAIN: "the proxy's host name could not be looked up (DNS).",
  ETIMEDOUT: "the connection to the proxy could not be made in time.",
  EHOSTUNREACH: "the proxy cannot be reached.",
  ENETUNREACH: "the network cannot be reached.",
  ERR_PROXY_TUNNEL: "the proxy refused the way there.",
}

/**
 * A failure below HTTP as the error `network`, in words that say what to look at; an `AgentScopeError` stays as it is.
 * `proxy` is what the request went through.
 */
export function networkError(
  error: unknown,
  target: Pick<Target, "label">,
  began: boolean,
  proxy?: ProxyWay,
): AgentScopeError {
  if (AgentScopeError.is(error)) return error
  const code = systemCode(error)
  const about = { code: "network" as ModelErrorCode, cause: error, details: code === undefined ? {} : { code } }
  if (code !== undefined && tls.test(code)) {
    const message = `The secure connection to ${target.label}${through(proxy)} failed (${code}): ${messageOf(error)}. Check that baseURL has the right scheme and host, and that the certificate is trusted (NODE_EXTRA_CA_CERTS).`
    return modelError({ ...about, message, retryable: false })
  }
  const why = (code !== undefined && explained[code]) || messageOf(error)
  if (proxy && !began) {
    const own = (code !== undefined && explainedOfProxy[code]) || why
    const hint = `Check ${proxy.variable}, or add the host to NO_PROXY.`
    const message = `The request to ${target.label} failed at the proxy ${proxy.label}${code === undefined ? "" : ` (${code})`}: ${own} ${hint}`
    return modelError({ ...about, message, details: { ...about.details, proxy: proxy.label } })
  }
  const what = began
    ? `The answer of ${target.label}${through(proxy)} broke off`
    : `The request to ${target.label} failed`
  return modelError({ ...about, message: `${what}${code === undefined ? "" : ` (${code})`}: ${why}` })
}

/** Nothing came for `timeoutMs`. */
export function timeoutError(target: Target, timeoutMs: number, proxy?: ProxyWay): AgentScopeError {
  const message = `${target.label}${through(proxy)} sent nothing for ${timeoutMs / 1000} s: the request was given up. A slow model may need a larger timeoutMs.`
  return modelError({ code: "timeout", message, details: { timeoutMs } })
}

const through = (proxy: ProxyWay | undefined): string =>
  proxy === undefined ? "" : ` (through the proxy ${proxy.label}, by ${proxy.variable})`

/** Why a `fetch` failed, with the code of the system: its own message mostly says only that it did. */
export function fetchFailure(error: unknown): string {
  const code = systemCode(error)
  const why = messageOf(error)
  return code === undefined || why.includes(code) ? why : `${why} (${code})`
}

/** `fetch` wraps the error of the socket, sometimes twice. */
function systemCode(error: unknown): string | undefined {
  let at = error as (SystemError & { readonly cause?: unknown }) | undefined
  for (let depth = 0; depth < 4 && typeof at === "object" && at !== null; depth++) {
    if (typeof at.code === "string") return at.code
    at = at.cause as typeof at
  }
  return undefined
}

/** The innermost message; where several addresses of a host were tried, that of the first. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const inner: unknown = error instanceof AggregateError ? (error.errors[0] as unknown) : error.cause
  const why = inner instanceof Error ? messageOf(inner) : ""
  return why === "" ? error.message : why
}
