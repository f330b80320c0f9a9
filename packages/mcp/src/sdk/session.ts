import type { JsonObject, JsonValue } from "@agentscope-ts/message"
import type { McpEvent } from "../mcp-options.ts"

/** What a server said of itself in its answer to `initialize`. */
export interface ServerFacts {
  readonly name: string
  readonly version: string
  readonly title?: string
  /** How the server wants to be used: written by its author, as untrusted as anything it sends. */
  readonly instructions?: string
  readonly capabilities: JsonObject
}

/** Progress of a request, as the server told it. */
export interface McpProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** The terms of one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: McpProgress) => void) | undefined
}

/** What a session tells and asks. */
export interface SessionHandlers {
  /** Answers a request of the server; undefined: there is no such method here. */
  onRequest(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> | undefined
  onNotification(method: string, params: JsonObject): void
  onEvent(event: McpEvent): void
  /** The connection ended by itself, or does not hear the server any more. */
  onLost(session: Session): void
}

/** One initialized connection to a server. */
export interface Session {
  readonly server: ServerFacts
  /** Whether requests can be made: not before it is connected, nor after it was lost or closed. */
  readonly isOpen: boolean
  /** One request; rejects with an error of this package, or with the reason of the signal. */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>
  notify(method: string, params: JsonObject): Promise<void>
  /** Takes no more requests, and ends without a goodbye once those under way are done. */
  retire(): void
  /** Ends it; does nothing the second time. */
  close(): Promise<void>
}

/** Any JSON value as an object: what is none is empty. */
export function asObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

/** A JSON value as a string, if it is one. */
export function asString(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined
}
