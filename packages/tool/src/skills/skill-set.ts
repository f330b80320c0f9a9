import { AgentScopeError, ambient } from "@agentscope-ts/message"
import type { AnyTool } from "../define/definition.ts"
import { toolError } from "../error.ts"
import { checkField, checkFolder, readSkill } from "./read-skill.ts"
import type { Skill, SkillInput, SkillLoader, SkillReport } from "./skill.ts"
import { skillPrompt } from "./skill-prompt.ts"
import { skillTool, skillToolName } from "./skill-tool.ts"

/** How long a loader may take. */
const mostMs = 30_000

interface Entry {
  readonly group: string
  readonly loader: SkillLoader
  /** Named by the program one by one: what is wrong with it is an error, and no warning. */
  readonly named: boolean
  /** What was found last; undefined until the first time. */
  skills: readonly Skill[] | undefined
  /** Why nothing was found. */
  problem: AgentScopeError | undefined
}

/** The skills of a toolkit, in the order of their registration. */
export class SkillSet {
  #entries: readonly Entry[] = []
  #looking: Promise<readonly AgentScopeError[]> | undefined
  readonly #onChange: () => void

  /** `onChange` hears when there may be a first skill in a group, or no longer one. */
  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get size(): number {
    return this.#entries.length
  }

  /** Throws `invalid_skill` for a skill without a name or description, `name_clash` for a name that is taken. */
  add(inputs: readonly SkillInput[], group: string): void {
    const names = new Set(this.#entries.flatMap(({ skills = [] }) => skills.map(({ name }) => name)))
    const added = inputs.map((input) => entryOf(input, group))
    for (const { skills = [] } of added) {
      for (const { name } of skills) {
        if (names.has(name)) throw clash(name)
        names.add(name)
      }
    }
    this.#entries = [...this.#entries, ...added]
    this.#changed()
  }

  /** Takes away what the test finds; how much that was. */
  delete(test: (group: string, name: string) => boolean): number {
    const before = this.#entries.length
    this.#entries = this.#entries.filter(({ group, loader, named, skills = [] }) => {
      const names = [loader.name, ...(named ? skills.map(({ name }) => name) : [])]
      return !names.some((name) => test(group, name))
    })
    this.#changed()
    return before - this.#entries.length
  }

  #changed(): void {
    this.#looking = undefined
    this.#onChange()
  }

  /** The tool that reads them, where there may be one in the groups that are on. */
  tool(isOn: (group: string) => boolean): AnyTool | undefined {
    const some = this.#entries.some(({ group, skills }) => isOn(group) && (skills === undefined || skills.length > 0))
    return some ? skillTool(() => this.#lookUp(isOn)) : undefined
  }

  /** {@link tool} by its name, whatever is on. */
  toolOf(name: string): AnyTool | undefined {
    return name === skillToolName ? this.tool(() => true) : undefined
  }

  /** What a system prompt says of them, after another look. */
  async prompt(isOn: (group: string) => boolean, report?: SkillReport): Promise<string | undefined> {
    return skillPrompt(await this.#lookUp(isOn, report))
  }

  /** The skills in the groups that are on; of several with one name the first. */
  async #lookUp(isOn: (group: string) => boolean, report?: SkillReport): Promise<readonly Skill[]> {
    await this.#refresh(report)
    const byName = new Map<string, Skill>()
    for (const { group, skills = [] } of this.#entries) {
      if (!isOn(group)) continue
      for (const skill of skills) if (!byName.has(skill.name)) byName.set(skill.name, skill)
    }
    return [...byName.values()]
  }

  /** Looks again; whoever asks while a look is under way gets that one. Skills that were left out are reported. */
  async #refresh(report?: SkillReport): Promise<void> {
    this.#looking ??= this.#look(this.#entries)
    for (const problem of await this.#looking) report?.(problem)
  }

  /** Looks, and throws what is wrong with a skill which the program named itself. */
  async check(): Promise<void> {
    if (this.#entries.length > 0) await this.#refresh()
    const names = new Set<string>()
    for (const { named, problem, skills = [] } of this.#entries) {
      if (named && problem) throw problem
      for (const { name } of skills) {
        if (named && names.has(name)) throw clash(name)
        names.add(name)
      }
    }
  }

  async #look(entries: readonly Entry[]): Promise<readonly AgentScopeError[]> {
    const problems: AgentScopeError[] = []
    try {
      await Promise.all(entries.map((entry) => this.#ask(entry, problems)))
    } finally {
      this.#looking = undefined
    }
    const names = new Set<string>()
    for (const { name } of entries.flatMap(({ skills = [] }) => skills)) {
      if (names.has(name)) problems.push(clash(name))
      names.add(name)
    }
    return problems
  }

  /** A loader that fails keeps what it listed last; a folder that is no skill any more is none. */
  async #ask(entry: Entry, problems: AgentScopeError[]): Promise<void> {
    const { loader, skills: before } = entry
    try {
      const skills: unknown = await inTime(loader, (problem) => problems.push(problem))
      if (!Array.isArray(skills))
        throw toolError("invalid_skill", `The loader "${loader.name}" answered no list of skills.`)
      entry.skills = skills.filter((skill): skill is Skill => isFine(skill, loader.name, problems))
      entry.problem = undefined
    } catch (cause) {
      entry.problem = problemOf(cause, loader)
      problems.push(entry.problem)
      entry.skills = entry.named ? [] : (before ?? [])
    }
    if (before === undefined || before.length > 0 !== entry.skills.length > 0) this.#onChange()
  }
}

/** What a loader lists; one that hangs must not hold up every agent for ever. */
async function inTime(loader: SkillLoader, report: SkillReport): Promise<readonly Skill[]> {
  const done = new AbortController()
  const late = ambient()
    .sleep(mostMs, done.signal)
    .then(() => {
      throw toolError("invalid_skill", `The skills of "${loader.name}" were not listed in ${mostMs / 1000} s.`)
    })
  late.catch(() => {})
  try {
    return await Promise.race([loader.listSkills(report), late])
  } finally {
    done.abort()
  }
}

function problemOf(cause: unknown, { name }: SkillLoader): AgentScopeError {
  if (AgentScopeError.is(cause)) return cause
  const why = cause instanceof Error ? cause.message : String(cause)
  return toolError("invalid_skill", `The skills of "${name}" could not be listed: ${why}`, { cause })
}

function isFine(skill: unknown, loader: string, problems: AgentScopeError[]): boolean {
  try {
    checkSkill(skill, `A skill of "${loader}"`)
    return true
  } catch (error) {
    problems.push(error as AgentScopeError)
    return false
  }
}

/** Skills come from programs and databases, too: throws `invalid_skill` for what no prompt could list and no tool could read. */
function checkSkill(skill: unknown, whose: string): asserts skill is Skill {
  if (typeof skill !== "object" || skill === null) {
    throw toolError(
      "invalid_skill",
      `${whose} is ${JSON.stringify(skill) ?? typeof skill}: give its folder, { name, description, dir } or a loader.`,
    )
  }
  const { name, description, dir, markdown } = skill as Partial<Record<keyof Skill, unknown>>
  checkField(name, "name", whose)
  checkField(description, "description", whose)
  if (typeof dir !== "string" || (markdown !== undefined && typeof markdown !== "string")) {
    throw toolError(
      "invalid_skill",
      `${whose}: ${String(name)} needs a dir ("" for none), and its markdown has to be a text.`,
    )
  }
}

function entryOf(input: SkillInput, group: string): Entry {
  if (typeof input === "string") {
    checkFolder(input)
    const listSkills = async (): Promise<readonly Skill[]> => [await readSkill(input)]
    return { group, loader: { name: input, listSkills }, named: true, skills: undefined, problem: undefined }
  }
  if (isLoader(input)) return { group, loader: input, named: false, skills: undefined, problem: undefined }
  checkSkill(input, "A skill")
  const skills = [input]
  const loader = { name: input.name, listSkills: () => Promise.resolve(skills) }
  return { group, loader, named: true, skills, problem: undefined }
}

const isLoader = (input: unknown): input is SkillLoader =>
  typeof input === "object" && input !== null && "listSkills" in input && typeof input.listSkills === "function"

const clash = (name: string): AgentScopeError =>
  toolError("name_clash", `There are two skills named "${name}". Rename one, or leave it out.`)
