import { modelError } from "@agentscope-ts/model"
import { apiKeyFrom, environment, joinUrl, type Target, targetOf } from "@agentscope-ts/model/wire"
import type { GeminiOptions } from "./gemini-options.ts"

type Headers = Readonly<Record<string, string | undefined>>

/** Where a model is, and how requests are allowed in. */
interface Place {
  readonly baseURL: string
  /** Up to the model: `v1beta/models/gemini-2.5-flash`. */
  readonly path: string
  readonly headers: Headers
  /** What has to be asked for before each request, since it expires. */
  readonly auth?: (() => Promise<Headers>) | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The part of the SDK's own client in which its configuration ended up. */
interface ApiClient {
  isVertexAI(): boolean
  getProject(): string | undefined
  getLocation(): string | undefined
  getApiVersion(): string
  getBaseUrl(): string
  getHeaders(): Record<string, string>
  getApiKey(): string | undefined
  getAuthHeaders(): Promise<globalThis.Headers>
  getFetch?(): typeof globalThis.fetch | undefined
}

/** The addresses of a model's methods. */
export class Endpoint {
  /** Of the SDK's client, where it was given one. */
  readonly fetch: typeof globalThis.fetch | undefined
  readonly vertex: boolean
  readonly #place: Place
  readonly #known = new Map<string, Target>()

  constructor(options: GeminiOptions) {
    const { client } = options
    this.vertex = client ? client.vertexai : options.vertex !== undefined
    this.#place = client ? placeOfClient(options) : options.vertex ? placeOnVertex(options) : placeOfGemini(options)
    this.fetch = this.#place.fetch
  }

  /** Where `generateContent`, `streamGenerateContent` or `countTokens` is. */
  target(method: string): Target | Promise<Target> {
    const known = this.#known.get(method)
    if (known) return known
    const { baseURL, path, headers, auth } = this.#place
    const url = new URL(joinUrl(baseURL, `${path}:${method}`))
    if (method.startsWith("stream")) url.searchParams.set("alt", "sse")
    if (auth) return auth().then((more) => targetOf(url.href, { ...more, ...headers }))
    const target = targetOf(url.href, headers)
    this.#known.set(method, target)
    return target
  }
}

function placeOfGemini({ model, apiKey, baseURL, headers, apiVersion = "v1beta" }: GeminiOptions): Place {
  return {
    baseURL: baseURL ?? environment("GOOGLE_GEMINI_BASE_URL") ?? "https://generativelanguage.googleapis.com",
    path: `${apiVersion}/${modelPath(model)}`,
    headers: headersWith(apiKeyFrom(apiKey ?? environment("GOOGLE_API_KEY"), "GEMINI_API_KEY"), headers),
  }
}

function placeOnVertex({ model, apiKey, baseURL, headers, apiVersion = "v1", vertex = {} }: GeminiOptions): Place {
  const { accessToken } = vertex
  // a key that was given stands before a project that was not
  const project = vertex.project ?? (apiKey === undefined ? environment("GOOGLE_CLOUD_PROJECT") : undefined)
  const location = vertex.location ?? environment("GOOGLE_CLOUD_LOCATION") ?? "global"
  const key = accessToken === undefined ? apiKeyFrom(apiKey, "GOOGLE_API_KEY") : undefined
  return {
    baseURL: baseURL ?? environment("GOOGLE_VERTEX_BASE_URL") ?? vertexHost(project && location),
    path: `${apiVersion}/${vertexPath(model, project, location)}`,
    headers: headersWith(key, headers),
    ...(accessToken !== undefined && {
      auth: async () => ({
        authorization: `Bearer ${typeof accessToken === "string" ? accessToken : await accessToken()}`,
      }),
    }),
  }
}

function placeOfClient({ model, client, baseURL, headers, apiVersion }: GeminiOptions): Place {
  const { apiClient: api } = client as unknown as { readonly apiClient?: ApiClient }
  if (typeof api?.getBaseUrl !== "function") {
    const message = "The client is no GoogleGenAI of @google/genai: pass new GoogleGenAI({ … }), or apiKey and baseURL."
    throw modelError({ code: "invalid_request", message })
  }
  const key = api.getApiKey()
  const path = api.isVertexAI() ? vertexPath(model, api.getProject(), api.getLocation() ?? "") : modelPath(model)
  return {
    baseURL: baseURL ?? api.getBaseUrl(),
    path: `${apiVersion ?? api.getApiVersion()}/${path}`,
    headers: { ...(key !== undefined && { "x-goog-api-key": key }), ...api.getHeaders(), ...headers },
    ...(key === undefined && { auth: async () => Object.fromEntries(await api.getAuthHeaders()) }),
    fetch: api.getFetch?.(),
  }
}

const headersWith = (key: string | undefined, headers: Headers = {}): Headers => ({
  "user-agent": "agentscope-ts",
  "x-goog-api-key": key,
  ...headers,
})

const modelPath = (model: string): string => (/^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`)

function vertexPath(model: string, project: string | undefined, location: string): string {
  if (model.startsWith("projects/")) return model
  const name = /^(?:publishers|models|endpoints)\//.test(model) ? model : `publishers/google/models/${model}`
  return project ? `projects/${project}/locations/${location}/${name}` : name
}

function vertexHost(location: string | undefined): string {
  if (!location || location === "global") return "https://aiplatform.googleapis.com"
  if (location === "us" || location === "eu") return `https://aiplatform.${location}.rep.googleapis.com`
  return `https://${location}-aiplatform.googleapis.com`
}
