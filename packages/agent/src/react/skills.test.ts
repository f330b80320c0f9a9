import { textOf } from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { type Skill, type SkillLoader, Toolkit } from "@agentscope-ts/tool"
import { expect, test } from "vitest"
import { eventsOf, gate, ofType } from "../fixtures/runs.ts"
import { ReActAgent } from "../index.ts"

const base = { name: "Friday", systemPrompt: "Help." }
const pdf: Skill = { name: "pdf", description: "Fill forms", dir: "", markdown: "Use a pen." }

test("skills are listed in the system prompt and read by tool", async () => {
  using model = new ScriptedModel([{ toolUses: [{ name: "Skill", input: { skill: "pdf" } }] }, "Done", "Again"])
  const agent = new ReActAgent({ ...base, model, toolkit: new Toolkit({ skills: [pdf] }) })
  await agent.reply("Fill it")
  await agent.reply("And this")
  const [first, second, third] = model.requests
  const system = first?.messages[0]
  expect(system && textOf(system)).toMatch(/^Help\.\n\n# Agent Skills\n[^]*<skill name="pdf">Fill forms<\/skill>/)
  expect(first?.tools?.map(({ name }) => name)).toEqual(["Skill"])
  expect(JSON.stringify(second?.messages.at(-1))).toContain("Use a pen.")
  // the same message, so that models find the beginning of the history unchanged
  expect(second?.messages[0]).toBe(system)
  expect(third?.messages[0]).toBe(system)
})

test("skills of a group are listed once the model switched it on, in this agent alone", async () => {
  using model = new ScriptedModel([{ toolUses: [{ name: "reset_tools", input: { office: true } }] }, "Done", "Other"])
  const toolkit = new Toolkit({ groups: [{ name: "office", description: "Documents", skills: [pdf] }] })
  await new ReActAgent({ ...base, model, toolkit }).reply("Fill it")
  await new ReActAgent({ ...base, model, toolkit }).reply("Hi")
  const listed = model.requests.map(({ messages }) => JSON.stringify(messages[0]).includes("Fill forms"))
  expect(listed).toEqual([false, true, false])
  expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
    ["reset_tools"],
    ["reset_tools", "Skill"],
    ["reset_tools"],
  ])
})

test("a system prompt without skills is left alone, and an empty one gets no blank lines", async () => {
  using model = new ScriptedModel(["a", "b"])
  const none: SkillLoader = { name: "none", listSkills: async () => [] }
  await new ReActAgent({ ...base, model, toolkit: new Toolkit({ skills: [none] }) }).reply("Hi")
  await new ReActAgent({ ...base, systemPrompt: "", model, toolkit: new Toolkit({ skills: [pdf] }) }).reply("Hi")
  const systems = model.requests.map(({ messages }) => messages[0] && textOf(messages[0]))
  expect(systems).toEqual(["Help.", expect.stringMatching(/^# Agent Skills/)])
})

test("a skill that is left out is told once a reply", async () => {
  using model = new ScriptedModel([{ toolUses: [{ name: "Skill", input: { skill: "pdf" } }] }, "Done"])
  const loader: SkillLoader = { name: "store", listSkills: async () => [pdf, { ...pdf, name: "" }] }
  const agent = new ReActAgent({ ...base, model, toolkit: new Toolkit({ skills: [loader] }) })
  const warnings = ofType(await eventsOf(agent.stream("Fill it")), "warning")
  expect(warnings.map(({ code, message }) => [code, message])).toEqual([
    ["invalid_skill", expect.stringContaining("has no name")],
  ])
})

test("an interruption does not wait for a loader that hangs", async () => {
  using model = new ScriptedModel([])
  const asked = gate()
  let looks = 0
  const loader: SkillLoader = {
    name: "slow",
    listSkills: () => {
      // the first look is that of ready()
      if (++looks === 1) return Promise.resolve([pdf])
      asked.resolve()
      return new Promise(() => {})
    },
  }
  const agent = new ReActAgent({ ...base, model, toolkit: new Toolkit({ skills: [loader] }) })
  const reply = agent.reply("Hi")
  await asked.promise
  agent.interrupt()
  expect((await reply).finishReason).toBe("interrupted")
  expect(model.requests).toHaveLength(0)
})
