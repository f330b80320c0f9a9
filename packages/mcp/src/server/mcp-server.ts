import type { JsonObject } from "@agentscope-ts/message"
import { type ApprovalPolicy, checkApprovalPolicy, type ContextValues, type Toolkit } from "@agentscope-ts/tool"
import { mcpError } from "../error.ts"
import { checkHandler, checkListen, checkServer } from "./check-server.ts"
import { type HttpHandler, McpHttp } from "./http/mcp-http.ts"
import type { McpHttpOptions } from "./http/mcp-http-options.ts"
import { type McpListener, listenOn, type McpListenOptions } from "./http/listen.ts"
import { ResourceBook } from "./resource-book.ts"
import { serverSdk } from "./sdk.ts"
import type { PromptBook, Served } from "./served.ts"
import { listedPrompt, type ServedPrompt } from "./served-prompt.ts"
import type { ServedResource, ServedResourceTemplate } from "./served-resource.ts"
import { ServerSession, type SessionInit } from "./server-session.ts"
import { type ServeStdioOptions, serveOverStdio } from "./stdio/serve-stdio.ts"
import type { Wire } from "./wire.ts"

/** What an {@link McpServer} serves. */
export interface McpServerOptions {
  name: string
  version: string
  title?: string | undefined
  /** Tells the client's model how to use the server. */
  instructions?: string | undefined
  /** Its tools; each client has its own active groups. External tools are not served. */
  toolkit: Toolkit
  /** Given, even empty: the server has prompts, and `setPrompts` may change them. */
  prompts?: readonly ServedPrompt[] | undefined
  /** Given, even empty: the server has resources, and `setResources` may change them. */
  resources?: readonly (ServedResource | ServedResourceTemplate)[] | undefined
  /** What may run. A call that has to be approved is put before the person at the client, as a form. */
  approval?: ApprovalPolicy | undefined
  /** Values that tools get by `ctx.get`, beside {@link McpSession}. */
  context?: ContextValues | undefined
  /** The most entries of a list in one answer; 1,000 unless given. */
  pageSize?: number | undefined
}

/**
 * Serves a toolkit over MCP: to the process that started this one (`serveStdio`), on a port (`listen`), or from within any
 * web server (`httpHandler`). Each client gets its own session, with its own tool groups.
 */
export class McpServer {
  readonly #options: McpServerOptions
  readonly #served: Served & { prompts: PromptBook | undefined; resources: ResourceBook | undefined }
  readonly #sessions = new Set<ServerSession>()
  readonly #closers = new Set<() => Promise<void>>()
  #stopListening: (() => void) | undefined
  #closed = false

  /** Throws `invalid_rule` for an approval rule that cannot be read, `invalid_argument` for options that make no sense. */
  constructor(options: McpServerOptions) {
    checkServer(options)
    const { pageSize = 1000, approval, prompts, resources } = options
    if (!(pageSize >= 1)) throw mcpError("invalid_argument", `The pageSize is ${pageSize}: it has to be 1 or more.`)
    if (approval) checkApprovalPolicy(approval)
    this.#options = options
    this.#served = {
      toolkit: options.toolkit,
      prompts: prompts && bookOf(prompts),
      resources: resources && new ResourceBook(resources),
      approval,
      context: options.context ?? [],
      pageSize: Math.floor(pageSize),
      greeting: (lasting) => this.#greeting(lasting),
    }
  }

  /** How many clients have a session. */
  get sessionCount(): number {
    return this.#sessions.size
  }

  /**
   * Serves the process at the other end of standard input and output, until it closes its end, this process is told to
   * stop (SIGINT, SIGTERM), or `close()`. Meanwhile everything else that is written to standard output goes to standard
   * error, for one stray line would break the protocol. Node only.
   */
  serveStdio(options: ServeStdioOptions = {}): Promise<void> {
    this.#checkOpen()
    return serveOverStdio((wire, onClose) => this.#open(wire, { lasting: true, context: () => [], onClose }), {
      ...options,
      onClosing: (close) => this.#whenClosing(close),
    })
  }

  /**
   * A handler for the server of any runtime. It answers on every path that it is given; which one that is, is the router's
   * matter. Throws `invalid_argument` for options that would leave the server open to others.
   */
  httpHandler(options: McpHttpOptions = {}): HttpHandler {
    this.#checkOpen()
    checkHandler(options)
    const http = new McpHttp((wire, init) => this.#open(wire, init), options)
    this.#whenClosing(() => http.close())
    return http.handler
  }

  /** Listens on a port of this machine, on the loopback address unless told otherwise. Node only. */
  async listen(options: McpListenOptions = {}): Promise<McpListener> {
    this.#checkOpen()
    checkListen(options)
    const listener = await listenOn((http) => new McpHttp((wire, init) => this.#open(wire, init), http), options)
    if (this.#closed) await listener.close()
    this.#checkOpen()
    const forget = this.#whenClosing(() => listener.close())
    const close = async (): Promise<void> => {
      forget()
      await listener.close()
    }
    return { ...listener, close, [Symbol.asyncDispose]: close }
  }

  /** Tells the clients that subscribed to it that a resource has changed. */
  resourceUpdated(uri: string): void {
    for (const session of this.#sessions) session.resourceUpdated(uri)
  }

  /** Takes the place of all resources, and tells the clients. Throws `unsupported` for a server made without resources. */
  setResources(resources: readonly (ServedResource | ServedResourceTemplate)[]): void {
    if (!this.#served.resources) throw withoutThem("resources")
    this.#served.resources = new ResourceBook(resources)
    for (const session of this.#sessions) session.listChanged("resources")
  }

  /** Takes the place of all prompts, and tells the clients. Throws `unsupported` for a server made without prompts. */
  setPrompts(prompts: readonly ServedPrompt[]): void {
    if (!this.#served.prompts) throw withoutThem("prompts")
    this.#served.prompts = bookOf(prompts)
    for (const session of this.#sessions) session.listChanged("prompts")
  }

  /** Ends all sessions, their calls and their streams, and stops listening. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#closers].map((close) => close()))
    await Promise.all([...this.#sessions].map((session) => session.close()))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #open(wire: Wire, init: SessionInit): Promise<ServerSession> {
    const sdk = await serverSdk()
    this.#checkOpen()
    const session: ServerSession = new ServerSession(this.#served, sdk, {
      ...init,
      onClose: () => {
        this.#sessions.delete(session)
        if (this.#sessions.size === 0) this.#unwatch()
        init.onClose()
      },
    })
    if (init.lasting) {
      this.#sessions.add(session)
      this.#stopListening ??= this.#served.toolkit.onChange(() => {
        for (const each of this.#sessions) each.toolsChanged()
      })
    }
    try {
      await session.attach(await sdk.open(wire, session))
    } catch (error) {
      session.closed()
      throw error
    }
    return session
  }

  #unwatch(): void {
    this.#stopListening?.()
    this.#stopListening = undefined
  }

  #whenClosing(close: () => Promise<void>): () => void {
    this.#closers.add(close)
    return () => void this.#closers.delete(close)
  }

  #checkOpen(): void {
    if (this.#closed)
      throw mcpError("server_closed", `The MCP server "${this.#options.name}" is closed: make a new one.`)
  }

  #greeting(lasting: boolean): JsonObject {
    const { name, version, title, instructions } = this.#options
    const { prompts, resources } = this.#served
    const listChanged = lasting
    return {
      capabilities: {
        tools: { listChanged },
        logging: {},
        ...(prompts && { prompts: { listChanged } }),
        ...(resources && { resources: { subscribe: lasting, listChanged } }),
        ...((prompts || resources) && { completions: {} }),
      },
      serverInfo: { name, version, ...(title !== undefined && { title }) },
      ...(instructions !== undefined && { instructions }),
    }
  }
}

function bookOf(prompts: readonly ServedPrompt[]): PromptBook {
  const byName = new Map(prompts.map((prompt) => [prompt.name, prompt]))
  return { byName, listed: [...byName.values()].map(listedPrompt) }
}

function withoutThem(what: string): Error {
  return mcpError("unsupported", `The MCP server was made without ${what}: give it ${what}: [] to begin with.`)
}
