import { checkHttp } from "./check-options.ts"
import type { HttpOptions } from "./mcp-options.ts"
import { httpWire, serverUrl } from "./sdk/http-wire.ts"
import type { Wire } from "./sdk/open-session.ts"
import { StatefulMcpClient } from "./stateful-mcp-client.ts"

/**
 * A client of a server that is reached over HTTP. When the server has forgotten the session, or was down, the next request
 * opens a new one; streams that break off are taken up where they were.
 */
export class HttpMcpClient extends StatefulMcpClient {
  protected readonly limitsLosses = false
  readonly #options: HttpOptions

  /** Throws `invalid_argument` where the url is none, and for options that do not exist or make no sense. */
  constructor(options: HttpOptions) {
    super(options)
    checkHttp(options)
    serverUrl(options)
    this.#options = options
  }

  protected wire(): Promise<Wire> {
    return httpWire(this.#options)
  }
}
