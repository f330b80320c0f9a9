import { AgentScopeError, type JsonValue } from "@agentscope-ts/message"
import type { McpOptions } from "../mcp-options.ts"
import { asObject } from "../sdk/session.ts"
import { answerElicitation } from "./elicitation.ts"

const urlElicitationRequired = -32042

/**
 * Opens the pages that a server wants to have been opened before it serves a request, where its error says so. True when
 * the person agreed to all: then the request may be made again.
 */
export async function openUrls(error: unknown, options: McpOptions, signal: AbortSignal | undefined): Promise<boolean> {
  if (!AgentScopeError.is(error, "server_error") || error.details["code"] !== urlElicitationRequired) return false
  const { elicitations } = asObject(error.details["data"])
  if (!Array.isArray(elicitations) || elicitations.length === 0) return false
  for (const elicitation of elicitations as readonly JsonValue[]) {
    const params = { ...asObject(elicitation), mode: "url" }
    const answer = await answerElicitation(params, options, signal ?? new AbortController().signal)
    if (answer?.["action"] !== "accept") return false
  }
  return true
}
