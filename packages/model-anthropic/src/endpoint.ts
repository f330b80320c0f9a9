import {
  apiKeyFrom,
  ChatWire,
  ClientTransport,
  environment,
  joinUrl,
  type SdkAnswer,
  sdkResponse,
  type Target,
  targetOf,
} from "@agentscope-ts/model/wire"
import type { AnthropicClient, AnthropicOptions } from "./anthropic-options.ts"

/** Where a request goes, and the way there. */
export interface Endpoint {
  readonly target: Target
  readonly wire: ChatWire
}

/** The last one that takes `temperature`, `top_p` and `top_k`. */
const version = "2023-06-01"
const maxBytes = 32 * 1024 * 1024
const paths = { create: "v1/messages", countTokens: "v1/messages/count_tokens" }

/** The endpoints of a model, by beta features; throws `missing_api_key` without a key or token. */
export function endpointsOf(options: AnthropicOptions) {
  const { client, fetch, timeoutMs } = options
  const root = options.baseURL ?? (client ? client.baseURL : environment("ANTHROPIC_BASE_URL"))
  const base = (root ?? "https://api.anthropic.com").replace(/\/v1\/?$/, "")
  // its own are the client's affair
  const headers = client ? {} : headersOf(options)
  const known = new Map<string, Endpoint>()
  return (method: keyof typeof paths, betas: readonly string[] = []): Endpoint => {
    const beta = [headers["anthropic-beta"], ...betas].filter(Boolean).join(",") || undefined
    const key = `${method} ${beta}`
    let endpoint = known.get(key)
    if (endpoint === undefined) {
      const transport = client && new ClientTransport(client, calling(method, beta, timeoutMs))
      const target = targetOf(joinUrl(base, paths[method]), { ...headers, "anthropic-beta": beta })
      endpoint = { target, wire: new ChatWire({ fetch, timeoutMs, transport, maxBytes }) }
      known.set(key, endpoint)
    }
    return endpoint
  }
}

function headersOf({ apiKey, authToken, headers = {} }: AnthropicOptions): Record<string, string> {
  const key = apiKey ?? (authToken === undefined ? environment("ANTHROPIC_API_KEY") : undefined)
  const token = key === undefined ? (authToken ?? environment("ANTHROPIC_AUTH_TOKEN")) : undefined
  const lowered = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value])
  return {
    "user-agent": "agentscope-ts",
    "anthropic-version": version,
    ...(token ? { authorization: `Bearer ${token}` } : { "x-api-key": apiKeyFrom(key, "ANTHROPIC_API_KEY") }),
    ...Object.fromEntries(lowered),
  }
}

/** Calls the SDK with the version that we write, since newer ones ask for another; without a timeout it refuses long answers. */
function calling(method: keyof typeof paths, beta: string | undefined, timeout = 600_000) {
  const fixed = { timeout, headers: { "anthropic-version": version, ...(beta && { "anthropic-beta": beta }) } }
  return ({ messages }: AnthropicClient, body: never, signal: AbortSignal): Promise<Response> =>
    sdkResponse(messages[method]?.(body, { ...fixed, signal }) as SdkAnswer)
}
