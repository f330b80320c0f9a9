import type { Stats } from "node:fs"
import type { ToolContext } from "@agentscope-ts/tool"
import type { FileOptions } from "../agentscope/view-text-file.ts"
import { systemError } from "../error.ts"
import type { FileRoot, Located } from "../files/file-root.ts"
import { sameVersion } from "../files/write-text.ts"

const mostAgents = 1000
const mostFiles = 2000

/**
 * Which version of a file each agent has seen: `Write` and `Edit` refuse to change one that the agent has not read, or that
 * was changed since. Tools that belong together share one.
 */
export class ReadLedger {
  readonly #agents = new Map<string, Map<string, Stats>>()

  /** Notes that the agent of this call knows this version. */
  note(file: Located, version: Stats, context: ToolContext): void {
    const agent = context.agent?.id ?? ""
    const seen = this.#agents.get(agent) ?? new Map<string, Stats>()
    this.#agents.delete(agent)
    this.#agents.set(agent, seen) // last in the order: the longest unused go first
    seen.delete(file.path)
    seen.set(file.path, version)
    drop(seen, mostFiles)
    drop(this.#agents, mostAgents)
  }

  /** Throws `not_read` or `changed_on_disk` unless the agent of this call knows the version that there is. */
  check(file: Located, version: Stats, context: ToolContext): void {
    const seen = this.#agents.get(context.agent?.id ?? "")?.get(file.path)
    if (seen === undefined) {
      throw systemError(
        "not_read",
        `The file ${file.shown} exists and has not been read yet. Read it first, then change it.`,
      )
    }
    if (!sameVersion(seen, version)) {
      throw systemError(
        "changed_on_disk",
        `The file ${file.shown} was changed since it was read. Read it again, then change it.`,
      )
    }
  }
}

function drop(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}

// Tools made one by one for the same root find each other's ledger. What is in it belongs to agents, and it goes with the
// last tool that holds it.
const ledgers = new Map<string, WeakRef<ReadLedger>>()
const gone = new FinalizationRegistry<string>((root) => {
  if (ledgers.get(root)?.deref() === undefined) ledgers.delete(root)
})

/** The ledger of the tools of a root that were not given one. */
export function ledgerOf(root: FileRoot): ReadLedger {
  const known = ledgers.get(root.given)?.deref()
  if (known !== undefined) return known
  const made = new ReadLedger()
  ledgers.set(root.given, new WeakRef(made))
  gone.register(made, root.given)
  return made
}

/** Where the tools of the 2.x style may work, and the ledger that they share. */
export interface ClaudeFileOptions extends FileOptions {
  /** What was read so far; tools of the same root share one unless given. */
  ledger?: ReadLedger | undefined
}
