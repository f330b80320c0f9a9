import type { Schema } from "@agentscope-ts/message"
import { jsonSchemaOf, type ToolSchema, validatorOf } from "@agentscope-ts/model"
import type { ToolContext } from "../context.ts"
import { type AnyTool, definitionKey, type ToolDefinition } from "../define/definition.ts"
import { parametersOf } from "../define/parameters.ts"
import { toolsOf } from "../define/tool-method.ts"
import { checkHints } from "../define/check-options.ts"
import { checkForeignName } from "../define/tool.ts"
import { toolError } from "../error.ts"
import { isToolSource } from "./tool-source.ts"

/** What a program may give as a tool: one of ours, or any object that has a name, a schema or parameters, and a `run`. */
interface Given {
  readonly name?: string
  readonly description?: unknown
  readonly schema?: ToolSchema
  readonly parameters?: Schema
  readonly external?: unknown
  readonly strict?: unknown
  readonly needsApproval?: unknown
  readonly edits?: unknown
  readonly rules?: unknown
  readonly run?: unknown
}

/** What was made of objects with `parameters`: the same tool each time. */
const made = new WeakMap<object, AnyTool>()

/**
 * A tool as a toolkit holds it. An object with `parameters` (any schema) gets its `schema` made of name, description and
 * these. Throws `invalid_tool`, saying what was given instead of a tool.
 */
export function toolOf(value: unknown): AnyTool {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw noTool(value)
  if (definitionKey in value) return value as unknown as AnyTool
  if (isToolSource(value) && !("run" in value)) throw noTool(value)
  checkHints(value)
  const before = made.get(value)
  if (before) return before
  const { name, schema, parameters, external, run, strict, needsApproval } = value as Given
  if (name === undefined && schema === undefined) throw noTool(value)
  checkForeignName(name)
  if (external !== true && typeof run !== "function") {
    throw toolError(
      "invalid_tool",
      `The tool "${name}" has no run(): make it with tool(), give it one, or register its schema alone with registerSchema().`,
    )
  }
  if (schema !== undefined) {
    if (typeof schema !== "object" || schema === null || typeof schema.parameters !== "object") {
      const message = `The tool "${name}" has a schema without parameters: { name, description, parameters }.`
      throw toolError("invalid_tool", message)
    }
    jsonSchemaOf(schema.parameters, `The input of the tool "${name}"`)
    const isWhole = schema.description !== undefined && (strict === undefined || schema.strict === strict)
    return isWhole && needsApproval === undefined
      ? (value as AnyTool)
      : keep(value, told(value, schema), schema.parameters)
  }
  if (parameters === undefined) {
    const message = `The tool "${name}" has no schema: give it { name, description, parameters } as its schema, or parameters alone.`
    throw toolError("invalid_tool", message)
  }
  return keep(value, told(value, { name, parameters: parametersOf(name, parameters) }), parameters)
}

/** What it says of itself beside its schema is told too. */
function told({ description, strict }: Given, schema: ToolSchema): ToolSchema {
  return {
    ...schema,
    ...(schema.description === undefined && typeof description === "string" && { description }),
    ...(schema.strict === undefined && typeof strict === "boolean" && { strict }),
  }
}

/** The object with a schema and an inside; what else it says of itself, such as its effects, is found through it. */
function keep(given: Given, schema: ToolSchema, input: Schema): AnyTool {
  const { external, needsApproval, edits, rules } = given
  const run = given.run as ((input: unknown, ctx?: ToolContext) => unknown) | undefined
  const execute = (value: unknown, ctx: ToolContext): unknown => run?.call(given, value, ctx)
  const definition = {
    validate: validatorOf(input),
    ...(external !== true && { execute }),
    needsApproval: needsApproval === false ? undefined : needsApproval,
    edits,
    rules,
  } as ToolDefinition
  const members = {
    name: given.name,
    description: schema.description ?? "",
    schema,
    external: external === true,
    [definitionKey]: definition,
  }
  // members of a class may have no setter
  const tool = Object.create(given, Object.getOwnPropertyDescriptors(members)) as AnyTool
  made.set(given, tool)
  return tool
}

function noTool(value: unknown): Error {
  const why = whatInstead(value)
  return toolError(
    "invalid_tool",
    `That is no tool but ${why} A tool comes from tool({ name, description, input, execute }).`,
  )
}

function whatInstead(value: unknown): string {
  if (typeof value === "function") {
    return `a function${value.name ? ` (${value.name})` : ""}: give it to tool() as execute.`
  }
  if (Array.isArray(value)) return "a list: register one tool at a time, or give the list to new Toolkit({ tools })."
  if (typeof value !== "object" || value === null) return `${value === null ? "null" : typeof value}.`
  if (isToolSource(value)) {
    return "a source of tools, such as an MCP client: put it in mcps of new Toolkit({ mcps: [client] }), or register it."
  }
  if (toolsOf(value).length > 0) return "an object with tool methods: register what toolsOf(object) gives."
  if ("function" in value || "inputSchema" in value)
    return "a schema: give it to registerSchema() as { name, description, parameters }."
  return "an object without a name."
}
