import type { JsonObject, JsonSchema } from "@agentscope-ts/message"
import { type AnyTool, definitionKey, type ToolDefinition } from "../define/definition.ts"
import { toolError } from "../error.ts"
import { basic, type GroupEntry, type ToolGroups } from "./tool-group.ts"
import type { ToolState } from "./tool-state.ts"

/**
 * The two forms of the meta tool: `reset_tools` has a boolean for each group, `reset_equipped_tools` a list of the groups to
 * be on. Both say the final state of all groups.
 */
export type MetaToolName = "reset_tools" | "reset_equipped_tools"

const manageable = (groups: ToolGroups): GroupEntry[] => [...groups.all()].filter((group) => group.manageable)

const purpose =
  "Choose which groups of tools you have. The input is the final state of all groups, not a change: every group that you " +
  "do not switch on is off afterwards, whatever it was before. Tools outside the groups stay."

/** The meta tool as the model sees it, or `undefined` as long as there is no group that it could switch. */
export function metaTool(name: MetaToolName, groups: ToolGroups, state?: ToolState): AnyTool | undefined {
  const choices = manageable(groups)
  if (choices.length === 0) return undefined
  const parameters = name === "reset_tools" ? booleans(choices) : list(choices, (group) => isActive(group, state))
  return {
    name,
    description: purpose,
    schema: { name, description: purpose, parameters },
    external: false,
    // it changes what the model sees, and nothing outside
    effects: "none",
    concurrencySafe: false,
  }
}

function booleans(choices: readonly GroupEntry[]): JsonSchema {
  const properties = choices.map(({ name, description }) => [name, { type: "boolean", default: false, description }])
  return { type: "object", properties: Object.fromEntries(properties) as Record<string, JsonSchema> }
}

const isActive = (group: GroupEntry, state: ToolState | undefined): boolean =>
  state ? state.isActive(group) : group.active

/** The groups with what is on and off now: the schema is another one after each change. */
function list(choices: readonly GroupEntry[], isOn: (group: GroupEntry) => boolean): JsonSchema {
  const described = choices
    .map((group) => `${group.name} (${isOn(group) ? "active" : "inactive"}): ${group.description}`)
    .join("\n")
  const items = { type: "string", enum: choices.map(({ name }) => name) }
  const description = `The groups to be on.\n${described}`
  return {
    type: "object",
    properties: { to_activate: { type: "array", items, description } },
    required: ["to_activate"],
  }
}

/** Switches groups, for one conversation or for all. */
type Update = (names: readonly string[], active: boolean) => void

/** The meta tool, bound to the groups of one conversation (the toolkit's own, without a state), which `update` switches. */
export function boundMetaTool(
  tool: AnyTool,
  groups: ToolGroups,
  state: ToolState | undefined,
  update: Update,
): AnyTool {
  const definition: ToolDefinition = {
    // its own errors name the groups, which a schema's cannot
    validate: (value) => ({ ok: true, value }),
    execute: (input) => reset(input as JsonObject, tool.name, groups, state, update),
  }
  return { ...tool, [definitionKey]: definition } as AnyTool
}

function reset(
  input: JsonObject,
  tool: string,
  groups: ToolGroups,
  state: ToolState | undefined,
  update: Update,
): string {
  const wanted = wantedGroups(input, tool, groups)
  const isOn = (group: GroupEntry): boolean => isActive(group, state)
  const choices = manageable(groups)
  const started = choices.filter((group) => wanted.has(group.name) && !isOn(group))
  const off = choices.filter(({ name }) => !wanted.has(name)).map(({ name }) => name)
  update(off, false)
  update([...wanted], true)
  const active = [...groups.all()].filter(isOn).map(({ name }) => name)
  if (active.length === 0) return "All tool groups are currently deactivated."
  return `The currently activated tool group(s): ${active.join(", ")}.${instructions(started)}`
}

function instructions(started: readonly GroupEntry[]): string {
  const told = started.filter((group) => group.instructions)
  if (told.length === 0) return ""
  const parts = told.map(({ name, instructions }) => `<group name="${name}">${instructions}</group>`)
  return `\n<tool-instructions>\n${parts.join("\n")}\n</tool-instructions>`
}

/** The groups that the input switches on; throws, before anything is changed, when it cannot be meant. */
function wantedGroups(input: JsonObject, tool: string, groups: ToolGroups): ReadonlySet<string> {
  const names = manageable(groups).map(({ name }) => name)
  const check = (name: string): void => {
    if (names.includes(name)) return
    if (name === basic) throw unfit('The group "basic" is always on, and not switched', names)
    const why = groups.get(name) ? `The group "${name}" is not switched by this tool` : `There is no group "${name}"`
    throw unfit(why, names)
  }
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw unfit("The arguments must be an object", names)
  }
  const choice = input["to_activate"]
  if (tool === "reset_equipped_tools" && (choice !== undefined || Object.keys(input).length === 0)) {
    if (!Array.isArray(choice)) throw unfit('"to_activate" must be a list of groups, and may be empty', names)
    for (const name of choice) check(String(name))
    return new Set(choice.map(String))
  }
  for (const [name, value] of Object.entries(input)) {
    check(name)
    if (typeof value === "boolean") continue
    const message = `"${name}" must be true or false, not ${JSON.stringify(value)}; nothing was changed.`
    throw toolError("invalid_input", message)
  }
  return new Set(Object.keys(input).filter((name) => input[name] === true))
}

const unfit = (why: string, names: readonly string[]): Error =>
  toolError("invalid_input", `${why}; nothing was changed. The groups: ${names.join(", ")}.`)
