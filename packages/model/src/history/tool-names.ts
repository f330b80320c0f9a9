import type { ToolChoice, ToolSchema } from "../chat-request.ts"
import { fitName, fitsRule } from "./fit-name.ts"

const never = () => false

/** The name as a provider takes it: the same where it fits, else one made from it, always the same. */
export function fitToolName(
  name: string,
  pattern: RegExp | undefined,
  taken: (candidate: string) => boolean = never,
): string {
  const rule = { pattern }
  return fitsRule(name, rule) && name.isWellFormed() ? name : fitName(name, rule, taken)
}

/** The tools of a request under names that the provider takes, where some had others. */
export interface MappedTools {
  readonly count: number
  readonly tools: readonly ToolSchema[]
  /** The name that each made-up one stands for. */
  readonly back: ReadonlyMap<string, string>
  readonly there: ReadonlyMap<string, string>
}

/** Gives tools names that a provider takes; looks at each list of tools once. */
export class ToolNames {
  readonly #pattern: RegExp | undefined
  /** By list of tools; the count alone where all names fit. */
  readonly #known = new WeakMap<readonly ToolSchema[], MappedTools | number>()
  readonly #choices = new WeakMap<object, ToolChoice>()

  constructor(pattern: RegExp | undefined) {
    this.#pattern = pattern
  }

  /** The tools as they may be sent, or undefined where they may be as they are. */
  of(tools: readonly ToolSchema[]): MappedTools | undefined {
    const known = this.#known.get(tools)
    if (known === tools.length) return undefined
    if (typeof known === "object" && known.count === tools.length) return known
    const mapped = this.#map(tools)
    this.#known.set(tools, mapped ?? tools.length)
    return mapped
  }

  /** A choice of a tool, by the name that the tool is sent under. */
  choice(choice: ToolChoice | undefined, { there }: MappedTools): ToolChoice | undefined {
    if (typeof choice !== "object") return choice
    const name = there.get(choice.name)
    if (name === undefined) return choice
    const known = this.#choices.get(choice)
    if (known) return known
    const mapped = { name }
    this.#choices.set(choice, mapped)
    return mapped
  }

  #map(tools: readonly ToolSchema[]): MappedTools | undefined {
    const names = new Set(tools.map(({ name }) => name))
    const back = new Map<string, string>()
    const there = new Map<string, string>()
    for (const name of names) {
      const fitted = fitToolName(name, this.#pattern, (candidate) => names.has(candidate) || back.has(candidate))
      if (fitted === name) continue
      back.set(fitted, name)
      there.set(name, fitted)
    }
    if (back.size === 0) return undefined
    const mapped = tools.map((tool) => {
      const name = there.get(tool.name)
      return name === undefined ? tool : { ...tool, name }
    })
    return { count: tools.length, tools: mapped, back, there }
  }
}
