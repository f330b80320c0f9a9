import {
  apiKeyFrom,
  byKey,
  type ClientCall,
  ClientTransport,
  environment,
  joinUrl,
  type SdkAnswer,
  sdkResponse,
  targetOf,
  type Transport,
} from "@agentscope-ts/model/wire"
import type { AnthropicClient, AnthropicOptions } from "./anthropic-options.ts"

/** The last one that takes `temperature`, `top_p` and `top_k`. */
const version = { "anthropic-version": "2023-06-01" }
const paths = { create: "v1/messages", countTokens: "v1/messages/count_tokens" }

/** The targets of a model's requests, by beta features; throws `missing_api_key` without a key or token. */
export function targetsOf(options: AnthropicOptions) {
  const { client, baseURL } = options
  const root = baseURL ?? (client ? client.baseURL : environment("ANTHROPIC_BASE_URL")) ?? "https://api.anthropic.com"
  // its own are the client's affair
  const headers: Record<string, string> = client ? {} : headersOf(options)
  const target = byKey((path: string, betas: string) =>
    targetOf(joinUrl(root.replace(/\/v1\/?$/, ""), path), { ...headers, "anthropic-beta": betas || undefined }),
  )
  return (method: keyof typeof paths, betas: readonly string[] = []) =>
    target(paths[method], [headers["anthropic-beta"], ...betas].filter(Boolean).join(","))
}

function headersOf({ apiKey, authToken, headers = {} }: AnthropicOptions): Record<string, string> {
  const key = apiKey ?? (authToken === undefined ? environment("ANTHROPIC_API_KEY") : undefined)
  const token = key === undefined ? (authToken ?? environment("ANTHROPIC_AUTH_TOKEN")) : undefined
  const lowered = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value])
  return {
    "user-agent": "agentscope-ts",
    ...version,
    ...(token ? { authorization: `Bearer ${token}` } : { "x-api-key": apiKeyFrom(key, "ANTHROPIC_API_KEY") }),
    ...Object.fromEntries(lowered),
  }
}

/** Requests by the SDK's client, where there is one. */
export function transportOf({ client, timeoutMs: timeout = 600_000 }: AnthropicOptions): Transport | undefined {
  const call: ClientCall<AnthropicClient> = ({ messages }, body, signal, { path, headers: sent }) => {
    const method = path.includes(paths.countTokens) ? "countTokens" : "create"
    const at = sent.indexOf("anthropic-beta")
    const headers = { ...version, ...(at >= 0 && { "anthropic-beta": sent[at + 1] }) }
    // the version that we write, since newer SDKs ask for another; without a timeout they refuse long answers
    return sdkResponse(messages[method]?.(body, { timeout, headers, signal }) as SdkAnswer)
  }
  return client && new ClientTransport(client, call)
}
