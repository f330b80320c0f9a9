import { copyOf, type JsonObject, type StandardSchema } from "@agentscope-ts/message"
import { type ToolSchema, type Validate, type Validation, validatorOf } from "@agentscope-ts/model"
import { type AnyTool, definitionOf, type Tool, type ToolDefinition } from "../define/definition.ts"
import { checkForeignName, checkToolName } from "../define/tool.ts"
import { toolError } from "../error.ts"
import { coercedInput } from "../execution/coerce-input.ts"
import type { Postprocess } from "../execution/postprocess.ts"
import { type Extension, extended, extensionOf, validateExtended } from "./extend-input.ts"
import { withoutPresets } from "./presets.ts"
import type { Registration } from "./sources.ts"
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
  /** It can be used as long as one of them is on. */
  readonly groups: readonly string[]
  readonly source: Registration | undefined
  readonly presets: JsonObject | undefined
  readonly extension: Extension | undefined
  readonly postprocess: Postprocess | undefined
  /** What the model is told. */
  readonly schema: ToolSchema
  /** A tool of the toolkit itself: what it changes is in the process. */
  readonly isOwn?: true
}

/** Makes the entry of a tool under a name; throws what is wrong with the tool or its options. */
export function toolEntry(tool: AnyTool, name: string, options: RegisterOptions, source?: Registration): ToolEntry {
  // a name that somebody else gave is fitted to each provider by its model
  if (source || tool.external || tool.fingerprint !== undefined) checkForeignName(name)
  else checkToolName(name)
  const { extendInput, postprocess, group = basic } = options
  if (postprocess !== undefined && typeof postprocess !== "function") {
    throw toolError("invalid_argument", `postprocess of the tool "${name}" is no function but ${typeof postprocess}.`)
  }
  const extension = extendInput && extensionOf(name, extendInput)
  const entry = { name, tool, definition: insideOf(tool), groups: [group], source, extension, postprocess }
  return withPresets(entry, options.presetArgs as JsonObject | undefined)
}

/** Makes the entry of a tool of the toolkit itself. */
export const ownEntry = (tool: AnyTool, name: string): ToolEntry => ({ ...toolEntry(tool, name, {}), isOwn: true })

/** An entry with these presets instead of its own; throws `invalid_preset`. */
export function withPresets(
  entry: Omit<ToolEntry, "presets" | "schema">,
  presetArgs: JsonObject | undefined,
): ToolEntry {
  const { tool, name, extension } = entry
  checkPresets(name, presetArgs)
  const presets = presetArgs && Object.keys(presetArgs).length > 0 ? copyOf(presetArgs) : undefined
  if (presets && tool.external) {
    const message = `The tool "${name}" runs outside: presets would not reach it. Fill them in where it runs.`
    throw toolError("invalid_preset", message)
  }
  const own = tool.schema
  const parameters = extension ? extended(name, own.parameters, extension) : own.parameters
  const told = presets ? withoutPresets(name, parameters, presets) : parameters
  const isSame = told === own.parameters && own.name === name
  return { ...entry, presets, schema: isSame ? own : { ...own, name, parameters: told } }
}

function checkPresets(tool: string, value: unknown): void {
  if (value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value))) return
  throw toolError(
    "invalid_preset",
    `The preset arguments of the tool "${tool}" have to be an object of arguments by name.`,
  )
}

/** The inside of any tool: for one that `tool()` did not make, or whose `run` is another's, `run` is what it executes. */
function insideOf(tool: AnyTool): ToolDefinition {
  const definition = definitionOf(tool)
  const { run } = tool as Partial<Tool>
  if (definition && (definition.run === undefined || definition.run === run)) return definition
  const validate = definition?.validate ?? validatorOf(tool.schema.parameters)
  if (tool.external) return { ...definition, validate }
  // it gets what was sent, validated: where it validates by itself, defaults are filled in there
  const checked: Validate = definition ? (value) => asSent(validate(value), value) : validate
  return { ...definition, validate: checked, execute: (input, ctx) => (tool as Tool).run(input as JsonObject, ctx) }
}

const asSent = (checked: Validation, value: unknown): Validation => (checked.ok ? { ok: true, value } : checked)

/** The arguments that the model sent, without those that presets fill: what may go out with a pending call. */
export function sentArguments({ presets }: ToolEntry, input: JsonObject): JsonObject {
  if (presets === undefined) return input
  return Object.fromEntries(Object.entries(input).filter(([key]) => !Object.hasOwn(presets, key)))
}

/** What comes of an input. */
interface Prepared {
  /** What the model sent, without quotes that cannot be meant. */
  readonly input: JsonObject
  /** What was validated. */
  readonly raw: JsonObject
  readonly checked: Validation
}

/**
 * The input as `execute` gets it: presets over what the model sent, validated. What does not fit is tried once more without
 * quotes that cannot be meant.
 */
export function prepareInput(entry: ToolEntry, sent: JsonObject): Prepared {
  const first = validated(entry, sent)
  if (first.checked.ok) return first
  const coerced = coercedInput(sent, entry.schema.parameters)
  const second = coerced === sent ? first : validated(entry, coerced)
  return second.checked.ok ? second : first
}

function validated({ presets, extension, definition }: ToolEntry, sent: JsonObject): Prepared {
  const raw = copyOf(presets ? { ...sent, ...presets } : sent)
  const checked = extension ? validateExtended(raw, definition.validate, extension) : definition.validate(raw)
  return { input: sent, raw, checked }
}
