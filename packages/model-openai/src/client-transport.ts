import { AgentScopeError, ambient } from "@agentscope-ts/message"
import { modelError } from "@agentscope-ts/model"
import {
  type Exchange,
  httpError,
  readResponse,
  type SendOptions,
  type Target,
  type Transport,
} from "@agentscope-ts/model/wire"
import type { OpenAIClient } from "./openai-options.ts"

/** The SDK's own errors, by what they carry. */
interface ClientError {
  readonly name?: string
  readonly status?: number
  readonly headers?: Headers
  readonly error?: unknown
  readonly message?: string
}

/** Clients can be copied with another `fetch`: how a tape gets between. */
interface Copyable extends OpenAIClient {
  readonly fetch?: typeof globalThis.fetch
  withOptions?(options: { fetch: typeof globalThis.fetch }): OpenAIClient
}

/** Sends through an instance of the official client, with its authentication, endpoints and retries; we read the answer. */
export class ClientTransport implements Transport {
  readonly #client: OpenAIClient

  constructor(client: OpenAIClient) {
    this.#client = client
  }

  post(target: Target, body: Uint8Array, exchange: Exchange, options: SendOptions): Promise<void> {
    const client = taped(this.#client)
    const request = async (signal: AbortSignal): Promise<Response> => {
      try {
        const json: unknown = JSON.parse(new TextDecoder().decode(body))
        return await client.chat.completions.create(json as never, { signal }).asResponse()
      } catch (error) {
        throw translated(error, target)
      }
    }
    return readResponse(request, target, exchange, options)
  }
}

function taped(client: Copyable): OpenAIClient {
  const wrap = ambient().transport
  if (!wrap || !client.withOptions) return client
  return client.withOptions({ fetch: wrap(client.fetch ?? globalThis.fetch) })
}

function translated(error: unknown, target: Target): unknown {
  if (AgentScopeError.is(error)) return error
  const { status, headers, error: body, name, message } = error as ClientError
  if (typeof status === "number") {
    const known = headers instanceof Headers ? Object.fromEntries(headers) : {}
    const text = body === undefined ? (message ?? "") : JSON.stringify({ error: body })
    return httpError({ label: target.label, status, headers: known, body: text })
  }
  if (name === "APIConnectionTimeoutError" || /timed out/i.test(message ?? "")) {
    return modelError({
      code: "timeout",
      message: `${target.label} did not answer in the client's time.`,
      cause: error,
    })
  }
  return error
}
