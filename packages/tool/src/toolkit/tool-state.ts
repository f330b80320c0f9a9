import type { JsonValue } from "@agentscope-ts/message"
import { type StateCodec, StateModule } from "@agentscope-ts/state"
import { toolError } from "../error.ts"
import type { GroupEntry, ToolGroups } from "./tool-group.ts"

/**
 * Which groups are on for one conversation. It holds only what was changed here; every other group is as the toolkit has
 * it. Made by `toolkit.newState()`; saved and loaded as the groups that were switched on and off.
 */
export class ToolState extends StateModule {
  readonly #groups: ToolGroups
  #changed: Map<string, boolean> | undefined
  #key: string | undefined
  #keyOf = 0

  /** @internal */
  constructor(groups: ToolGroups) {
    super()
    this.#groups = groups
  }

  /** The groups that are on, without `basic`, in the toolkit's order. */
  get activeGroups(): readonly string[] {
    const active: string[] = []
    for (const group of this.#groups.all()) if (this.isActive(group)) active.push(group.name)
    return active
  }

  /** Switches groups for this conversation only; throws `unknown_group` or `group_reserved` and then changes nothing. */
  updateGroups(names: readonly string[], active: boolean): void {
    this.#groups.checkSwitch(names, active)
    this.#changed ??= new Map()
    for (const name of names) this.#changed.set(name, active)
    this.#key = undefined
  }

  /** @internal Whether a group is on here. */
  isActive(group: GroupEntry): boolean {
    return this.#changed?.get(group.name) ?? group.active
  }

  /** @internal The active groups as one string, for a cache. */
  get key(): string {
    if (this.#changed === undefined) return this.#groups.key
    if (this.#key === undefined || this.#keyOf !== this.#groups.version) {
      this.#key = this.activeGroups.join()
      this.#keyOf = this.#groups.version
    }
    return this.#key
  }

  protected override stateCodecs(): Readonly<Record<string, StateCodec>> {
    return {
      ...super.stateCodecs(),
      groups: { save: () => Object.fromEntries(this.#changed ?? []), load: (value) => this.#load(value) },
    }
  }

  #load(value: JsonValue): void {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw unreadable()
    const entries = Object.entries(value)
    if (!entries.every((entry): entry is [string, boolean] => typeof entry[1] === "boolean")) throw unreadable()
    this.#changed = entries.length > 0 ? new Map(entries) : undefined
    this.#key = undefined
  }
}

function unreadable(): Error {
  return toolError("invalid_argument", "expected an object that says true or false for each group.")
}
