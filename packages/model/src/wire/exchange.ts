import type { Target } from "./target.ts"

/** Response headers by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>

/** The receiving side of one request. What a method throws ends the request with that error. */
export interface Exchange {
  /** The answer began. `headers` parses them when called: only errors need it. */
  onHead(status: number, headers: () => ResponseHeaders): void
  onBytes(bytes: Uint8Array): void
  /**
   * Set once the answer is whole although its body is still open: the body has this many milliseconds to end or to go
   * on, then the request ends as if it had, and the connection is closed.
   */
  readonly graceMs?: number | undefined
}

/** What one request can be told. */
export interface SendOptions {
  readonly signal?: AbortSignal | undefined
  /** How long nothing may come before the request is given up, in milliseconds (10 minutes): the error `timeout`. */
  readonly timeoutMs?: number | undefined
}

/** Sends one POST. Resolves when the body of the answer has ended. */
export interface Transport {
  post(target: Target, body: Uint8Array, exchange: Exchange, options: SendOptions): Promise<void>
}

/** Ten minutes without a byte. */
export const defaultTimeoutMs = 600_000
