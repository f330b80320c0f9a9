import { AgentScopeError } from "@agentscope-ts/message"
import { toolError } from "../error.ts"
import { checkFolder, folderOf, readSkill, skillFile } from "./read-skill.ts"
import type { Skill, SkillLoader, SkillReport } from "./skill.ts"
import { nodeModules } from "./skill-file.ts"

/** Options of {@link folderSkills}. */
export interface FolderSkillsOptions {
  /**
   * Whether the folders inside `dir` are looked at, one level deep. Unless given: when `dir` has no `SKILL.md` of its own.
   */
  scanSubdirs?: boolean | undefined
}

/** The most skills that are taken from one folder. */
const mostSkills = 1000

/**
 * The skills in a folder: the folder itself where it has a `SKILL.md`, else (or with `scanSubdirs`) the folders in it, by
 * name. It looks again each time it is asked, so that skills may come, change and go while agents run; a `SKILL.md` is read
 * again only when its times or its size changed. A broken skill is reported and left out.
 */
export function folderSkills(dir: string, options: FolderSkillsOptions = {}): SkillLoader {
  checkFolder(dir)
  for (const name of Object.keys(options)) {
    if (name === "scanSubdirs") continue
    throw toolError("invalid_argument", `folderSkills() has no option "${name}". There is one: scanSubdirs.`)
  }
  return new FolderLoader(folderOf(dir), options.scanSubdirs)
}

interface Seen {
  readonly stamp: string
  readonly skill: Skill | AgentScopeError
}

class FolderLoader implements SkillLoader {
  readonly name: string
  readonly #dir: string
  readonly #scans: boolean | undefined
  #seen: ReadonlyMap<string, Seen> = new Map()

  constructor(dir: string, scans: boolean | undefined) {
    this.name = dir
    this.#dir = dir
    this.#scans = scans
  }

  async listSkills(report?: SkillReport): Promise<readonly Skill[]> {
    const before = this.#seen
    const seen = new Map<string, Seen>()
    const folders = await this.#folders(report)
    if (folders.length > mostSkills) {
      const message = `${this.#dir} has ${folders.length} folders, of which the first ${mostSkills} are taken as skills.`
      report?.(toolError("invalid_skill", message))
    }
    const skills = new Map<string, Skill>()
    const looked = folders.slice(0, mostSkills)
    const stamps = await Promise.all(looked.map(stampOf))
    for (const [i, folder] of looked.entries()) {
      const stamp = stamps[i]
      if (stamp === undefined) continue
      const known = before.get(folder)
      const entry = known?.stamp === stamp ? known : { stamp, skill: await attempt(folder) }
      seen.set(folder, entry)
      const { skill } = entry
      if (AgentScopeError.is(skill)) report?.(skill)
      else if (skills.has(skill.name)) report?.(sameName(skill, folder))
      else skills.set(skill.name, skill)
    }
    this.#seen = seen
    return [...skills.values()]
  }

  async #folders(report: SkillReport | undefined): Promise<readonly string[]> {
    const node = nodeModules()
    const path = node("node:path")
    const own = await stampOf(this.#dir)
    if (this.#scans === false || (this.#scans === undefined && own !== undefined)) return [this.#dir]
    try {
      const entries = await node("node:fs/promises").readdir(this.#dir, { withFileTypes: true })
      const inner = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name)
      const folders = inner.toSorted().map((name) => path.join(this.#dir, name))
      return own === undefined ? folders : [this.#dir, ...folders]
    } catch (cause) {
      const isGone = ["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code ?? "")
      const why = isGone ? "there is no such folder" : (cause as Error).message
      const problem = toolError("invalid_skill", `The skills in ${this.#dir} cannot be listed: ${why}.`, { cause })
      // what is gone has no skills; of what cannot be read now nothing is known
      if (!isGone) throw problem
      report?.(problem)
      return []
    }
  }
}

/** Tells a `SKILL.md` from what was there before; undefined where there is none. */
async function stampOf(dir: string): Promise<string | undefined> {
  const node = nodeModules()
  try {
    const file = node("node:path").join(dir, skillFile)
    const { mtimeNs, ctimeNs, size, ino } = await node("node:fs/promises").stat(file, { bigint: true })
    return [mtimeNs, ctimeNs, size, ino].join()
  } catch {
    return undefined
  }
}

async function attempt(dir: string): Promise<Skill | AgentScopeError> {
  try {
    return await readSkill(dir)
  } catch (error) {
    if (AgentScopeError.is(error)) return error
    throw error
  }
}

const sameName = ({ name }: Skill, dir: string): AgentScopeError =>
  toolError("name_clash", `The skill "${name}" in ${dir} is left out: another folder has one of that name.`)
