import {
  apiKeyFrom,
  ClientTransport,
  environment,
  eventResponse,
  joinUrl,
  type Target,
  targetOf,
  type Transport,
  transportOf,
} from "@agentscope-ts/model/wire"
import type { AnthropicClient, AnthropicClientAnswer, AnthropicOptions } from "./anthropic-options.ts"

/** Where a request goes, and the way there. */
export interface Endpoint {
  readonly target: Target
  readonly transport: Transport
}

/** The last one that takes `temperature`, `top_p` and `top_k`. */
const version = "2023-06-01"

/** The endpoints of a model, by beta features; throws `missing_api_key` without a key or token. */
export function endpointsOf(
  options: AnthropicOptions,
): (method: "create" | "countTokens", betas?: readonly string[]) => Endpoint {
  const { client, fetch, timeoutMs: timeout = 600_000 } = options
  const root = options.baseURL ?? (client ? client.baseURL : environment("ANTHROPIC_BASE_URL"))
  const base = (root ?? "https://api.anthropic.com").replace(/\/v1\/?$/, "")
  // its own are the client's affair
  const headers = client ? {} : headersOf(options)
  const targets = new Map<string, Target>()
  return (method, betas = []) => {
    const path = method === "create" ? "v1/messages" : "v1/messages/count_tokens"
    const beta = [headers["anthropic-beta"], ...betas].filter(Boolean).join(",") || undefined
    const key = `${path} ${beta}`
    const target = targets.get(key) ?? targetOf(joinUrl(base, path), { ...headers, "anthropic-beta": beta })
    targets.set(key, target)
    if (!client) return { target, transport: transportOf(fetch) }
    // the version that we write, since newer SDKs ask for another; and a timeout, for without one of its own the SDK
    // refuses long answers that do not stream
    const fixed = { timeout, headers: { "anthropic-version": version, ...(beta && { "anthropic-beta": beta }) } }
    const transport = new ClientTransport<AnthropicClient>(client, async ({ messages }, body, signal) =>
      rawAnswer(messages[method]?.(body, { ...fixed, signal })),
    )
    return { target, transport }
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

/** The response as it is; Bedrock's binary stream as the SDK reads it. */
async function rawAnswer(answer: AnthropicClientAnswer | undefined): Promise<Response> {
  if (!answer) return new Response("", { status: 404 })
  const response = await answer.asResponse()
  const isBinary = /amazon\.eventstream/.test(response.headers.get("content-type") ?? "")
  if (!isBinary || !answer.withResponse) return response
  return eventResponse((await answer.withResponse()).data as AsyncIterable<{ type: string }>)
}
