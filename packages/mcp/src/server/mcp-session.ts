import type { InferOutput, JsonObject, JsonValue, Msg, Schema } from "@agentscope-ts/message"
import type { ToolChoice, ToolSchema } from "@agentscope-ts/model"
import type { McpLogLevel } from "../mcp-options.ts"

/** Who is at the other end. */
export interface McpClientInfo {
  readonly name: string
  readonly version: string
  readonly title?: string
}

/** What a person answered to a form: `content` fits the schema. */
export type Elicited<T> =
  | { readonly action: "accept"; readonly content: T }
  | { readonly action: "decline" }
  | { readonly action: "cancel" }

/** How long a question may wait. */
export interface AskOptions {
  /** In milliseconds; 300,000 unless given. */
  timeoutMs?: number | undefined
}

/** The terms of a completion that the client's model makes. */
export interface SamplingOptions extends AskOptions {
  /** The most tokens of the answer. */
  maxTokens: number
  systemPrompt?: string | undefined
  temperature?: number | undefined
  stop?: readonly string[] | undefined
  /** Tools that the model may ask for; the client must be able to (`sampling.tools`), and does not run them. */
  tools?: readonly ToolSchema[] | undefined
  toolChoice?: Exclude<ToolChoice, { readonly name: string }> | undefined
  /** Which model would do best, in the protocol's words: `hints`, `costPriority`, `speedPriority`, `intelligencePriority`. */
  modelPreferences?: JsonObject | undefined
}

/** What the client's model said. */
export interface Sampled {
  readonly msg: Msg
  readonly model: string
  /** The protocol's word: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or one of the provider's own. */
  readonly stopReason?: string
}

/** A folder or file that the client lets the server work on. */
export interface McpRoot {
  readonly uri: string
  readonly name?: string
}

/**
 * The client that called, from inside a tool, prompt or resource: `ctx.get(McpSession)`. What it sends belongs to that call
 * and stops with it. Asking a client for what it cannot do throws `unsupported`; one that answers with an error
 * `client_error`, too late `timeout`, or not at all `connection_closed`.
 */
export abstract class McpSession {
  /** The session's id over HTTP; absent over stdio and without sessions. */
  abstract readonly id: string | undefined
  abstract readonly client: McpClientInfo | undefined
  /** What the client can do, in the protocol's words: `elicitation`, `sampling`, `roots`, … */
  abstract readonly capabilities: JsonObject
  /** Sends a log message, where the client wants that level or one below it: `info` until it says. */
  abstract log(level: McpLogLevel, data: JsonValue, logger?: string): void
  /** Says how far the call is, where the client asked for that. A value that is not above the last one is left out. */
  abstract progress(progress: number, total?: number, message?: string): void
  /** Asks the person at the client to fill in a form: a flat object of plain values. */
  abstract elicit<const S extends Schema>(
    message: string,
    schema: S,
    options?: AskOptions,
  ): Promise<Elicited<InferOutput<S>>>
  /**
   * Asks the person to open a page, for what must not pass through the client. Resolves when they agree to open it;
   * `complete` tells the client that the page has done its work.
   */
  abstract elicitUrl(
    message: string,
    url: string,
    options?: AskOptions,
  ): Promise<{ readonly action: "accept" | "decline" | "cancel"; complete(): void }>
  /** Lets the client's model answer: a prompt, or messages (those of the system go into the system prompt). */
  abstract createMessage(messages: string | readonly Msg[], options: SamplingOptions): Promise<Sampled>
  abstract roots(options?: AskOptions): Promise<readonly McpRoot[]>
  /**
   * Ends the stream that the answer would come on: the client comes back for it, so that a long call does not hold a
   * connection (SEP-1699). Nothing happens where the client could not come back: over stdio, without sessions, and with
   * clients older than 2025-11-25.
   */
  abstract closeStream(): void
}
