import type { AgentScopeError } from "@agentscope-ts/message"

/** Instructions for a kind of work, in a folder with a `SKILL.md`: listed in the system prompt, read when they are needed. */
export interface Skill {
  /** 1 to 64 characters, one of its kind in a toolkit. */
  readonly name: string
  /** What it is for and when to use it, 1024 characters at most: all that the model sees until it reads the skill. */
  readonly description: string
  /** The folder, of which the model may read files; empty for a skill without one. */
  readonly dir: string
  /** The instructions; read from `SKILL.md` in `dir` each time unless given. */
  readonly markdown?: string
}

/** Told of a skill that was left out: code `invalid_skill` or `name_clash`. */
export type SkillReport = (problem: AgentScopeError) => void

/** Finds skills, anew each time it is asked. {@link folderSkills} is one; a database or a service can be another. */
export interface SkillLoader {
  readonly name: string
  /** The skills there are now. One that is broken is told to `report` and left out; it never hides the others. */
  listSkills(report?: SkillReport): Promise<readonly Skill[]>
}

/** What a toolkit takes for a skill: its folder, the skill itself, or a loader of many. */
export type SkillInput = string | Skill | SkillLoader
