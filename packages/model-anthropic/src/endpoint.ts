import {
  apiKeyFrom,
  ChatWire,
  ClientTransport,
  environment,
  eventResponse,
  joinUrl,
  type Target,
  targetOf,
} from "@agentscope-ts/model/wire"
import type { AnthropicClient, AnthropicClientAnswer, AnthropicOptions } from "./anthropic-options.ts"

/** Where a request goes, and the way there. */
export interface Endpoint {
  readonly target: Target
  readonly wire: ChatWire
}

/** The last one that takes `temperature`, `top_p` and `top_k`. */
const version = "2023-06-01"
const maxBytes = 32 * 1024 * 1024

/** The endpoints of a model, by beta features; throws `missing_api_key` without a key or token. */
export function endpointsOf(options: AnthropicOptions) {
  const { client, fetch, timeoutMs } = options
  const root = options.baseURL ?? (client ? client.baseURL : environment("ANTHROPIC_BASE_URL"))
  const base = (root ?? "https://api.anthropic.com").replace(/\/v1\/?$/, "")
  // its own are the client's affair
  const headers = client ? {} : headersOf(options)
  const known = new Map<string, Endpoint>()
  return (method: "create" | "countTokens", betas: readonly string[] = []): Endpoint => {
    const beta = [headers["anthropic-beta"], ...betas].filter(Boolean).join(",") || undefined
    const key = `${method} ${beta}`
    const found = known.get(key)
    if (found) return found
    const url = joinUrl(base, method === "create" ? "v1/messages" : "v1/messages/count_tokens")
    const transport = client && new ClientTransport(client, calling(method, beta, timeoutMs))
    const wire = new ChatWire({ fetch, timeoutMs, transport, maxBytes })
    const endpoint = { target: targetOf(url, { ...headers, "anthropic-beta": beta }), wire }
    known.set(key, endpoint)
    return endpoint
  }
}

function headersOf({ apiKey, authToken, headers = {} }: AnthropicOptions): Record<string, string> {
  const key = apiKey ?? (authToken === undefined ? environment("ANTHROPIC_API_KEY") : undefined)
  const token = key === undefined ? (authToken ?? environment("ANTHROPIC_AUTH_TOKEN")) : undefined
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return {
    "user-agent": "agentscope-ts",
    "anthropic-version": version,
    ...(token ? { authorization: `Bearer ${token}` } : { "x-api-key": apiKeyFrom(key, "ANTHROPIC_API_KEY") }),
    ...(Object.fromEntries(lowered) as Record<string, string>),
  }
}

/** Calls the SDK for the response as it is, or for Bedrock's binary stream as the SDK reads it. */
function calling(method: "create" | "countTokens", beta: string | undefined, timeout = 600_000) {
  // the version that we write, since newer SDKs ask for another; and a timeout, for without one of its own the SDK refuses
  // long answers that do not stream
  const fixed = { timeout, headers: { "anthropic-version": version, ...(beta && { "anthropic-beta": beta }) } }
  return async ({ messages }: AnthropicClient, body: never, signal: AbortSignal): Promise<Response> => {
    const answer = messages[method]?.(body, { ...fixed, signal }) as AnthropicClientAnswer
    const response = await answer.asResponse()
    const isBinary = /amazon\.eventstream/.test(response.headers.get("content-type") ?? "")
    if (!isBinary || !answer.withResponse) return response
    return eventResponse((await answer.withResponse()).data as AsyncIterable<{ type: string }>)
  }
}
