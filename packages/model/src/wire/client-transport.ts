import { clientError, tapedClient } from "./client-error.ts"
import type { Exchange, SendOptions, Transport } from "./exchange.ts"
import { readResponse } from "./fetch-transport.ts"
import type { Target } from "./target.ts"

/** Makes a request of the parsed body and answers with the raw response. */
export type ClientCall<Client> = (client: Client, body: never, signal: AbortSignal, target: Target) => Promise<Response>

/**
 * Sends through an instance of a vendor's SDK, with its authentication, endpoints and retries; we read the answer.
 */
export class ClientTransport<Client extends object> implements Transport {
  readonly #client: Client
  readonly #call: ClientCall<Client>

  constructor(client: Client, call: ClientCall<Client>) {
    this.#client = client
    this.#call = call
  }

  post(target: Target, body: Uint8Array, exchange: Exchange, options: SendOptions): Promise<void> {
    const client = tapedClient(this.#client)
    const request = async (signal: AbortSignal): Promise<Response> => {
      try {
        return await this.#call(client, JSON.parse(new TextDecoder().decode(body)) as never, signal, target)
      } catch (error) {
        throw clientError(error, target.label)
      }
    }
    return readResponse(request, target, exchange, options)
  }
}
