import { clientError, tapedClient } from "./client-error.ts"
import type { Exchange, SendOptions, Transport } from "./exchange.ts"
import { readResponse } from "./fetch-transport.ts"
import type { Target } from "./target.ts"

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
    const client = tapedClient(this.#client)
    const request = async (signal: AbortSignal): Promise<Response> => {
      try {
        return await this.#call(client, JSON.parse(new TextDecoder().decode(body)) as never, signal)
      } catch (error) {
        throw clientError(error, target.label)
      }
    }
    return readResponse(request, target, exchange, options)
  }
}
