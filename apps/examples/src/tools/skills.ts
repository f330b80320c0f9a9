// Skills are folders with a SKILL.md: listed in the system prompt of the groups that are on, read by the tool Skill.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { textOf } from "@agentscope-ts/message"
import { folderSkills, Toolkit } from "@agentscope-ts/tool"

const dir = await mkdtemp(join(tmpdir(), "skills-"))
const addSkill = async (name: string, description: string, text: string) => {
  await mkdir(join(dir, name))
  await writeFile(join(dir, name, "SKILL.md"), `---\nname: ${name}\ndescription: ${description}\n---\n${text}\n`)
}
await addSkill("pdf", "Fill in PDF forms", "Use the blue pen. The fields are in fields.md.")
await writeFile(join(dir, "pdf", "fields.md"), "Name, date, signature")

const toolkit = new Toolkit({
  groups: [{ name: "office", description: "Paperwork", skills: [folderSkills(dir)] }],
})
const listed = async (state = toolkit.newState()) =>
  [...((await toolkit.skillPrompt(state)) ?? "").matchAll(/<skill name="(\w+)"/g)].map(([, name]) => name).join(" ")

const state = toolkit.newState()
console.log("off:", (await listed(state)) || "none")
state.updateGroups(["office"], true)
console.log("on:", await listed(state), "| elsewhere:", (await listed()) || "none")
await addSkill("letters", "Write letters", "Be brief.")
console.log("later:", await listed(state))

const read = async (input: { skill: string; file?: string }) => {
  const call = { type: "tool_use", id: "1", name: "Skill", input } as const
  return textOf(await toolkit.execute(call, { state }).result)
}
console.log(await read({ skill: "pdf" }))
console.log(await read({ skill: "pdf", file: "fields.md" }))
await rm(dir, { recursive: true })
console.log("gone:", (await listed(state)) || "none")
