import type { JsonObject } from "@agentscope-ts/message"

/** The id of a JSON-RPC request. */
export type RequestId = string | number

/** A JSON-RPC message: a request, a notification or an answer. */
export type WireMessage = JsonObject

/** What a wire tells of a request beside the request. */
export interface WireExtra {
  /** Ends the stream that the answer would come on, so that the client fetches it later; absent where that cannot be. */
  readonly closeStream?: (() => void) | undefined
}

/** One connection, which carries JSON-RPC messages both ways. Whoever uses it sets the callbacks, then calls `start`. */
export interface Wire {
  onmessage?: ((message: WireMessage, extra?: WireExtra) => void) | undefined
  onclose?: (() => void) | undefined
  start(): Promise<void>
  /** `related` is the request on whose stream a message of the server's own goes. Rejects when it cannot be delivered. */
  send(message: WireMessage, related?: RequestId): Promise<void>
  /** The client gave a request up, so that no answer will come. */
  dropped(id: RequestId): void
  close(): Promise<void>
}
