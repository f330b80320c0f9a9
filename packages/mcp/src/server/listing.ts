import type { JsonObject } from "@agentscope-ts/message"
import type { ToolSchema } from "@agentscope-ts/model"
import { type Effects, outputSchemaOf, type Toolkit } from "@agentscope-ts/tool"

const known = new WeakMap<readonly ToolSchema[], readonly JsonObject[]>()

/**
 * The tools of a list of schemas as MCP has them, worked out once a list. Left out are external tools, for nobody could give
 * their results, and, without sessions, the meta tool, whose choice would be forgotten at once.
 */
export function listedTools(
  toolkit: Toolkit,
  schemas: readonly ToolSchema[],
  hasSessions: boolean,
): readonly JsonObject[] {
  const listed = known.get(schemas)
  if (listed) return listed
  const tools: JsonObject[] = []
  for (const schema of schemas) if (isServed(toolkit, schema.name, hasSessions)) tools.push(listedTool(toolkit, schema))
  known.set(schemas, tools)
  return tools
}

/** Whether calls of a tool can be served. */
export function isServed(toolkit: Toolkit, name: string, hasSessions: boolean): boolean {
  return !toolkit.isExternalTool(name) && (hasSessions || !isMetaTool(name))
}

/** Whether a tool switches groups. */
export function isMetaTool(name: string): boolean {
  return name === "reset_tools" || name === "reset_equipped_tools"
}

function listedTool(toolkit: Toolkit, { name, description, parameters }: ToolSchema): JsonObject {
  const tool = toolkit.get(name)
  const output = tool && announcedOutput(toolkit, name)
  return {
    name,
    description: description ?? tool?.description ?? name,
    inputSchema: (parameters.type === "object" ? parameters : { ...parameters, type: "object" }) as JsonObject,
    ...(output && { outputSchema: output }),
    annotations: annotationsOf(tool?.effects ?? "once"),
  }
}

/** The schema of a tool's value, where MCP can say it: that of an object. */
export function announcedOutput(toolkit: Toolkit, name: string): JsonObject | undefined {
  const tool = toolkit.get(name)
  const schema = tool && outputSchemaOf(tool)
  return schema?.type === "object" ? (schema as JsonObject) : undefined
}

function annotationsOf(effects: Effects): JsonObject {
  if (effects === "none") return { readOnlyHint: true }
  return { readOnlyHint: false, idempotentHint: effects === "idempotent" }
}
