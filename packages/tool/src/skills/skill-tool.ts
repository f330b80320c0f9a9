import { didYouMean } from "@agentscope-ts/message"
import type { AnyTool } from "../define/definition.ts"
import { tool } from "../define/tool.ts"
import { toolError } from "../error.ts"
import { markdownOf } from "./read-skill.ts"
import type { Skill } from "./skill.ts"
import { readSkillFile } from "./skill-file.ts"

/** The tool by which a model reads skills. */
export const skillToolName = "Skill"

/** `Skill(skill, file?)`: the instructions of a skill, or another text file of its folder. */
export function skillTool(lookUp: () => Promise<readonly Skill[]>): AnyTool {
  return tool({
    name: skillToolName,
    description: "Read a skill: its instructions, or another text file of its folder that they mention.",
    input: {
      type: "object",
      properties: {
        skill: { type: "string", description: "The name of the skill, as listed." },
        file: {
          type: "string",
          description: "A file's path relative to the skill's folder; its instructions unless given.",
        },
      },
      required: ["skill"],
    },
    effects: "none",
    execute: async ({ skill: name, file }) => {
      const skills = await lookUp()
      const skill = skills.find((one) => one.name === name)
      if (skill === undefined) throw unknown(name, skills)
      if (file === undefined || file === "") return markdownOf(skill)
      if (skill.dir !== "") return readSkillFile(skill.dir, file)
      throw toolError("invalid_skill", `The skill "${name}" has no folder, and so no file ${JSON.stringify(file)}.`)
    },
  })
}

/** The error for a tool that has the name of this one. */
export function takenBySkills(): Error {
  const message = `"${skillToolName}" is the name of the tool that reads skills: rename the other tool of that name.`
  return toolError("name_clash", message)
}

function unknown(name: string, skills: readonly Skill[]): Error {
  const names = skills.map((skill) => skill.name)
  const message = `There is no skill "${name}".${didYouMean(name, names)} The skills: ${names.slice(0, 50).join(", ")}.`
  return toolError("unknown_skill", message)
}
