import { ambient } from "@agentscope-ts/message"
import {
  apiKeyFrom,
  environment,
  environmentHeaders,
  joinUrl,
  objectIn,
  parseJson,
  postBody,
  postJson,
  readResponse,
  TextCollector,
  targetOf,
  type Transport,
} from "@agentscope-ts/model/wire"

/** How DashScope is reached. */
export interface DashScopeServiceOptions {
  /** `DASHSCOPE_API_KEY` unless given. */
  apiKey?: string | undefined
  /** `DASHSCOPE_HTTP_BASE_URL`, `DASHSCOPE_BASE_URL` or `https://dashscope.aliyuncs.com/api/v1` unless given. */
  baseURL?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

/** One request to the service. */
export interface ServiceRequest {
  readonly signal?: AbortSignal | undefined
  /** Whether an `oss:` URL is among its inputs. */
  readonly resolvesOss?: boolean | undefined
  /** Whether the answer is a task that goes on in the background. */
  readonly isTask?: boolean | undefined
}

/** A request of any kind. */
export interface PlainRequest {
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: FormData
  readonly signal?: AbortSignal | undefined
  /** What its errors must not show, divided by blanks. */
  readonly secrets?: string | undefined
}

type Fields = Readonly<Record<string, unknown>>

/** DashScope's HTTP API beside chat. Errors have the codes of a model; the key is in none of them. */
export class DashScopeService {
  readonly baseURL: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch | undefined

  /** Throws `missing_api_key`, or `invalid_request` for an address that cannot be. */
  constructor({ apiKey, baseURL, headers, fetch }: DashScopeServiceOptions) {
    const base = baseURL ?? environment("DASHSCOPE_HTTP_BASE_URL") ?? environment("DASHSCOPE_BASE_URL")
    // the base of the mode that speaks OpenAI's format stands beside ours
    this.baseURL = (base ?? "https://dashscope.aliyuncs.com/api/v1").replace(/\/compatible-mode\/v1\/?$/, "/api/v1")
    this.headers = {
      authorization: `Bearer ${apiKeyFrom(apiKey, "DASHSCOPE_API_KEY")}`,
      "user-agent": "agentscope-ts",
      ...environmentHeaders("DASHSCOPE_API_HEADERS"),
      ...headers,
    }
    this.fetch = fetch
    targetOf(this.baseURL, this.headers)
  }

  /** Where tasks with streams of sound go: `DASHSCOPE_WEBSOCKET_BASE_URL`, or beside the base URL. */
  get socketURL(): string {
    const own = environment("DASHSCOPE_WEBSOCKET_BASE_URL")
    if (own !== undefined) return own
    const url = new URL(this.baseURL)
    url.protocol = url.protocol === "http:" ? "ws:" : "wss:"
    url.pathname = url.pathname.replace(/\/api\/v1\/?$/, "/api-ws/v1/inference")
    return url.href
  }

  /** Posts JSON; the answer's object. */
  async post(path: string, body: unknown, { signal, resolvesOss, isTask }: ServiceRequest = {}): Promise<Fields> {
    const headers = {
      ...this.headers,
      "x-dashscope-async": isTask ? "enable" : undefined,
      "x-dashscope-ossresourceresolve": resolvesOss ? "enable" : undefined,
    }
    const answer = await postJson(joinUrl(this.baseURL, path), body, { headers, signal, fetch: this.fetch })
    return objectIn<Fields>(answer) ?? {}
  }

  /** Gets JSON of the service's own; the answer's object. */
  async get(path: string, query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Fields> {
    const url = new URL(joinUrl(this.baseURL, path))
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return this.getJson(url.href, this.headers, signal)
  }

  /** Gets JSON from anywhere, with these headers and no others. */
  async getJson(url: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Fields> {
    const text = await this.request(url, {
      headers: { accept: "application/json", ...headers },
      ...(signal && { signal }),
    })
    return objectIn<Fields>(parseJson(text, `The answer of ${targetOf(url).label}`)) ?? {}
  }

  /**
   * Any other request; the text of its answer. Redirects are not followed, and `secrets` are left out of errors.
   */
  async request(url: string, { secrets, signal, headers, ...init }: PlainRequest): Promise<string> {
    // of the target only the name and what must not be shown are used
    const target = targetOf(url, { ...headers, "x-secrets": secrets })
    const own = this.fetch ?? globalThis.fetch
    const fetch = ambient().transport?.(own) ?? own
    const send = (own: AbortSignal) => fetch(target.url, { ...init, headers, redirect: "manual", signal: own })
    // the exchange is the kit's own, which knows errors and limits; only the way to send differs
    const transport: Transport = {
      post: (_target, _body, exchange, options) => readResponse(send, target, exchange, options),
    }
    const reader = new TextCollector()
    await postBody(transport, target, new Uint8Array(), reader, { signal })
    return reader.text
  }
}
