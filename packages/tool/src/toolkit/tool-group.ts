import { didYouMean } from "@agentscope-ts/message"
import type { AnyTool } from "../define/definition.ts"
import { toolError } from "../error.ts"
import type { SkillInput } from "../skills/skill.ts"
import { checkFlag, checkNameList } from "./check-toolkit.ts"
import type { ToolSource } from "./tool-source.ts"

/** A named bundle of tools that is on or off. */
export interface ToolGroup {
  /** 1 to 64 of `A-Z a-z 0-9 _ . -`; `basic` is the toolkit's own. */
  name: string
  /** Told to the model in the meta tool. */
  description: string
  /** Told to the model when it switches the group on. */
  instructions?: string | undefined
  /** Whether the group is on to begin with; false unless given. */
  active?: boolean | undefined
  /** False keeps the group out of the meta tool: only the program switches it. */
  manageable?: boolean | undefined
  tools?: readonly AnyTool[] | undefined
  /** MCP clients and other sources, whose tools join with `ready()`. */
  mcps?: readonly ToolSource[] | undefined
  /** Folders with a `SKILL.md`, skills, or loaders: seen while the group is on. */
  skills?: readonly SkillInput[] | undefined
}

/** A group without its tools. */
export interface GroupEntry {
  readonly name: string
  readonly description: string
  readonly instructions: string | undefined
  readonly manageable: boolean
  active: boolean
}

/** The group of tools that are always on. */
export const basic = "basic"
// the names become properties of the meta tool's schema, and providers check those
const namePattern = /^[a-zA-Z0-9_.-]{1,64}$/

/** The groups of a toolkit, without `basic`, in the order of their creation. */
export class ToolGroups {
  readonly #groups = new Map<string, GroupEntry>()
  #version = 0
  #key: string | undefined

  /** The groups that are on, as one string, for a cache. */
  get key(): string {
    this.#key ??= [...this.#groups.values()]
      .filter(({ active }) => active)
      .map(({ name }) => name)
      .join()
    return this.#key
  }

  #touch(): void {
    this.#version++
    this.#key = undefined
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version
  }

  names(): readonly string[] {
    return [...this.#groups.keys()]
  }

  all(): Iterable<GroupEntry> {
    return this.#groups.values()
  }

  get(name: string): GroupEntry | undefined {
    return this.#groups.get(name)
  }

  has(name: string): boolean {
    return name === basic || this.#groups.has(name)
  }

  /** Throws `group_reserved`, `name_clash` or `invalid_argument`. */
  add({ name, description, instructions, active = false, manageable = true }: ToolGroup): void {
    if (name === basic) throw reserved("created")
    if (typeof name !== "string") {
      throw toolError("invalid_argument", `A tool group needs a name, not ${JSON.stringify(name)}.`)
    }
    checkFlag(`active of the tool group "${name}"`, active)
    checkFlag(`manageable of the tool group "${name}"`, manageable)
    if (instructions !== undefined && typeof instructions !== "string") {
      throw toolError("invalid_argument", `The instructions of the tool group "${name}" have to be a text.`)
    }
    if (this.#groups.has(name)) throw toolError("name_clash", `There is a tool group "${name}" already.`)
    if (!namePattern.test(name)) {
      throw toolError(
        "invalid_argument",
        `The group name "${name}" is refused by providers: use 1 to 64 of A-Z a-z 0-9 _ . -`,
      )
    }
    if (typeof description !== "string" || description.trim() === "") {
      throw toolError(
        "invalid_argument",
        `The tool group "${name}" has no description: say what its tools are for, for the model to choose.`,
      )
    }
    this.#groups.set(name, { name, description, instructions, manageable, active })
    this.#touch()
  }

  /** Checks all names before anything is changed; throws `group_reserved` or `unknown_group`. */
  check(names: readonly string[], done: "switched" | "removed"): void {
    checkNameList(done === "switched" ? "updateGroups()" : "removeGroups()", names)
    for (const name of names) {
      if (name === basic) throw reserved(done)
      if (!this.#groups.has(name)) throw unknownGroup(name, this.names())
    }
  }

  /** {@link check} of what is to be switched; throws `invalid_argument` for what is neither on nor off. */
  checkSwitch(names: readonly string[], active: boolean): void {
    if (typeof active !== "boolean") {
      throw toolError("invalid_argument", "updateGroups(names, active): say true or false for active.")
    }
    this.check(names, "switched")
  }

  update(names: readonly string[], active: boolean): void {
    this.checkSwitch(names, active)
    for (const name of names) {
      const group = this.#groups.get(name)
      if (group) group.active = active
    }
    this.#touch()
  }

  delete(names: readonly string[]): void {
    for (const name of names) this.#groups.delete(name)
    this.#touch()
  }

  clear(): void {
    this.#groups.clear()
    this.#touch()
  }
}

function reserved(done: string): Error {
  return toolError(
    "group_reserved",
    `The group "basic" holds the tools that are always on: it cannot be ${done}.${done === "created" ? " Choose another name." : ""}`,
  )
}

/** The error for a group that does not exist. */
export function unknownGroup(given: unknown, names: readonly string[]): Error {
  const name = String(given)
  const there =
    names.length > 0 ? `Groups: ${names.join(", ")}.` : "There are no groups; create one with createGroup()."
  return toolError("unknown_group", `There is no tool group "${name}".${didYouMean(name, names)} ${there}`)
}
