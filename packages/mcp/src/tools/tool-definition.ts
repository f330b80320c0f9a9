import { createHash } from "node:crypto"
import type { JsonObject, JsonSchema, JsonValue } from "@agentscope-ts/message"
import { canonicalJson } from "@agentscope-ts/tool"
import { asObject, asString } from "../sdk/session.ts"

/** What a server says that its tool does. The word of the server: no permission follows from it. */
export interface McpToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** A tool as its server describes it, word for word. */
export interface McpToolDefinition {
  /** The client's name for the server. */
  readonly server: string
  /** The server's name for the tool: what `tools/call` takes. */
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations?: McpToolAnnotations
  /** The server runs it in the background only; a call waits for the task's result. */
  readonly runsAsTask?: true
  readonly meta?: JsonObject
}

const isSchema = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An entry of `tools/list`, or undefined where it has no name. */
export function toolDefinition(server: string, entry: JsonValue): McpToolDefinition | undefined {
  const { name, title, description, inputSchema, outputSchema, annotations, execution, _meta } = asObject(entry)
  if (typeof name !== "string" || name === "") return undefined
  const hints = asObject(annotations)
  const told = asString(title) ?? asString(hints["title"])
  return {
    server,
    name,
    ...(told !== undefined && { title: told }),
    ...(typeof description === "string" && { description }),
    inputSchema: isSchema(inputSchema) ? inputSchema : { type: "object" },
    ...(isSchema(outputSchema) && { outputSchema }),
    ...(isSchema(annotations) && { annotations }),
    ...(asObject(execution)["taskSupport"] === "required" && { runsAsTask: true as const }),
    ...(isSchema(_meta) && { meta: _meta }),
  }
}

/** Stands for all that a tool says of itself: another one once any of it has changed. 64 hexadecimal digits. */
export function fingerprintOf(definition: McpToolDefinition): string {
  const { name, title = null, description = null, inputSchema, outputSchema = null, annotations = null } = definition
  const said = { name, title, description, inputSchema, outputSchema, annotations } as JsonObject
  return createHash("sha256").update(canonicalJson(said)).digest("hex")
}
