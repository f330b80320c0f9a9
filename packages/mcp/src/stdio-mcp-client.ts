import { checkStdio } from "./check-options.ts"
import type { StdioOptions } from "./mcp-options.ts"
import type { Wire } from "./sdk/open-session.ts"
import { StatefulMcpClient } from "./stateful-mcp-client.ts"

/**
 * A client of a server that it starts as a process, and that ends with it. When the process dies, what is under way fails
 * at once with `server_exited` and the end of its standard error; the next request starts it again, at most five times a minute.
 */
export class StdioMcpClient extends StatefulMcpClient {
  protected readonly limitsLosses = true
  readonly #options: StdioOptions

  /** Throws `invalid_argument` for options that do not exist or make no sense. */
  constructor(options: StdioOptions) {
    super(options)
    checkStdio(options)
    this.#options = options
  }

  protected async wire(): Promise<Wire> {
    const { stdioWire } = await import("./sdk/stdio-wire.ts")
    return stdioWire(this.#options, (event) => this.report(event))
  }
}
