import { didYouMean } from "@agentscope-ts/message"
import type { JsonObject } from "@agentscope-ts/message"
import type { AnyTool } from "../define/definition.ts"
import { toolError } from "../error.ts"
import { type RegisterOptions, type ToolEntry, toolEntry } from "./tool-entry.ts"

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

  /** Adds tools, all or none. `onReplace` is asked before one takes the place of another, and may throw. */
  add(tools: readonly AnyTool[], options: RegisterOptions, source: string | undefined, onReplace: () => void): void {
    const added = new Map<string, ToolEntry>()
    const presets = sharedPresets(tools, options.presetArgs, source)
    for (const tool of tools) {
      let { name } = tool
      if (this.#isTaken(name, added)) {
        const { onNameClash = "throw" } = options
        if (onNameClash === "skip") continue
        if (onNameClash === "rename") name = this.#freeName(name, added)
        else if (onNameClash === "override" && name !== this.#reserved) onReplace()
        else throw this.#clash(name, source)
      }
      added.set(name, toolEntry(tool, name, { ...options, presetArgs: presets(tool) }, source))
    }
    for (const [name, entry] of added) this.#entries.set(name, entry)
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
  const has = (tool: AnyTool, key: string): boolean => Object.hasOwn(tool.schema.parameters.properties ?? {}, key)
  const lost = Object.keys(presets).find((key) => !tools.some((tool) => has(tool, key)))
  if (lost !== undefined)
    throw toolError("invalid_preset", `No tool of "${source}" has a parameter "${lost}" to preset.`)
  return (tool) => Object.fromEntries(Object.entries(presets).filter(([key]) => has(tool, key)))
}
