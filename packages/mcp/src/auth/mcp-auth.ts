/** How a client proves who it is. */
export interface McpAuth {
  readonly type: string
}

/** What the transports of the SDK take for it. */
export function transportAuth(_auth: McpAuth, _serverUrl: URL): { authProvider?: never; fetch?: typeof fetch } {
  return {}
}
