import { AgentScopeError, type JsonObject } from "@agentscope-ts/message"
import { type Validate, validatorOf } from "@agentscope-ts/model"
import { type Effects, remoteTool, type Tool, type ToolContext } from "@agentscope-ts/tool"
import type { McpOptions } from "../mcp-options.ts"
import { prefixedName } from "./tool-name.ts"
import { fingerprintOf, type McpToolAnnotations, type McpToolDefinition } from "./tool-definition.ts"
import type { McpToolResponse } from "./tool-result.ts"

/** A tool of a server, as any other tool. `run` resolves with the whole response, a failed one (`state: "error"`) included. */
export interface McpTool extends Tool<JsonObject, McpToolResponse> {
  /** The tool as its server describes it. */
  readonly mcp: McpToolDefinition
}

/** Runs a tool: its definition, the input, and the context of the call. */
export type CallMcpTool = (
  definition: McpToolDefinition,
  input: JsonObject,
  ctx: ToolContext | undefined,
) => Promise<McpToolResponse>

/** What the server's hints say of the effects of a call. */
function effectsOf({ readOnlyHint, idempotentHint }: McpToolAnnotations = {}): Effects {
  if (readOnlyHint === true) return "none"
  return idempotentHint === true ? "idempotent" : "once"
}

/** The name that models see. */
export function toolNameOf(options: McpOptions, tool: string): string {
  return options.toolNames === "prefixed" ? prefixedName(options.name, tool) : tool
}

/** A definition as a tool: name and schema as they are, validated here, run by `call`. */
export function mcpTool(definition: McpToolDefinition, options: McpOptions, call: CallMcpTool): McpTool {
  const { description, title, inputSchema, outputSchema, annotations } = definition
  const { maxTimeoutMs, trusted = false } = options
  const tool = remoteTool({
    name: toolNameOf(options, definition.name),
    description: description ?? title ?? "",
    parameters: inputSchema,
    validate: tolerant(validatorOf(inputSchema)),
    effects: effectsOf(annotations),
    ...(!trusted && { untrusted: true }),
    // how long a call may take is the client's to say: its progress extends the time
    ...(maxTimeoutMs !== undefined && { timeoutMs: maxTimeoutMs }),
    ...(outputSchema && { outputSchema }),
    fingerprint: fingerprintOf(definition),
    execute: (input, ctx) => call(definition, input, ctx),
  })
  return { ...tool, mcp: definition }
}

/** A schema that cannot be read here is left to its server to hold to. */
export function tolerant(validate: Validate): Validate {
  return (value) => {
    try {
      return validate(value)
    } catch (error) {
      if (AgentScopeError.is(error, "invalid_schema")) return { ok: true, value }
      throw error
    }
  }
}
