import { modelError } from "@agentscope-ts/model"
import { apiKeyFrom, environment, type Place, rootUrl } from "@agentscope-ts/model/wire"
import type { GeminiOptions } from "./gemini-options.ts"

/** Where a model is; its methods are the paths. */
export interface Endpoint extends Place {
  readonly vertex: boolean
  /** Of the SDK's client, where it was given one. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The part of the SDK's own client in which its configuration ended up. */
interface ApiClient {
  getProject(): string | undefined
  getLocation(): string | undefined
  getApiVersion(): string
  getBaseUrl(): string
  getHeaders(): Record<string, string>
  getApiKey(): string | undefined
  getAuthHeaders(): Promise<globalThis.Headers>
  getFetch?(): typeof globalThis.fetch | undefined
}

/** The endpoint of some options; throws `missing_api_key` without a key, `invalid_request` for a client of another kind. */
export function endpointOf(options: GeminiOptions): Endpoint {
  const { model, apiKey, client, baseURL, headers, apiVersion, vertex } = options
  if (client) return endpointOfClient(client, options)
  const token = vertex?.accessToken
  const bearer = async () => ({ authorization: `Bearer ${typeof token === "function" ? await token() : token}` })
  const keyName = vertex ? "GOOGLE_API_KEY" : "GEMINI_API_KEY"
  const key = token === undefined ? apiKeyFrom(apiKey ?? environment("GOOGLE_API_KEY"), keyName) : undefined
  // a key that was given stands before a project that was not
  const project = vertex?.project ?? (apiKey === undefined ? environment("GOOGLE_CLOUD_PROJECT") : undefined)
  const location = vertex?.location ?? environment("GOOGLE_CLOUD_LOCATION") ?? "global"
  const root = environment(vertex ? "GOOGLE_VERTEX_BASE_URL" : "GOOGLE_GEMINI_BASE_URL")
  const path = vertex ? vertexPath(model, project, location) : modelPath(model)
  const host = vertex ? vertexHost(project ? location : "global") : "generativelanguage.googleapis.com"
  const base = baseURL ?? root ?? `https://${host}`
  return {
    baseURL: apiVersion === "" ? base : rootUrl(base, /v1(?:alpha|beta\d*)?(?:\/openai)?/),
    prefix: `${apiVersion ?? (vertex ? "v1" : "v1beta")}/${path}:`,
    vertex: vertex !== undefined,
    headers: { "user-agent": "agentscope-ts", "x-goog-api-key": key, ...headers },
    ...(token !== undefined && { auth: bearer }),
  }
}

function endpointOfClient(client: NonNullable<GeminiOptions["client"]>, options: GeminiOptions): Endpoint {
  const { model, baseURL, headers, apiVersion } = options
  const { apiClient: api } = client as { readonly apiClient?: ApiClient }
  if (typeof api?.getBaseUrl !== "function") {
    const message = "The client is no GoogleGenAI of @google/genai: pass new GoogleGenAI({ … }), or apiKey and baseURL."
    throw modelError({ code: "invalid_request", message })
  }
  const [key, vertex] = [api.getApiKey(), client.vertexai]
  const path = vertex ? vertexPath(model, api.getProject(), api.getLocation() ?? "") : modelPath(model)
  return {
    baseURL: baseURL ?? api.getBaseUrl(),
    prefix: `${apiVersion ?? api.getApiVersion()}/${path}:`,
    vertex,
    headers: { "x-goog-api-key": key, ...api.getHeaders(), ...headers },
    ...(key === undefined && { auth: async () => Object.fromEntries(await api.getAuthHeaders()) }),
    fetch: api.getFetch?.(),
  }
}

const modelPath = (model: string): string => (/^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`)

function vertexPath(model: string, project: string | undefined, location: string): string {
  if (model.startsWith("projects/")) return model
  const name = /^(?:publishers|models|endpoints)\//.test(model) ? model : `publishers/google/models/${model}`
  return project ? `projects/${project}/locations/${location}/${name}` : name
}

function vertexHost(location: string): string {
  if (location === "global") return "aiplatform.googleapis.com"
  if (location === "us" || location === "eu") return `aiplatform.${location}.rep.googleapis.com`
  return `${location}-aiplatform.googleapis.com`
}
