import { AgentScopeError, ambient } from "@agentscope-ts/message"
import { modelError } from "../errors/model-error.ts"
import type { Exchange, SendOptions, Transport } from "./exchange.ts"
import { readResponse } from "./fetch-transport.ts"
import { httpError } from "./http-error.ts"
import type { Target } from "./target.ts"

/** The errors of vendors' SDKs, by what they carry. */
interface ClientError {
  readonly name?: string
  readonly status?: number
  readonly headers?: Headers
  readonly error?: unknown
  readonly message?: string
}

/** Clients of the generated SDKs can be copied with another `fetch`: how a tape gets between. */
interface Copyable {
  readonly fetch?: unknown
  withOptions?(options: { fetch: typeof globalThis.fetch }): unknown
}

/**
 * Sends through an instance of a vendor's SDK, with its authentication, endpoints and retries; we read the answer. `call`
 * makes the request of the parsed body and answers with the raw response.
 */
export class ClientTransport<Client extends object> implements Transport {
  readonly #client: Client
  readonly #call: (client: Client, body: never, signal: AbortSignal) => Promise<Response>

  constructor(client: Client, call: (client: Client, body: never, signal: AbortSignal) => Promise<Response>) {
    this.#client = client
    this.#call = call
  }

  post(target: Target, body: Uint8Array, exchange: Exchange, options: SendOptions): Promise<void> {
    const client = taped(this.#client)
    const request = async (signal: AbortSignal): Promise<Response> => {
      try {
        return await this.#call(client, JSON.parse(new TextDecoder().decode(body)) as never, signal)
      } catch (error) {
        throw translated(error, target)
      }
    }
    return readResponse(request, target, exchange, options)
  }
}

function taped<Client extends object>(client: Client): Client {
  const wrap = ambient().transport
  const copyable = client as Copyable
  if (!wrap || !copyable.withOptions) return client
  const inner = typeof copyable.fetch === "function" ? (copyable.fetch as typeof globalThis.fetch) : globalThis.fetch
  return copyable.withOptions({ fetch: wrap(inner) }) as Client
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
