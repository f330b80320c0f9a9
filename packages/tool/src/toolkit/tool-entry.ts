import type { JsonObject, JsonSchema, StandardSchema } from "@agentscope-ts/message"
import type { ToolSchema, Validate, Validation } from "@agentscope-ts/model"
import { type AnyTool, definitionOf, type Tool, type ToolDefinition } from "../define/definition.ts"
import { checkToolName } from "../define/tool.ts"
import { toolError } from "../error.ts"
import type { Postprocess } from "../execution/postprocess.ts"
import { type Extension, extended, extensionOf, validateExtended } from "./extend-input.ts"
import { withoutPresets } from "./presets.ts"
import { basic } from "./tool-group.ts"

/** How a tool is registered. */
export interface RegisterOptions<In = JsonObject> {
  /** The group it belongs to; `basic` (always on) unless given. */
  group?: string | undefined
  /** Arguments that the program fills in: the model neither sees nor overrides them. */
  presetArgs?: Partial<In> | undefined
  /** Parameters added to the tool's own; `execute` gets them beside its input. */
  extendInput?: StandardSchema | undefined
  /** Changes each result before anybody sees it. */
  postprocess?: Postprocess | undefined
  /** What happens when the name is taken: `throw` (unless given), `override`, `skip`, or `rename` to `name_2`. */
  onNameClash?: "throw" | "override" | "skip" | "rename" | undefined
}

/** A tool as a toolkit holds it. */
export interface ToolEntry {
  readonly name: string
  readonly tool: AnyTool
  readonly definition: ToolDefinition
  readonly group: string
  readonly source: string | undefined
  readonly presets: JsonObject | undefined
  readonly extension: Extension | undefined
  readonly postprocess: Postprocess | undefined
  /** What the model is told. */
  readonly schema: ToolSchema
}

/** Makes the entry of a tool under a name; throws what is wrong with the tool or its options. */
export function toolEntry(tool: AnyTool, name: string, options: RegisterOptions, source?: string): ToolEntry {
  checkToolName(name)
  const { presetArgs, extendInput, postprocess, group = basic } = options
  const extension = extendInput && extensionOf(name, extendInput)
  const presets = presetArgs && Object.keys(presetArgs).length > 0 ? (presetArgs as JsonObject) : undefined
  if (presets && tool.external) {
    throw toolError(
      "invalid_preset",
      `The tool "${name}" runs outside: presets would not reach it. Fill them in where it runs.`,
    )
  }
  const entry = { name, tool, definition: insideOf(tool), group, source, extension, postprocess }
  return { ...entry, presets, schema: schemaOf(tool, name, presets, extension) }
}

/** The same entry with other presets. */
export function withPresets(entry: ToolEntry, args: JsonObject): ToolEntry {
  const { tool, name, group, extension, postprocess, source } = entry
  const fresh = toolEntry(tool, name, { group, presetArgs: args, postprocess }, source)
  return { ...fresh, extension, schema: schemaOf(tool, name, fresh.presets, extension) }
}

function schemaOf(
  tool: AnyTool,
  name: string,
  presets: JsonObject | undefined,
  extension: Extension | undefined,
): ToolSchema {
  const own = tool.schema
  if (!presets && !extension && own.name === name) return own
  const whole: JsonSchema = extension ? extended(name, own.parameters, extension) : own.parameters
  return { ...own, name, parameters: presets ? withoutPresets(name, whole, presets) : whole }
}

const trusting: Validate = (value): Validation => ({ ok: true, value })

/** The inside of any tool: one that `tool()` did not make validates in its own `run`. */
function insideOf(tool: AnyTool): ToolDefinition {
  const definition = definitionOf(tool)
  if (definition) return definition
  const { run } = tool as Partial<Tool>
  if (tool.external) return { validate: trusting }
  if (typeof run !== "function") {
    throw toolError("invalid_tool", `The tool "${tool.name}" has no run(): make it with tool(), or give it one.`)
  }
  return { validate: trusting, execute: (input, ctx) => (tool as Tool).run(input as JsonObject, ctx) }
}

/** The arguments that the model sent, without those that presets fill: what may go out with a pending call. */
export function sentArguments({ presets }: ToolEntry, input: JsonObject): JsonObject {
  if (presets === undefined) return input
  return Object.fromEntries(Object.entries(input).filter(([key]) => !Object.hasOwn(presets, key)))
}

/** The input as `execute` gets it: presets over what the model sent, validated. `raw` is what was validated. */
export function prepareInput(
  entry: ToolEntry,
  sent: JsonObject,
): { readonly raw: JsonObject; readonly checked: Validation } {
  const { presets, extension, definition } = entry
  const raw = presets ? { ...sent, ...presets } : sent
  return { raw, checked: extension ? validateExtended(raw, definition.validate, extension) : definition.validate(raw) }
}
