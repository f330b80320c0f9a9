import type { JsonObject, JsonValue } from "@agentscope-ts/message"
import type { ChatModel } from "@agentscope-ts/model"
import type { McpAuth } from "./auth/mcp-auth.ts"
import type { SamplingHandler } from "./requests/sampling-request.ts"

/** A server's question to the person, as a form. */
export interface ElicitationRequest {
  readonly message: string
  /** The JSON Schema of the form: an object of plain values. Defaults of fields that an answer leaves out are filled in. */
  readonly schema: JsonObject
  /** Aborts when the server takes the question back, or the connection ends. */
  readonly signal: AbortSignal
}

/** A server's wish that the person opens a page, for what must not pass through the client. */
export interface UrlElicitationRequest {
  readonly message: string
  readonly url: string
  readonly elicitationId: string
  readonly signal: AbortSignal
}

/** What the person said. `content` belongs to an accepted form. */
export interface ElicitationAnswer {
  readonly action: "accept" | "decline" | "cancel"
  readonly content?: JsonObject
}

/** The levels of log messages, from the least to the most severe. */
export type McpLogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency"

/** A log message of a server. */
export interface McpLogMessage {
  readonly level: McpLogLevel
  readonly logger?: string
  readonly data: JsonValue
}

/**
 * What happens beside requests, for debugging. `noise`: a line on standard output that is no message, skipped. `stderr`: what
 * the server wrote there. `lost`: the connection ended by itself. `connected`: it is there (again). `ignored`: something
 * of the server's that breaks the protocol. `elicitation_complete`: a page that was opened has done its work. Texts are cut
 * at 2,000 characters.
 */
export interface McpEvent {
  readonly type: "noise" | "stderr" | "lost" | "connected" | "ignored" | "elicitation_complete"
  readonly text: string
}

/** What all clients take. */
export interface McpOptions {
  /** The server's name: in errors, in events, and in prefixed tool names. */
  name: string
  /** The longest wait for an answer or for its next progress, in milliseconds; 60,000 unless given. */
  timeoutMs?: number | undefined
  /** The longest that a request may take however much progress comes, in milliseconds; 600,000 unless given. */
  maxTimeoutMs?: number | undefined
  /** The longest that connecting may take, in milliseconds; 60,000 unless given. */
  connectTimeoutMs?: number | undefined
  /**
   * The names that models see: `plain` (the server's own; unless given) or `prefixed` (`mcp__SERVER__TOOL`, in the
   * letters that every provider takes).
   */
  toolNames?: "plain" | "prefixed" | undefined
  /** Whether the server's word counts in approvals: that a tool is read-only, say. False unless given. */
  trusted?: boolean | undefined
  /** Folders that the server may work in: paths, or `file:` URLs. `setRoots` changes them. */
  roots?: readonly string[] | undefined
  /** Answers the server's forms; without it the server is told that there is nobody to ask. */
  onElicitation?: ((request: ElicitationRequest) => ElicitationAnswer | Promise<ElicitationAnswer>) | undefined
  /** Shows the person a page of the server's; without it the server is told that this cannot be. */
  onUrlElicitation?: ((request: UrlElicitationRequest) => ElicitationAnswer | Promise<ElicitationAnswer>) | undefined
  /** Answers the server's requests for a completion: a model, or a function that may look at them first. */
  sampling?: ChatModel | SamplingHandler | undefined
  onLog?: ((message: McpLogMessage) => void) | undefined
  onEvent?: ((event: McpEvent) => void) | undefined
}

/** A server that is started as a process. */
export interface StdioOptions extends McpOptions {
  command: string
  args?: readonly string[] | undefined
  /**
   * Variables for the server, over a base of harmless ones of this process (`PATH`, `HOME`, `LANG`, …) and of those that
   * lead to the net (certificates, proxies, npm's registry). The others of this process, its keys and tokens among them, are not handed on: name here what the server needs.
   */
  env?: Readonly<Record<string, string>> | undefined
  cwd?: string | undefined
}

/** Headers, or a function that makes them anew for each request (fresh tokens). */
export type HeaderSource =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)

/** A server that is reached over HTTP. */
export interface HttpOptions extends McpOptions {
  url: string | URL
  /** `streamable-http` unless given; `sse` is the older transport, and never fallen back to unasked. */
  transport?: "streamable-http" | "sse" | undefined
  /** Sent with every request to the server's own origin. */
  headers?: HeaderSource | undefined
  fetch?: typeof globalThis.fetch | undefined
  /** How the client proves who it is: OAuth 2.1, or a token. */
  auth?: McpAuth | undefined
}
