import type { JsonObject } from "@agentscope-ts/message"
import type { ToolSchema } from "@agentscope-ts/model"
import type { ContextValues, ToolState } from "@agentscope-ts/tool"
import { mcpError } from "../error.ts"
import type { McpLogLevel } from "../mcp-options.ts"
import { CallSession, type ClientFacts } from "./call-session.ts"
import { callTool } from "./call-tool.ts"
import { completionOf, unknownPrompt } from "./completion.ts"
import { isMetaTool, listedTools } from "./listing.ts"
import type { McpClientInfo } from "./mcp-session.ts"
import { pageOf } from "./page.ts"
import { unknownResource } from "./resource-book.ts"
import type { ClientRequest, Peer, PeerHandlers, ServerSdk } from "./sdk.ts"
import { promptResult } from "./served-prompt.ts"
import type { Served } from "./served.ts"
import { Turns } from "./turns.ts"
import type { RequestId } from "./wire.ts"

const mostSubscriptions = 1000
const mostRunning = 1000
const nothing = (): void => {}

/** How a session is opened. */
export interface SessionInit {
  /** Absent over stdio and without sessions. */
  readonly id?: string | undefined
  /** False where each request stands alone: there is nobody to notify, and nothing to remember. */
  readonly lasting: boolean
  /** Values for `ctx.get`, before those of the server. */
  readonly context: () => ContextValues
  /** Told when the session has ended. */
  readonly onClose: () => void
}

/** One client's connection: its tool groups, log level and subscriptions, and the answers to its requests. */
export class ServerSession implements PeerHandlers {
  readonly #served: Served
  readonly #sdk: ServerSdk
  readonly #init: SessionInit
  readonly #state: ToolState
  readonly #facts: ClientFacts
  readonly #subscriptions = new Set<string>()
  readonly #turns = new Turns()
  #peer: Peer | undefined
  /** The tools that the client knows of, as far as it was told. */
  #told: readonly ToolSchema[] | undefined
  #checking = false
  #closing = false
  #running = 0

  constructor(served: Served, sdk: ServerSdk, init: SessionInit) {
    this.#served = served
    this.#sdk = sdk
    this.#init = init
    this.#state = served.toolkit.newState()
    this.#facts = { id: init.id, info: undefined, capabilities: {}, version: undefined, logLevel: "info" }
  }

  /** The version that client and server agreed on; `undefined` before that. */
  get version(): string | undefined {
    return this.#facts.version
  }

  /** To be called once, before the first message. */
  async attach(peer: Peer): Promise<void> {
    this.#peer = peer
    if (this.#closing) await peer.close()
  }

  closed(): void {
    this.#init.onClose()
  }

  async close(): Promise<void> {
    this.#closing = true
    await this.#peer?.close()
  }

  /** After a change of the toolkit: tells the client if its tools are others now. */
  toolsChanged(): void {
    // one look after any number of changes; sources that changed are listed first
    if (this.#checking || this.#told === undefined) return
    this.#checking = true
    void this.#served.toolkit
      .ready()
      .catch(() => {})
      .then(() => {
        this.#checking = false
        this.#tellTools()
      })
  }

  resourceUpdated(uri: string): void {
    if (this.#subscriptions.has(uri)) void this.#peer?.notify("notifications/resources/updated", { uri })
  }

  listChanged(what: "resources" | "prompts"): void {
    void this.#peer?.notify(`notifications/${what}/list_changed`)
  }

  async request(request: ClientRequest): Promise<JsonObject> {
    if (this.#running >= mostRunning) {
      throw mcpError("invalid_request", `${mostRunning} requests of this session are running: wait for some to end.`)
    }
    this.#running++
    try {
      return await this.#answer(request, this.#sdk.paramsOf(request))
    } finally {
      this.#running--
    }
  }

  // oxlint-disable-next-line complexity -- one line a method
  #answer(request: ClientRequest, params: JsonObject): Promise<JsonObject> | JsonObject {
    const { prompts, resources, pageSize } = this.#served
    switch (request.method) {
      case "initialize":
        return this.#initialize(params)
      case "logging/setLevel":
        this.#facts.logLevel = params["level"] as McpLogLevel
        return {}
      case "tools/list":
        return this.#listTools(params)
      case "tools/call":
        return this.#callTool(request, params)
      case "completion/complete":
        if (prompts || resources)
          return completionOf(params, prompts?.byName ?? new Map(), resources, this.#context(request))
        break
      case "prompts/list":
        if (prompts) return pageOf("prompts", prompts.listed, params, pageSize)
        break
      case "prompts/get":
        if (prompts) return this.#getPrompt(request, params)
        break
      case "resources/list":
        if (resources) return pageOf("resources", resources.listed, params, pageSize)
        break
      case "resources/templates/list":
        if (resources) return pageOf("resourceTemplates", resources.listedTemplates, params, pageSize)
        break
      case "resources/read":
        if (resources) return resources.read(params["uri"] as string, this.#context(request), this.#sdk)
        break
      case "resources/subscribe":
      case "resources/unsubscribe":
        if (resources && this.#init.lasting) return this.#subscribe(request.method, params["uri"] as string)
        break
    }
    throw mcpError("unknown_method", `This server has no method "${request.method}".`)
  }

  async #initialize(params: JsonObject): Promise<JsonObject> {
    if (this.#facts.version !== undefined) {
      throw mcpError("invalid_request", "This session is initialized already: open another one.")
    }
    const asked = params["protocolVersion"] as string
    this.#facts.version = this.#sdk.versions.includes(asked) ? asked : this.#sdk.latestVersion
    this.#facts.info = params["clientInfo"] as unknown as McpClientInfo
    this.#facts.capabilities = params["capabilities"] as JsonObject
    const { instructions, ...greeting } = this.#served.greeting(this.#init.lasting)
    const told = [instructions as string | undefined, await this.#skills()].filter((text) => text !== undefined)
    return {
      protocolVersion: this.#facts.version,
      ...greeting,
      ...(told.length > 0 && { instructions: told.join("\n\n") }),
    }
  }

  /** What the client's model has to know of the skills, as in a system prompt. */
  async #skills(): Promise<string | undefined> {
    try {
      return await this.#served.toolkit.skillPrompt(this.#state)
    } catch {
      // they are looked for again when the tools are listed, which tells what is wrong
      return undefined
    }
  }

  async #listTools(params: JsonObject): Promise<JsonObject> {
    const { toolkit, pageSize } = this.#served
    await toolkit.ready()
    const schemas = toolkit.schemas(this.#state)
    this.#told = schemas
    return pageOf("tools", listedTools(toolkit, schemas, this.#init.lasting), params, pageSize)
  }

  async #callTool(request: ClientRequest, params: JsonObject): Promise<JsonObject> {
    const { toolkit, approval } = this.#served
    await toolkit.ready()
    this.#told ??= toolkit.schemas(this.#state)
    const { session, signal } = this.#context(request)
    const context = [...this.#init.context(), ...this.#served.context]
    const name = params["name"] as string
    // the meta tool waits for nobody: what it switches is not what running calls use
    const end = isMetaTool(name) ? nothing : await this.#turns.enter(!toolkit.isConcurrencySafe(name), signal)
    let result: JsonObject
    try {
      const hasSessions = this.#init.lasting
      result = await callTool(params, { toolkit, state: this.#state, session, signal, context, approval, hasSessions })
    } finally {
      end()
    }
    // on the stream of the call: it is there, and a client need not open another one to learn of it
    this.#tellTools(request.id)
    return result
  }

  #tellTools(related?: RequestId): void {
    const now = this.#served.toolkit.schemas(this.#state)
    if (this.#told === undefined || now === this.#told || !this.#init.lasting) return
    this.#told = now
    void this.#peer?.notify("notifications/tools/list_changed", undefined, related)
  }

  #getPrompt(request: ClientRequest, params: JsonObject): Promise<JsonObject> {
    const name = params["name"] as string
    const prompt = this.#served.prompts?.byName.get(name)
    if (prompt === undefined) throw unknownPrompt(name)
    const values = (params["arguments"] ?? {}) as Readonly<Record<string, string>>
    return promptResult(prompt, values, this.#context(request))
  }

  #subscribe(method: string, uri: string): JsonObject {
    if (method === "resources/unsubscribe") {
      this.#subscriptions.delete(uri)
      return {}
    }
    if (!this.#served.resources?.has(uri, this.#sdk)) throw unknownResource(uri)
    if (this.#subscriptions.size >= mostSubscriptions && !this.#subscriptions.has(uri)) {
      throw mcpError("invalid_request", `A session has at most ${mostSubscriptions} subscriptions: give some up first.`)
    }
    this.#subscriptions.add(uri)
    return {}
  }

  #context(request: ClientRequest): { readonly session: CallSession; readonly signal: AbortSignal } {
    if (this.#peer === undefined) throw mcpError("connection_closed", "The session has no connection.")
    return { session: new CallSession(this.#facts, this.#peer, request), signal: request.signal }
  }
}
