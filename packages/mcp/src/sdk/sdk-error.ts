import { AgentScopeError, cutText, type JsonObject } from "@agentscope-ts/message"
import { mcpError } from "../error.ts"
import { malformedCode } from "./malformed-answer.ts"

interface Coded {
  readonly name?: unknown
  readonly code?: unknown
  readonly data?: unknown
}

/** What a schema of the SDK's has against an answer. */
interface SchemaIssue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

const connectionClosed = -32000

/** The status of an answer over HTTP that was an error, or undefined. */
export function httpStatus(error: unknown): number | undefined {
  if (AgentScopeError.is(error, "http_error")) return error.details["status"] as number
  return undefined
}

/** Whether the server no longer knows the session: HTTP 404, or 400 from those that say it so. */
export function isSessionGone(error: unknown): boolean {
  const status = httpStatus(error)
  return status === 404 || (status === 400 && error instanceof Error && /session/i.test(error.message))
}

/** What an SDK error means here. `ending` says how the server's process ended, where it has one and it has. */
export function fromSdk(error: unknown, server: string, method: string, ending: string | undefined): Error {
  if (AgentScopeError.is(error)) return error
  const cause = error instanceof Error ? error : undefined
  const { name, data, code = statusIn(cause) } = (cause ?? {}) as Coded
  const said = saidBy(cause, error)
  const details: JsonObject = { server, method }
  if (ending !== undefined) {
    const message = `The MCP server "${server}" went away during ${method}: it did not answer, and what it did is not known. ${ending}`
    return mcpError("server_exited", message, { cause, details })
  }
  if (cause?.constructor.name === "UnauthorizedError" || code === 401) {
    const message = `The MCP server "${server}" asks for an authorization: ${said}. Give the client an \`auth\`, or headers with a token.`
    return mcpError("unauthorized", message, { cause, details })
  }
  if (code === connectionClosed || said === "Not connected") {
    const message = `The connection to the MCP server "${server}" ended during ${method}: ${said}.`
    return mcpError("connection_closed", message, { cause, details })
  }
  const isNoAnswer = code === malformedCode || code === -1
  if (isNoAnswer || name === "ZodError" || name === "$ZodError" || name === "SyntaxError") {
    const message = `The MCP server "${server}" answered ${method} with something that breaks the protocol: ${said}`
    return mcpError("invalid_response", message, { cause, details })
  }
  if (name === "McpError" && typeof code === "number") {
    const more = data === undefined ? {} : { data: data as JsonObject }
    const message = `The MCP server "${server}" answered ${method} with an error: ${said} (code ${code}).`
    return mcpError("server_error", message, { cause, details: { ...details, code, ...more } })
  }
  if (typeof code === "number" && code >= 300) {
    const message = `The MCP server "${server}" answered ${method} with HTTP ${code}${said === "" ? " and no more." : `: ${said}`}`
    return mcpError("http_error", message, {
      cause,
      details: { ...details, status: code },
      retryable: code >= 500 || code === 429,
    })
  }
  if (cause !== undefined && !(cause instanceof TypeError) && cause.cause === undefined) {
    const message = `The request ${method} to the MCP server "${server}" failed: ${said}`
    return mcpError("connection_closed", message, { cause, details })
  }
  const deeper = cause?.cause instanceof Error ? ` (${cause.cause.message || cause.cause.name})` : ""
  const message = `The MCP server "${server}" could not be reached for ${method}: ${said}${deeper}.`
  return mcpError("connection_closed", message, { cause, details, retryable: isRefused(cause?.cause) })
}

/** The longest text of a server's in an error: pages of proxies, and what a schema has against an answer, have no end. */
const longestSaid = 1000

function saidBy(cause: Error | undefined, error: unknown): string {
  const issue = (cause as { readonly issues?: readonly SchemaIssue[] } | undefined)?.issues?.[0]
  if (issue) return issue.path.length === 0 ? "it is no JSON-RPC message" : `${issue.path.join(".")}: ${issue.message}`
  const said = cause?.message ?? String(error)
  return cutText(
    said.replace(/^(?:MCP error -?\d+|Streamable HTTP error|SSE error): (?:Error POSTing to endpoint: )?/, ""),
    longestSaid,
  )
}

/** The older transport tells the status in words only. */
function statusIn(cause: Error | undefined): number | undefined {
  const status = /\((?:HTTP )?(\d{3})\)/.exec(cause?.message ?? "")?.[1]
  return status === undefined ? undefined : Number(status)
}

/** Whether nothing can have reached the server. */
function isRefused(cause: unknown): boolean {
  const { code } = (cause ?? {}) as Coded
  return code === "ECONNREFUSED" || code === "ENOTFOUND"
}
