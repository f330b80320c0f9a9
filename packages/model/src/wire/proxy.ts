import { modelError } from "../errors/model-error.ts"
import type { Target } from "./target.ts"

type Env = Readonly<Record<string, string | undefined>>

/** Whether the environment names a proxy for this kind of URL. Lower case goes first, as with curl. */
export function proxyUrl(env: Env, secure: boolean): string | undefined {
  return env[proxyVariable(env, secure)] || undefined
}

function proxyVariable(env: Env, secure: boolean): string {
  const name = secure ? "https_proxy" : "http_proxy"
  return env[name] === undefined ? name.toUpperCase() : name
}

/** The way to a target where it goes through a proxy. */
export interface ProxyWay {
  /** The proxy without credentials, for messages. */
  readonly label: string
  /** The environment variable that names it. */
  readonly variable: string
}

/** The proxy that requests to a target go through; undefined where they go there straight. */
export function proxyWay(env: Env, target: Pick<Target, "hostname" | "port" | "secure">): ProxyWay | undefined {
  const url = proxyUrl(env, target.secure)
  if (url === undefined || bypassesProxy(env, target)) return undefined
  return { label: url.replace(/^([a-z][a-z\d+.-]*:\/\/)?[^/@]*@/i, "$1"), variable: proxyVariable(env, target.secure) }
}

/** Whether NO_PROXY takes this host out: `*`, a host, `.domain` or `*.domain`, each with an optional port. */
export function bypassesProxy(env: Env, target: Pick<Target, "hostname" | "port" | "secure">): boolean {
  const port = target.port === "" ? (target.secure ? "443" : "80") : target.port
  for (const entry of (env["no_proxy"] ?? env["NO_PROXY"] ?? "").toLowerCase().split(/[\s,]+/)) {
    if (entry === "") continue
    if (entry === "*") return true
    const [, host = "", only] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
    if (only !== undefined && only !== port) continue
    const name = target.hostname.toLowerCase()
    const domain = host.replace(/^\*?\./, "")
    if (name === domain || (domain !== host && name.endsWith(`.${domain}`))) return true
  }
  return false
}

/** Node's own HTTP agents speak to proxies since 22.21 and 24.5. */
export function agentsKnowProxies(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21)
}

/** On a Node that cannot use the proxy: better an error than a request past the proxy. */
export function proxyUnsupported(target: Target, version: string): Error {
  const variable = target.secure ? "HTTPS_PROXY" : "HTTP_PROXY"
  const message = `${variable} is set, but the HTTP client of Node ${version} cannot use a proxy: take Node 22.21, 24.5 or later, pass a fetch that can, or name ${target.hostname} in NO_PROXY.`
  return modelError({ code: "unsupported", message })
}
