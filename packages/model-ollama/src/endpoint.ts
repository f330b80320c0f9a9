import { environment, joinUrl, objectIn, rootUrl } from "@agentscope-ts/model/wire"
import { ollamaHost } from "./ollama-host.ts"
import type { OllamaOptions } from "./ollama-options.ts"

/** Where an Ollama is, and what its requests carry. */
export interface Endpoint {
  readonly baseURL: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly fetch: typeof globalThis.fetch | undefined
}

/** The options that say where an Ollama is. A client gives its own where the options do not. */
export type EndpointOptions = Pick<OllamaOptions, "apiKey" | "baseURL" | "client" | "fetch" | "headers">

/** The endpoint of some options. */
export function endpointOf({ apiKey, baseURL, client, fetch, headers }: EndpointOptions): Endpoint {
  const own = objectIn<{
    config?: { host?: string; headers?: Record<string, string> }
    fetch?: typeof globalThis.fetch
  }>(client)
  const url = new URL(ollamaHost(baseURL ?? (own?.config?.host || undefined)))
  const { username, password, hostname } = url
  const key = apiKey?.trim() || (/^(?:www\.)?ollama\.com$/.test(hostname) ? environment("OLLAMA_API_KEY") : undefined)
  const basic = username === "" ? undefined : `Basic ${btoa(decodeURIComponent(`${username}:${password}`))}`
  url.username = ""
  url.password = ""
  return {
    // of its own API, or of the one in OpenAI's format
    baseURL: rootUrl(url.href, /v1|api(?:\/chat)?/),
    headers: {
      "user-agent": "agentscope-ts",
      authorization: key ? `Bearer ${key}` : basic,
      ...(own?.config?.headers && Object.fromEntries(new Headers(own.config.headers))),
      ...headers,
    },
    // the runtime's own is no reason to do without our transport
    fetch: fetch ?? (own?.fetch === globalThis.fetch ? undefined : own?.fetch),
  }
}

/** The address of a part of the API. */
export function apiUrl({ baseURL }: Endpoint, path: string): string {
  return joinUrl(baseURL, `api/${path}`)
}
