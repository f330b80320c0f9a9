import { type InferOutput, type JsonObject, type JsonValue, type Msg, newId, type Schema } from "@agentscope-ts/message"
import { jsonSchemaOf, validatorOf } from "@agentscope-ts/model"
import { mcpError } from "../error.ts"
import type { McpLogLevel } from "../mcp-options.ts"
import { wantsLevel } from "./log-level.ts"
import {
  type AskOptions,
  type Elicited,
  type McpClientInfo,
  type McpRoot,
  McpSession,
  type Sampled,
  type SamplingOptions,
} from "./mcp-session.ts"
import { ProgressReporter } from "./progress.ts"
import { sampledOf, samplingParams } from "./sampling.ts"
import type { ClientRequest, Peer } from "./sdk.ts"

/** What a session knows of its client. */
export interface ClientFacts {
  readonly id: string | undefined
  info: McpClientInfo | undefined
  capabilities: JsonObject
  version: string | undefined
  logLevel: McpLogLevel
}

const defaultTimeoutMs = 300_000

/** The {@link McpSession} of one request. */
export class CallSession extends McpSession {
  readonly reporter: ProgressReporter
  readonly #facts: ClientFacts
  readonly #peer: Peer
  readonly #request: ClientRequest

  constructor(facts: ClientFacts, peer: Peer, request: ClientRequest) {
    super()
    this.#facts = facts
    this.#peer = peer
    this.#request = request
    this.reporter = new ProgressReporter((params) => this.#sendProgress(params))
  }

  get id(): string | undefined {
    return this.#facts.id
  }

  get client(): McpClientInfo | undefined {
    return this.#facts.info
  }

  get capabilities(): JsonObject {
    return this.#facts.capabilities
  }

  log(level: McpLogLevel, data: JsonValue, logger?: string): void {
    if (!wantsLevel(this.#facts.logLevel, level) || this.#request.signal.aborted) return
    const params = { level, data, ...(logger !== undefined && { logger }) }
    void this.#peer.notify("notifications/message", params, this.#request.id)
  }

  progress(progress: number, total?: number, message?: string): void {
    this.reporter.report(progress, total, message)
  }

  async elicit<const S extends Schema>(
    message: string,
    schema: S,
    options?: AskOptions,
  ): Promise<Elicited<InferOutput<S>>> {
    const able = this.#facts.capabilities["elicitation"] as JsonObject | undefined
    // a client of before 2025-11-25 says nothing of forms and means them
    if (!able || (able["form"] === undefined && able["url"] !== undefined)) throw cannot("fill in forms (elicitation)")
    const requestedSchema = jsonSchemaOf(schema, "The form") as JsonObject
    const params = {
      // a word that older clients do not know
      ...((this.#facts.version ?? "") >= "2025-11-25" && { mode: "form" }),
      message,
      requestedSchema: { type: "object", ...requestedSchema },
    }
    const { action, content } = await this.#ask("elicitation/create", params, options)
    if (action === "decline" || action === "cancel") return { action }
    const checked = validatorOf(schema)(content ?? {})
    if (action === "accept" && checked.ok) return { action, content: checked.value as InferOutput<S> }
    const why = checked.ok
      ? `its action is ${JSON.stringify(action)}`
      : (checked.issues[0]?.message ?? "it does not fit")
    throw mcpError("invalid_response", `The client's answer to the form is none: ${why}.`)
  }

  async elicitUrl(
    message: string,
    url: string,
    options?: AskOptions,
  ): Promise<{ readonly action: "accept" | "decline" | "cancel"; complete(): void }> {
    const able = this.#facts.capabilities["elicitation"] as JsonObject | undefined
    if (able?.["url"] === undefined) throw cannot("open pages (elicitation by URL)")
    const elicitationId = newId()
    const { action } = await this.#ask("elicitation/create", { mode: "url", message, url, elicitationId }, options)
    if (action !== "accept" && action !== "decline" && action !== "cancel") {
      throw mcpError("invalid_response", `The client's answer to the page is none: ${JSON.stringify(action)}.`)
    }
    const complete = (): void => void this.#peer.notify("notifications/elicitation/complete", { elicitationId })
    return { action, complete }
  }

  async createMessage(messages: string | readonly Msg[], options: SamplingOptions): Promise<Sampled> {
    const able = this.#facts.capabilities["sampling"] as JsonObject | undefined
    if (!able) throw cannot("ask a model (sampling)")
    if (options.tools && able["tools"] === undefined) throw cannot("ask a model with tools (sampling.tools)")
    const params = samplingParams(messages, options, (this.#facts.version ?? "") >= "2025-11-25")
    return sampledOf(await this.#ask("sampling/createMessage", params, options))
  }

  async roots(options?: AskOptions): Promise<readonly McpRoot[]> {
    if (!this.#facts.capabilities["roots"]) throw cannot("list roots")
    const { roots } = await this.#ask("roots/list", {}, options)
    const isRoot = (root: JsonValue): boolean =>
      typeof root === "object" && root !== null && "uri" in root && typeof root["uri"] === "string"
    if (Array.isArray(roots) && roots.every(isRoot)) return roots
    throw mcpError("invalid_response", "The client's answer to roots/list has no list of roots.")
  }

  closeStream(): void {
    this.#request.closeStream?.()
  }

  #sendProgress(params: JsonObject): void {
    const { progressToken, id, signal } = this.#request
    if (progressToken === undefined || signal.aborted) return
    void this.#peer.notify("notifications/progress", { progressToken, ...params }, id)
  }

  #ask(method: string, params: JsonObject, { timeoutMs = defaultTimeoutMs }: AskOptions = {}): Promise<JsonObject> {
    const { id, signal } = this.#request
    signal.throwIfAborted()
    return this.#peer.request(method, params, { related: id, signal, timeoutMs })
  }
}

function cannot(what: string): Error {
  return mcpError(
    "unsupported",
    `The client cannot ${what}, or cannot be asked: it did not say so when it connected. Do without, or connect one that can.`,
  )
}
