import type { Skill } from "./skill.ts"
import { skillToolName } from "./skill-tool.ts"

/** The most characters that the list of skills takes up in a system prompt. */
const mostChars = 20_000

/**
 * What the system prompt says of skills; undefined when there are none. It stays below 20,000 characters: what does not fit
 * is counted. Names and descriptions are escaped, so that none of them can close the list.
 */
export function skillPrompt(skills: readonly Skill[]): string | undefined {
  if (skills.length === 0) return undefined
  const entries: string[] = []
  let left = mostChars
  for (const { name, description, dir } of skills) {
    const folder = dir === "" ? "" : ` dir="${escaped(dir)}"`
    const entry = `<skill name="${escaped(name)}"${folder}>${escaped(description)}</skill>`
    left -= entry.length + 1
    if (left < 0) break
    entries.push(entry)
  }
  const more = skills.length - entries.length
  if (more > 0) entries.push(`<!-- ${more} more skill(s) are not listed -->`)
  return [
    "# Agent Skills",
    `Skills are instructions for special kinds of work. When a task is of a kind that is described here, first read the skill with the tool "${skillToolName}", then do as it says.`,
    "<agent-skills>",
    ...entries,
    "</agent-skills>",
  ].join("\n")
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => entities[char] as string)
