import { checkEither } from "./check-options.ts"
import { McpClient } from "./mcp-client.ts"
import type { HttpOptions, McpLogMessage, StdioOptions } from "./mcp-options.ts"
import { answerServer, clientCapabilities } from "./requests/answer-server.ts"
import { httpWire, serverUrl } from "./sdk/http-wire.ts"
import { openSession, type Wire } from "./sdk/open-session.ts"
import type { Session } from "./sdk/session.ts"

/** A client that keeps nothing: each request has a connection of its own, which is closed when the request is done. */
export class StatelessMcpClient extends McpClient {
  readonly #options: StdioOptions | HttpOptions

  /** Throws `invalid_argument` for options that do not exist or make no sense. */
  constructor(options: StdioOptions | HttpOptions) {
    super(options)
    checkEither(options)
    if ("url" in options) serverUrl(options)
    this.#options = options
  }

  async #wire(): Promise<Wire> {
    const options = this.#options
    if ("url" in options) return httpWire(options)
    const { stdioWire } = await import("./sdk/stdio-wire.ts")
    return stdioWire(options, (event) => this.report(event))
  }

  protected async use<T>(work: (session: Session) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted()
    const options = this.#options
    const session = await openSession({
      options,
      capabilities: clientCapabilities(options),
      wire: await this.#wire(),
      signal,
      handlers: {
        onRequest: (method, params, stop) => answerServer(method, params, options, stop),
        onNotification: (method, params) => {
          if (method === "notifications/message") options.onLog?.(params as unknown as McpLogMessage)
        },
        onEvent: (event) => this.report(event),
        onLost: () => {},
      },
    })
    try {
      return await work(session)
    } finally {
      await session.close()
    }
  }
}
