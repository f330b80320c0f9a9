import type { McpEvent, StdioOptions } from "../mcp-options.ts"
import { StdioTransport } from "../stdio/stdio-transport.ts"
import type { Wire } from "./open-session.ts"

/** The way to a server that is a process. */
export function stdioWire(options: StdioOptions, report: (event: McpEvent) => void): Wire {
  const transport = new StdioTransport(options, report)
  return {
    transport: transport as unknown as Wire["transport"],
    ending: () => transport.ending,
    babble: () => transport.babble,
    silence: () => transport.silence,
    isGone: () => transport.isGone,
  }
}
