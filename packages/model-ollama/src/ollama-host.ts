import { modelError } from "@agentscope-ts/model"
import { environment } from "@agentscope-ts/model/wire"

const defaultPort = "11434"

/**
 * The base URL of an Ollama: from an option, else from `OLLAMA_HOST`, else `http://127.0.0.1:11434`. It is read as Ollama's
 * own clients do: `host`, `host:port`, `:port`, an IPv6 address, or a URL, which has its scheme's port unless it names one.
 * An address that servers listen on (`0.0.0.0`) stands for this machine.
 */
export function ollamaHost(given?: string): string {
  const text = (given ?? environment("OLLAMA_HOST") ?? "").trim().replace(/^["']+|["']+$/g, "")
  if (text === "") return `http://127.0.0.1:${defaultPort}`
  const url = parse(text)
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1"
  if (url.hostname === "[::]") url.hostname = "[::1]"
  return url.href.replace(/\/+$/, "")
}

function parse(text: string): URL {
  const hasScheme = text.includes("://")
  const isBareIpv6 = !hasScheme && /^[0-9a-f]*:[0-9a-f.]*:[0-9a-f:.]*$/i.test(text)
  const authority = isBareIpv6 ? `[${text}]` : /^:\d/.test(text) ? `127.0.0.1${text}` : text
  const isCloud = /^(?:www\.)?ollama\.com(?:[:/]|$)/i.test(text)
  const full = hasScheme ? text : `${isCloud ? "https" : "http"}://${authority}`
  if (!URL.canParse(full) || !/^https?:/i.test(full)) {
    const message = `${JSON.stringify(text)} is no address of an Ollama: baseURL, or the environment variable OLLAMA_HOST, is a host, host:port or a URL such as http://127.0.0.1:${defaultPort}.`
    throw modelError({ code: "invalid_request", message })
  }
  const url = new URL(full)
  const hasPort = /^[^/]*:\d+(?:\/|$)/.test(authority)
  if (!hasScheme && !isCloud && (isBareIpv6 || !hasPort)) url.port = defaultPort
  return url
}
