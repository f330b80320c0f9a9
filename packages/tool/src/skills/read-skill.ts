import { toolError } from "../error.ts"
import { type FrontMatter, frontMatter } from "./front-matter.ts"
import type { Skill } from "./skill.ts"
import { nodeModules, readSkillFile } from "./skill-file.ts"

/** What makes a folder a skill. */
export const skillFile = "SKILL.md"
const longest = { name: 64, description: 1024 } as const

/** The folder that is meant where somebody gives the path of its `SKILL.md`. */
export function folderOf(dir: string): string {
  const [, above] = /^(.*[\\/]|)SKILL\.md$/su.exec(dir) ?? []
  if (above === undefined) return dir
  return above.length > 1 ? above.slice(0, -1) : above || "."
}

/**
 * The skill in a folder, which may also be named by its `SKILL.md`. Throws `invalid_skill`: no `SKILL.md`, no front matter,
 * no `name` or `description` in it, one that is too long.
 */
export async function readSkill(given: string): Promise<Skill> {
  checkFolder(given)
  const dir = folderOf(given)
  const where = nodeModules()("node:path").join(dir, skillFile)
  const { fields } = await skillText(dir, ` For the skills in folders inside it: folderSkills(${JSON.stringify(dir)}).`)
  const name = field(fields, "name", where)
  const description = field(fields, "description", where)
  return { name, description, dir }
}

/** Throws `invalid_skill` for what cannot be the path of a folder. */
export function checkFolder(dir: unknown): void {
  if (typeof dir === "string" && dir !== "") return
  throw toolError("invalid_skill", `A skill's folder is a path, not ${JSON.stringify(dir) ?? typeof dir}.`)
}

/** The instructions of a skill: its own, or what `SKILL.md` says now. */
export async function markdownOf(skill: Skill): Promise<string> {
  if (skill.markdown !== undefined) return skill.markdown
  if (skill.dir !== "") return (await skillText(skill.dir)).body
  throw toolError("invalid_skill", `The skill "${skill.name}" has no instructions: neither a dir nor markdown.`)
}

async function skillText(dir: string, hint = ""): Promise<FrontMatter> {
  const path = nodeModules()("node:path")
  const where = path.join(dir, skillFile)
  let text: string
  try {
    text = await readSkillFile(dir, skillFile)
  } catch (cause) {
    const why = (cause as Error).message.replace(/^.*cannot be read: /, "")
    throw toolError("invalid_skill", `There is no skill in ${dir}: ${where} cannot be read: ${why}${hint}`, { cause })
  }
  return frontMatter(text, where)
}

function field(fields: FrontMatter["fields"], key: keyof typeof longest, where: string): string {
  const value = fields[key]
  return checkField(typeof value === "string" ? value.trim() : value, key, `The front matter of ${where}`)
}

/** A name or description that may be listed; throws `invalid_skill`. */
export function checkField(value: unknown, key: keyof typeof longest, whose: string): string {
  if (value === undefined || value === "") throw toolError("invalid_skill", `${whose} has no ${key}: add "${key}: …".`)
  if (typeof value !== "string") throw toolError("invalid_skill", `${whose}: ${key} has to be a text.`)
  if (value.length > longest[key]) {
    const message = `${whose}: ${key} has ${value.length} characters, ${longest[key]} are the most.`
    throw toolError("invalid_skill", message)
  }
  if (!value.isWellFormed())
    throw toolError("invalid_skill", `${whose}: ${key} has half a character in it (a lone surrogate).`)
  if (key === "name" && /[\p{Cc}\u2028\u2029]/u.test(value)) {
    throw toolError("invalid_skill", `${whose}: name has a line end or another control character.`)
  }
  return value
}
