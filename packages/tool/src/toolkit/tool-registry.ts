import { AgentScopeError, didYouMean } from "@agentscope-ts/message"
import type { JsonObject } from "@agentscope-ts/message"
import type { AnyTool } from "../define/definition.ts"
import { checkChoice } from "./check-toolkit.ts"
import { toolOf } from "./plain-tool.ts"
import { propertyNames } from "./property-names.ts"
import type { Registration } from "./sources.ts"
import { toolError } from "../error.ts"
import { type RegisterOptions, type ToolEntry, toolEntry } from "./tool-entry.ts"
import { basic } from "./tool-group.ts"

/** The tools of a toolkit, by name, in the order of their registration. */
export class ToolRegistry {
  readonly #entries = new Map<string, ToolEntry>()
  readonly #reserved: string | undefined

  /** `reserved` is the name of the meta tool, which no other tool can have. */
  constructor(reserved: string | undefined) {
    this.#reserved = reserved
  }

  get(name: string): ToolEntry | undefined {
    return this.#entries.get(name)
  }

  all(): readonly ToolEntry[] {
    return [...this.#entries.values()]
  }

  /** The entry of a name that the program gives; throws `unknown_tool`. */
  need(name: string): ToolEntry {
    const entry = this.#entries.get(name)
    if (entry) return entry
    throw toolError(
      "unknown_tool",
      `There is no tool "${name}" in the toolkit.${didYouMean(name, this.#entries.keys())}`,
    )
  }

  /** Takes the place of the entry of that name. */
  replace(entry: ToolEntry): void {
    this.#entries.set(entry.name, entry)
  }

  /** Removes what the test finds; the number of entries that went. */
  delete(test: (entry: ToolEntry) => boolean): number {
    const before = this.#entries.size
    for (const entry of this.#entries.values()) if (test(entry)) this.#entries.delete(entry.name)
    return before - this.#entries.size
  }

  /** Takes groups from all tools; what is in no group any more goes. */
  leave(groups: readonly string[]): void {
    for (const entry of this.#entries.values()) {
      const left = entry.groups.filter((group) => !groups.includes(group))
      if (left.length === 0) this.#entries.delete(entry.name)
      else if (left.length < entry.groups.length) this.#entries.set(entry.name, { ...entry, groups: left })
    }
  }

  /**
   * Adds tools, all or none. The very same tool, without options of its own, joins one more group. `onReplace` is asked before
   * one takes the place of another, and may throw.
   */
  add(
    given: readonly AnyTool[],
    options: RegisterOptions,
    source: Registration | undefined,
    onReplace: () => void,
  ): void {
    const added = new Map<string, ToolEntry>()
    checkChoice("onNameClash", options.onNameClash, ["throw", "override", "skip", "rename"])
    const tools = given.map(toolOf)
    const presets = sharedPresets(tools, options.presetArgs, source?.source.name)
    for (const tool of tools) {
      let { name } = tool
      const joined = added.has(name) ? undefined : joinedBy(this.#entries.get(name), tool, options)
      if (joined) {
        added.set(name, joined)
        continue
      }
      if (this.#isTaken(name, added)) {
        const { onNameClash = "throw" } = options
        if (onNameClash === "skip") continue
        if (onNameClash === "rename") name = this.#freeName(name, added)
        else if (onNameClash === "override" && name !== this.#reserved) onReplace()
        else throw this.#clash(name, source?.source.name)
      }
      added.set(name, toolEntry(tool, name, { ...options, presetArgs: presets(tool) }, source))
    }
    for (const [name, entry] of added) this.#entries.set(name, entry)
  }

  /**
   * Takes the new list of a source: each tool keeps its name, groups and presets, what the source no longer has goes, and what
   * is new comes as it would have been registered. A tool that was taken away or replaced meanwhile does not come back.
   * Gives the names of those that went, and of the new ones whose names are taken.
   */
  refresh(source: Registration, given: readonly AnyTool[]): { readonly gone: string[]; readonly clashes: string[] } {
    const tools = given.map(toolOf)
    const own = [...this.#entries.values()].filter((entry) => entry.source === source)
    const known = new Map(own.map((entry) => [entry.tool.name, entry]))
    const fresh = tools.filter(({ name }) => !known.has(name) && !source.taken?.has(name))
    const kept = new Map<string, ToolEntry>()
    for (const tool of tools) {
      const entry = known.get(tool.name)
      if (entry) kept.set(entry.name, remade(entry, tool, source))
    }
    const clashes: string[] = []
    for (const tool of fresh) {
      try {
        this.add([tool], this.#freshOptions(tool, source), source, () => {})
      } catch (error) {
        if (!AgentScopeError.is(error, "name_clash")) throw error
        clashes.push(tool.name)
      }
    }
    for (const [name, entry] of kept) this.#entries.set(name, entry)
    const gone = own.filter((entry) => !kept.has(entry.name)).map(({ name }) => name)
    for (const name of gone) if (this.#entries.get(name)?.source === source) this.#entries.delete(name)
    return { gone, clashes }
  }

  /** Shared presets that a new tool has no parameter for are not meant for it. */
  #freshOptions(tool: AnyTool, { options }: Registration): RegisterOptions {
    return { ...options, presetArgs: fitting(tool, options.presetArgs) }
  }

  #isTaken(name: string, added: ReadonlyMap<string, ToolEntry>): boolean {
    return name === this.#reserved || this.#entries.has(name) || added.has(name)
  }

  #freeName(name: string, added: ReadonlyMap<string, ToolEntry>): string {
    for (let n = 2; ; n++) {
      const suffix = `_${n}`
      const free = name.slice(0, 64 - suffix.length) + suffix
      if (!this.#isTaken(free, added)) return free
    }
  }

  #clash(name: string, source: string | undefined): Error {
    if (name === this.#reserved) {
      const message = `"${name}" is the name of the toolkit's meta tool. Rename the tool, or make the toolkit with metaTool: false.`
      return toolError("name_clash", message)
    }
    const whose = source === undefined ? "" : ` (from "${source}")`
    const message = `A tool named "${name}"${whose} is registered already. Rename it, or register with onNameClash: "override", "skip" or "rename".`
    return toolError("name_clash", message)
  }
}

/**
 * Preset arguments given for all tools of a source: each tool takes those it has a parameter for. Throws `invalid_preset`
 * when no tool takes one.
 */
function sharedPresets(
  tools: readonly AnyTool[],
  presets: Partial<JsonObject> | undefined,
  source: string | undefined,
): (tool: AnyTool) => Partial<JsonObject> | undefined {
  if (presets === undefined || source === undefined) return () => presets
  const lost = Object.keys(presets).find((key) => !tools.some((tool) => has(tool, key)))
  if (lost !== undefined)
    throw toolError("invalid_preset", `No tool of "${source}" has a parameter "${lost}" to preset.`)
  return (tool) => fitting(tool, presets)
}

const has = (tool: AnyTool, key: string): boolean => propertyNames(tool.schema.parameters).has(key)

/** Those presets that a tool has a parameter for. */
function fitting(tool: AnyTool, presets: Partial<JsonObject> | undefined): Partial<JsonObject> | undefined {
  return presets && Object.fromEntries(Object.entries(presets).filter(([key]) => has(tool, key)))
}

/** The entry of a tool whose source has listed it anew. */
function remade(entry: ToolEntry, tool: AnyTool, source: Registration): ToolEntry {
  const presetArgs = fitting(tool, entry.presets)
  return { ...toolEntry(tool, entry.name, { ...source.options, presetArgs }, source), groups: entry.groups }
}

/** The entry of a tool that is there already, in one more group. */
function joinedBy(entry: ToolEntry | undefined, tool: AnyTool, options: RegisterOptions): ToolEntry | undefined {
  const { group = basic, presetArgs, extendInput, postprocess } = options
  if (entry?.tool !== tool || entry.groups.includes(basic) || group === basic) return undefined
  if (entry.groups.includes(group) || presetArgs || extendInput || postprocess) return undefined
  return { ...entry, groups: [...entry.groups, group] }
}
