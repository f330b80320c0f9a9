import { AgentScopeError, type JsonObject, type JsonValue } from "@agentscope-ts/message"
import { mcpError } from "./error.ts"
import type { McpEvent } from "./mcp-options.ts"
import type { RequestOptions, Session } from "./sdk/session.ts"

/** No server has more pages. */
const maxPages = 1000
const methodNotFound = -32601

/** What is listed: the method, and where the entries are in its answers. */
export interface Listing {
  readonly method: string
  readonly key: string
  readonly report: (event: McpEvent) => void
}

/**
 * All pages of a list. A cursor that comes a second time ends it, with an `ignored` event; more than 1,000 pages are an
 * `invalid_response`. A server that has no such method has an empty list.
 */
export async function listPages(
  session: Session,
  { method, key, report }: Listing,
  options: RequestOptions,
): Promise<readonly JsonValue[]> {
  const entries: JsonValue[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let pages = 0; pages < maxPages; pages++) {
    let page: JsonObject
    try {
      page = await session.request(method, cursor === undefined ? {} : { cursor }, options)
    } catch (error) {
      if (AgentScopeError.is(error, "server_error") && error.details["code"] === methodNotFound) return entries
      throw error
    }
    const list = page[key]
    if (!Array.isArray(list)) {
      throw mcpError("invalid_response", `The MCP server answered ${method} without a list of ${key}.`)
    }
    for (const entry of list as readonly JsonValue[]) entries.push(entry)
    const { nextCursor } = page
    if (typeof nextCursor !== "string" || nextCursor === "") return entries
    if (seen.has(nextCursor)) {
      report({ type: "ignored", text: `${method} gave the cursor "${nextCursor}" again: the list ends there.` })
      return entries
    }
    seen.add(nextCursor)
    cursor = nextCursor
  }
  throw mcpError("invalid_response", `The MCP server has more than ${maxPages} pages for ${method}.`)
}
