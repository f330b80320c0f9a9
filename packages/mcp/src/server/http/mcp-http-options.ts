/** How a server answers over HTTP. */
export interface McpHttpOptions {
  /**
   * What clients have to send as `Authorization: Bearer …`, or a function that judges it. Needed as soon as the server can be
   * reached beyond this machine; `() => true` where something in front of it has judged already.
   */
  token?: string | ((token: string, request: Request) => boolean | Promise<boolean>) | undefined
  /** Names by which the server may be called (`Host`), beside those of this machine itself: `mcp.example.com`, or with a port. */
  allowedHosts?: readonly string[] | undefined
  /** Web pages that may call it (`Origin`), beside those of its own hosts: `https://app.example.com`. They get CORS headers. */
  allowedOrigins?: readonly string[] | undefined
  /** True: every request stands alone, without session, notifications and questions to the client. */
  stateless?: boolean | undefined
  /** The most bytes of a request; 4 MiB unless given. */
  maxBodyBytes?: number | undefined
  /** The most sessions at a time; 1,000 unless given. One more takes the place of the longest idle one, or is refused (503). */
  maxSessions?: number | undefined
  /** How long a session may be idle, in milliseconds, before it is over; 30 minutes unless given. */
  sessionIdleMs?: number | undefined
  /** When clients come back for an answer, in milliseconds after their stream ended; 1,000 unless given. */
  retryMs?: number | undefined
  /**
   * How long calls go on, in milliseconds, whose client has gone and could come back; 30,000 unless given. Calls of clients
   * that could not are aborted at once.
   */
  resumeMs?: number | undefined
}
