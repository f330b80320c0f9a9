import { modelError } from "@agentscope-ts/model"
import { apiKeyFrom, environment, joinUrl, type Target, targetOf } from "@agentscope-ts/model/wire"
import type { OpenAIClient, OpenAIOptions } from "./openai-options.ts"

/** What of the options says where requests go and by what key. */
export type EndpointOptions = Pick<
  OpenAIOptions,
  "model" | "apiKey" | "apiKeyEnv" | "apiVersion" | "baseURL" | "headers" | "organization"
> & { readonly client?: Pick<OpenAIClient, "baseURL"> | undefined }

/** Where the requests of an API go (`path`: `chat/completions`, `embeddings`, …), with the headers that they carry. */
export function endpointOf(options: EndpointOptions, provider: string, path: string): Target {
  const { client, headers } = options
  const azure = provider === "azure"
  const baseURL = options.baseURL ?? client?.baseURL ?? defaultBaseURL(provider)
  const url = azure && !client ? azureUrl(baseURL, path, options) : joinUrl(baseURL, path)
  // its own are the client's affair
  if (client) return targetOf(url)
  const own = provider === "openai"
  const key = keyOf(options, provider, url)
  return targetOf(url, {
    "user-agent": "agentscope-ts",
    authorization: key === undefined || azure ? undefined : `Bearer ${key}`,
    "api-key": azure ? key : undefined,
    "openai-organization": options.organization ?? (own ? environment("OPENAI_ORG_ID") : undefined),
    "openai-project": own ? environment("OPENAI_PROJECT_ID") : undefined,
    ...headers,
  })
}

function defaultBaseURL(provider: string): string {
  if (provider === "openai") return environment("OPENAI_BASE_URL") ?? "https://api.openai.com/v1"
  const azure = provider === "azure"
  const endpoint = azure ? environment("AZURE_OPENAI_ENDPOINT") : undefined
  if (endpoint !== undefined) return endpoint
  const hint = azure
    ? "the resource, such as https://NAME.openai.azure.com, here or in AZURE_OPENAI_ENDPOINT"
    : "where its API is, such as https://host/v1"
  throw modelError({ code: "invalid_request", message: `The provider "${provider}" needs a baseURL: ${hint}.` })
}

/**
 * A resource alone (`https://NAME.openai.azure.com`) gets the path of its v1 API, or with a version that of a deployment,
 * whose name is the model's; a base URL with a path of its own is taken as it is.
 */
function azureUrl(baseURL: string, path: string, { model, apiVersion }: EndpointOptions): string {
  const version = apiVersion ?? environment("OPENAI_API_VERSION")
  const bare = /^\w+:\/\/[^/]+\/?(?:openai\/?)?$/.test(baseURL)
  // Azure has deployments for all but this path
  const deployment = path === "responses" ? "" : `deployments/${encodeURIComponent(model)}/`
  const root = baseURL.replace(/\/(?:openai\/?)?$/, "")
  const base = !bare ? baseURL : version === undefined ? `${root}/openai/v1` : `${root}/openai/${deployment}`
  const url = new URL(joinUrl(base, path))
  const wanted = bare || apiVersion !== undefined
  if (wanted && version !== undefined && !url.searchParams.has("api-version"))
    url.searchParams.set("api-version", version)
  return url.href
}

/** A server on this machine that has a provider name of its own may do without a key. */
function keyOf({ apiKey, apiKeyEnv }: EndpointOptions, provider: string, url: string): string | undefined {
  const variable = apiKeyEnv ?? keyVariable(provider)
  const local = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)
  if (provider !== "openai" && local && apiKeyEnv === undefined) return apiKey ?? environment(variable)
  return apiKeyFrom(apiKey, variable)
}

function keyVariable(provider: string): string {
  if (provider === "azure") return "AZURE_OPENAI_API_KEY"
  return `${provider.toUpperCase().replace(/\W+/g, "_")}_API_KEY`
}
