import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { AgentScopeError, replaceAmbient, textOf, type ToolResultBlock } from "@agentscope-ts/message"
import { describe, expect, onTestFinished, test } from "vitest"
import { tool } from "../define/tool.ts"
import { Toolkit } from "../toolkit/toolkit.ts"
import type { ToolState } from "../toolkit/tool-state.ts"
import { folderSkills } from "./folder-skills.ts"
import { readSkill } from "./read-skill.ts"
import type { Skill, SkillLoader } from "./skill.ts"

/** A folder for one test, with these files in it. */
function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const path = realpathSync.native(mkdtempSync(join(tmpdir(), "skills-")))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) write(join(path, name), content)
  return path
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

const skill = (name: string, description = `About ${name}`, body = `# How to ${name}`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`

const call = (toolkit: Toolkit, input: object, state?: ToolState): Promise<ToolResultBlock> =>
  toolkit.execute({ type: "tool_use", id: "c", name: "Skill", input: input as never }, { state }).result

const problemOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (error) {
    if (AgentScopeError.is(error)) return `${error.code}: ${error.message}`
  }
  return "no error"
}

describe("a folder with a SKILL.md", () => {
  test("is a skill: its name and description are the front matter's", async () => {
    const dir = folder({ "SKILL.md": skill("pdf", '"Fill forms: the PDF kind # really"') })
    expect(await readSkill(dir)).toEqual({ name: "pdf", description: "Fill forms: the PDF kind # really", dir })
  })

  test.each([
    ["a byte order mark and CRLF", "\uFEFF---\r\nname: a\r\ndescription: b\r\n---\r\nText"],
    ["a folded description", "---\nname: a\ndescription: >\n  b\n---\n"],
    ["further fields", "---\nlicense: x\nname: a\nmetadata: { k: [1] }\ndescription: b\n---\n"],
    ["an end with dots", "---\nname: a\ndescription: b\n...\n"],
    ["no text after it", "---\nname: a\ndescription: b\n---"],
  ])("is read with %s", async (_what, text) => {
    expect(await readSkill(folder({ "SKILL.md": text }))).toMatchObject({ name: "a", description: "b" })
  })

  test("has texts, whatever they look like", async () => {
    const dir = folder({ "SKILL.md": "---\nname: 42\ndescription: yes\n---\n" })
    expect(await readSkill(dir)).toMatchObject({ name: "42", description: "yes" })
  })

  test.each([
    ["is missing", undefined, /There is no skill in .*SKILL.md cannot be read: there is no such file/],
    ["has no front matter", "# Just markdown", /no front matter: begin it with/],
    ["has a front matter without an end", "---\nname: a\n", /no front matter/],
    ["has none at its beginning", "\n---\nname: a\ndescription: b\n---\n", /no front matter/],
    ["has no YAML in it", "---\nname: a\ndescription: Use when: now\n---\n", /no YAML: .*in quotes/],
    ["has two names", "---\nname: a\nname: b\ndescription: c\n---\n", /no YAML/],
    ["has a list", "---\n- name\n---\n", /has no fields/],
    ["has no name", "---\ndescription: b\n---\n", /has no name: add "name: …"/],
    ["has an empty description", "---\nname: a\ndescription:\n---\n", /has no description/],
    ["has a list for a name", "---\nname: [a]\ndescription: b\n---\n", /name has to be a text/],
    ["has a long name", skill("n".repeat(65)), /name has 65 characters, 64 are the most/],
    ["has a long description", skill("n", "d".repeat(1025)), /description has 1025 characters, 1024 are the most/],
    ["has a name of two lines", '---\nname: "a\\nb"\ndescription: c\n---\n', /control character/],
    ["is no text", new Uint8Array([0x2d, 0x2d, 0x2d, 0xff]), /no UTF-8 text/],
    ["is very long", skill("a", "b", "x".repeat(300_000)), /larger than 262144 bytes/],
  ])("that %s is an error that says so", async (_what, text, message) => {
    const dir = folder(text === undefined ? {} : { "SKILL.md": text })
    const problem = await problemOf(readSkill(dir))
    expect(problem).toMatch(/^invalid_skill: /)
    expect(problem).toMatch(message)
  })

  test("of aliases that multiply is refused and not expanded", async () => {
    const lines = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(",")}]`)
    const text = `---\na0: &a0 [x]\n${lines.join("\n")}\nname: a\ndescription: b\n---\n`
    expect(await problemOf(readSkill(folder({ "SKILL.md": text })))).toMatch(/no YAML/)
  })
})

describe("a folder of skills", () => {
  test("is listed by name of folder, and the broken ones are told and left out", async () => {
    const dir = folder({
      "b/SKILL.md": skill("beta"),
      "a/SKILL.md": skill("alpha"),
      "c/SKILL.md": "no front matter",
      "d/SKILL.md": skill("alpha"),
      "e/README.md": "no skill",
      "SKILL.txt": "no folder",
    })
    const problems: string[] = []
    const skills = await folderSkills(dir).listSkills((problem) => problems.push(`${problem.code}: ${problem.message}`))
    expect(skills.map(({ name }) => name)).toEqual(["alpha", "beta"])
    expect(problems.map((text) => text.split(" ")[0])).toEqual(["invalid_skill:", "name_clash:"])
    expect(problems.join()).toContain(join(dir, "c"))
  })

  test("sees skills come, change and go", async () => {
    const dir = folder({ "a/SKILL.md": skill("alpha") })
    const loader = folderSkills(dir)
    const names = async () => (await loader.listSkills()).map(({ name, description }) => `${name}: ${description}`)
    expect(await names()).toEqual(["alpha: About alpha"])
    write(join(dir, "b/SKILL.md"), skill("beta"))
    expect(await names()).toEqual(["alpha: About alpha", "beta: About beta"])
    write(join(dir, "a/SKILL.md"), skill("alpha", "Changed"))
    expect(await names()).toEqual(["alpha: Changed", "beta: About beta"])
    write(join(dir, "a/SKILL.md"), "broken")
    expect(await names()).toEqual(["beta: About beta"])
    write(join(dir, "a/SKILL.md"), skill("again"))
    rmSync(join(dir, "b"), { recursive: true })
    expect(await names()).toEqual(["again: About again"])
  })

  test("reads a file again only when it changed", async () => {
    const dir = folder({ "a/SKILL.md": skill("alpha") })
    const loader = folderSkills(dir)
    const [first] = await loader.listSkills()
    expect((await loader.listSkills())[0]).toBe(first)
    utimesSync(join(dir, "a/SKILL.md"), new Date(1), new Date(1))
    expect((await loader.listSkills())[0]).not.toBe(first)
  })

  test("is one skill where it has a SKILL.md itself, and more with scanSubdirs", async () => {
    const dir = folder({ "SKILL.md": skill("own"), "a/SKILL.md": skill("inner") })
    const names = async (options?: object) => (await folderSkills(dir, options).listSkills()).map(({ name }) => name)
    expect(await names()).toEqual(["own"])
    expect(await names({ scanSubdirs: true })).toEqual(["own", "inner"])
    rmSync(join(dir, "SKILL.md"))
    expect(await names()).toEqual(["inner"])
    expect(await names({ scanSubdirs: false })).toEqual([])
  })

  test("may hold links to folders that lie elsewhere", async () => {
    const elsewhere = folder({ "x/SKILL.md": skill("linked") })
    const dir = folder()
    symlinkSync(join(elsewhere, "x"), join(dir, "x"))
    expect((await folderSkills(dir).listSkills()).map(({ name }) => name)).toEqual(["linked"])
  })

  test("that is missing, or goes, has none and says so", async () => {
    const dir = folder({ "all/a/SKILL.md": skill("alpha") })
    const loader = folderSkills(join(dir, "all"))
    expect(await loader.listSkills()).toHaveLength(1)
    rmSync(join(dir, "all"), { recursive: true })
    const problems: string[] = []
    expect(await loader.listSkills((problem) => problems.push(problem.message))).toEqual([])
    expect(problems).toEqual([expect.stringContaining("no such folder")])
    write(join(dir, "all"), "a file")
    expect(await loader.listSkills()).toEqual([])
  })
})

describe("a toolkit with skills", () => {
  test("lists them for the system prompt and offers the tool that reads them", async () => {
    const dir = folder({ "SKILL.md": skill("pdf", "Fill forms") })
    const toolkit = new Toolkit({
      skills: [dir, { name: "talk", description: 'Speak <well> & "short"', dir: "", markdown: "Say less." }],
    })
    await toolkit.ready()
    expect(toolkit.schemas().map(({ name }) => name)).toEqual(["Skill"])
    const prompt = await toolkit.skillPrompt()
    expect(prompt).toContain(`<skill name="pdf" dir="${dir}">Fill forms</skill>`)
    expect(prompt).toContain('<skill name="talk">Speak &lt;well&gt; &amp; &quot;short&quot;</skill>')
    expect(prompt).toContain('"Skill"')
    expect(textOf(await call(toolkit, { skill: "pdf" }))).toBe("# How to pdf")
    expect(textOf(await call(toolkit, { skill: "talk" }))).toBe("Say less.")
  })

  test("without any says nothing and offers nothing", async () => {
    const toolkit = new Toolkit()
    expect(toolkit.skillPrompt()).toBeUndefined()
    expect(toolkit.schemas()).toEqual([])
    expect((await call(toolkit, { skill: "x" })).metadata).toMatchObject({ error: { code: "unknown_tool" } })
    const empty = new Toolkit({ skills: [folderSkills(folder())] })
    await empty.ready()
    expect(await empty.skillPrompt()).toBeUndefined()
    expect(empty.schemas()).toEqual([])
  })

  test("reads what SKILL.md says now, and that it is gone", async () => {
    const dir = folder({ "a/SKILL.md": skill("pdf", "d", "Old") })
    const toolkit = new Toolkit({ skills: [folderSkills(dir)] })
    expect(textOf(await call(toolkit, { skill: "pdf" }))).toBe("Old")
    write(join(dir, "a/SKILL.md"), skill("pdf", "d", "New"))
    expect(textOf(await call(toolkit, { skill: "pdf" }))).toBe("New")
    rmSync(join(dir, "a"), { recursive: true })
    const gone = await call(toolkit, { skill: "pdf" })
    expect([gone.state, textOf(gone)]).toEqual(["error", expect.stringContaining('no skill "pdf"')])
  })

  test("offers the tool as soon as a watched folder has its first skill", async () => {
    const dir = folder()
    const toolkit = new Toolkit({ skills: [folderSkills(dir)] })
    await toolkit.ready()
    expect(toolkit.schemas()).toEqual([])
    write(join(dir, "a/SKILL.md"), skill("pdf"))
    expect(await toolkit.skillPrompt()).toContain("pdf")
    expect(toolkit.schemas().map(({ name }) => name)).toEqual(["Skill"])
    rmSync(dir, { recursive: true })
    expect(await toolkit.skillPrompt()).toBeUndefined()
    expect(toolkit.schemas()).toEqual([])
  })

  test("names the skills there are when a name is wrong", async () => {
    const toolkit = new Toolkit({ skills: [folder({ "SKILL.md": skill("spreadsheets") })] })
    const result = await call(toolkit, { skill: "spreadsheet" })
    expect(result.metadata).toMatchObject({ error: { code: "unknown_skill" } })
    expect(textOf(result)).toContain('Did you mean "spreadsheets"?')
  })

  test("hides the skills of groups that are off, for each conversation apart", async () => {
    const office = { name: "office", description: "Documents", skills: [folder({ "SKILL.md": skill("pdf") })] }
    const toolkit = new Toolkit({ groups: [office] })
    await toolkit.ready()
    const [one, two] = [toolkit.newState(), toolkit.newState()]
    one.updateGroups(["office"], true)
    expect(await toolkit.skillPrompt(one)).toContain("pdf")
    expect(await toolkit.skillPrompt(two)).toBeUndefined()
    expect(await toolkit.skillPrompt()).toBeUndefined()
    expect(toolkit.schemas(one).map(({ name }) => name)).toContain("Skill")
    expect(toolkit.schemas(two).map(({ name }) => name)).not.toContain("Skill")
    expect((await call(toolkit, { skill: "pdf" }, one)).state).toBe("success")
    expect((await call(toolkit, { skill: "pdf" }, two)).metadata).toMatchObject({ error: { code: "unknown_tool" } })
  })

  test("loses the skills of a group that is removed, and all when it is cleared", async () => {
    const group = { name: "g", description: "d", active: true, skills: [folder({ "SKILL.md": skill("a") })] }
    const toolkit = new Toolkit({ groups: [group], skills: [folder({ "SKILL.md": skill("b") })] })
    expect(await toolkit.skillPrompt()).toMatch(/"b"[^]*|"a"[^]*/)
    toolkit.removeGroups(["g"])
    expect(await toolkit.skillPrompt()).not.toContain('name="a"')
    toolkit.clear()
    expect(toolkit.skillPrompt()).toBeUndefined()
    expect(toolkit.schemas()).toEqual([])
  })

  test("takes and gives skills later", async () => {
    const toolkit = new Toolkit()
    const loader: SkillLoader = { name: "store", listSkills: async () => [{ name: "b", description: "d", dir: "" }] }
    toolkit.registerSkills({ name: "a", description: "d", dir: "", markdown: "A" })
    toolkit.registerSkills([loader])
    expect(await toolkit.skillPrompt()).toContain('name="b"')
    expect(toolkit.removeSkills(["a"])).toBe(true)
    expect(toolkit.removeSkills(["a"])).toBe(false)
    expect(await toolkit.skillPrompt()).not.toContain('name="a"')
    expect(toolkit.removeSkills(["store"])).toBe(true)
    expect(toolkit.skillPrompt()).toBeUndefined()
    expect(() => toolkit.registerSkills("x", { group: "none" })).toThrow(/no tool group "none"/)
    const kept = new Toolkit({ allowToolDeletion: false, skills: [loader] })
    expect(() => kept.removeSkills(["store"])).toThrow(/allowToolDeletion: false/)
  })

  test("says at ready() what is wrong with a folder that was named, and of a loader only warns", async () => {
    const named = new Toolkit({ skills: ["/does/not/exist"] })
    expect(await problemOf(named.ready())).toMatch(/^invalid_skill: There is no skill in \/does\/not\/exist/)
    const watched = new Toolkit({ skills: [folderSkills("/does/not/exist"), folder({ "SKILL.md": skill("a") })] })
    await watched.ready()
    const problems: string[] = []
    expect(await watched.skillPrompt(undefined, ({ message }) => problems.push(message))).toContain('"a"')
    expect(problems).toEqual([expect.stringContaining("no such folder")])
  })

  test("takes no two skills of one name", async () => {
    const [one, two] = [folder({ "SKILL.md": skill("same") }), folder({ "SKILL.md": skill("same") })]
    expect(await problemOf(new Toolkit({ skills: [one, two] }).ready())).toMatch(
      /^name_clash: .*two skills named "same"/,
    )
    const a: Skill = { name: "same", description: "d", dir: "" }
    expect(() => new Toolkit({ skills: [a, a] })).toThrow(/two skills named "same"/)
    expect(() => new Toolkit({ skills: [{ ...a, description: "" }] })).toThrow(/has no description/)
    const problems: string[] = []
    const watched = new Toolkit({ skills: [one, folderSkills(two)] })
    await watched.ready()
    const prompt = await watched.skillPrompt(undefined, ({ code }) => problems.push(code))
    expect(prompt?.match(/name="same"/g)).toHaveLength(1)
    expect(problems).toEqual(["name_clash"])
  })

  test("keeps what a loader listed when it fails later, and leaves out what is no skill", async () => {
    let fails = false
    const loader: SkillLoader = {
      name: "store",
      listSkills: async () => {
        if (fails) throw new TypeError("store is down")
        return [{ name: "a", description: "d", dir: "" }, { name: "", description: "d", dir: "" }, {} as Skill]
      },
    }
    const toolkit = new Toolkit({ skills: [loader] })
    const problems: string[] = []
    const report = ({ message }: Error) => void problems.push(message)
    expect(await toolkit.skillPrompt(undefined, report)).toContain('name="a"')
    expect(problems).toHaveLength(2)
    fails = true
    expect(await toolkit.skillPrompt(undefined, report)).toContain('name="a"')
    expect(problems[2]).toContain("store is down")
  })

  test("leaves out what a loader in JavaScript or a database may give in the place of a skill", async () => {
    const good: Skill = { name: "good", description: "d", dir: "", markdown: "m" }
    const wrong: readonly unknown[] = [
      null,
      "x",
      {},
      { name: "a", description: "d" },
      { name: "b", description: "d", dir: "", markdown: 5 },
      { name: "c\ud800", description: "d", dir: "" },
      { name: "d", description: "d\udc00", dir: "" },
    ]
    const problems: AgentScopeError[] = []
    const listSkills = async () => [...wrong, good] as Skill[]
    const toolkit = new Toolkit({ skills: [{ name: "store", listSkills }] })
    const prompt = await toolkit.skillPrompt(undefined, (problem) => problems.push(problem))
    expect(prompt?.match(/<skill /g)).toHaveLength(1)
    expect(problems.map(({ code }) => code)).toEqual(wrong.map(() => "invalid_skill"))
    for (const list of [null, "x", {}]) {
      const none = new Toolkit({ skills: [{ name: "store", listSkills: async () => list as never }] })
      const told: string[] = []
      expect(await none.skillPrompt(undefined, ({ message }) => told.push(message))).toBeUndefined()
      expect(told).toEqual(['The loader "store" answered no list of skills.'])
    }
  })

  test.each([5, null, undefined, "", {}, { name: "x", listSkills: 5 }])("%j is no skill", (skill) => {
    const refused = expect.objectContaining({ code: "invalid_skill" })
    expect(() => new Toolkit({ skills: [skill as never] })).toThrow(refused)
    expect(() => new Toolkit().registerSkills(skill as never)).toThrow(refused)
  })

  test("a folder or an option that cannot be is an error at once", async () => {
    expect(() => folderSkills(5 as never)).toThrow(expect.objectContaining({ code: "invalid_skill" }))
    expect(() => folderSkills("a", { scanSubdir: true } as never)).toThrow(/scanSubdirs/)
    await expect(readSkill(undefined as never)).rejects.toMatchObject({ code: "invalid_skill" })
  })

  test("does not wait for ever for a loader", async () => {
    const sleepers: (() => void)[] = []
    onTestFinished(replaceAmbient({ sleep: () => new Promise((resolve) => sleepers.push(resolve)) }))
    const hangs: SkillLoader = { name: "slow", listSkills: () => new Promise(() => {}) }
    const toolkit = new Toolkit({ skills: [hangs, { name: "a", description: "d", dir: "" }] })
    const problems: string[] = []
    const prompt = toolkit.skillPrompt(undefined, ({ message }) => problems.push(message))
    for (const wake of sleepers) wake()
    expect(await prompt).toContain('name="a"')
    expect(problems).toEqual(['The skills of "slow" were not listed in 30 s.'])
  })

  test("has no other tool of the name", () => {
    const own = tool({ name: "Skill", description: "Mine", input: { type: "object" }, execute: () => "x" })
    const a: Skill = { name: "a", description: "d", dir: "" }
    expect(() => new Toolkit({ tools: [own], skills: [a] })).toThrow(
      /"Skill" is the name of the tool that reads skills/,
    )
    expect(() => new Toolkit({ skills: [a] }).register(own)).toThrow(/"Skill" is the name/)
    expect(new Toolkit({ tools: [own] }).schemas()).toHaveLength(1)
    const toolkit = new Toolkit({ tools: [own] })
    expect(() => toolkit.createGroup({ name: "g", description: "d", skills: [a], tools: [] })).toThrow(/"Skill"/)
    toolkit.createGroup({ name: "g", description: "d" })
  })

  test("keeps the list in the prompt short, however many there are", async () => {
    const many = Array.from({ length: 300 }, (_, i) => ({ name: `s${i}`, description: "d".repeat(1000), dir: "" }))
    const prompt = (await new Toolkit({ skills: many }).skillPrompt()) ?? ""
    expect(prompt.length).toBeLessThan(21_000)
    expect(prompt).toMatch(/28\d more skill\(s\) are not listed/)
  })

  test("is asked for by rules like any tool", () => {
    const toolkit = new Toolkit({ skills: [{ name: "a", description: "d", dir: "" }] })
    expect(toolkit.mayAsk("Skill", { ask: ["Skill"] })).toBe(true)
    expect(toolkit.mayAsk("Skill")).toBe(false)
  })
})

describe("files of a skill", () => {
  const secret = "TOP SECRET"
  const skills = () => {
    const dir = folder({
      "outside.txt": secret,
      "pdf-other/x.txt": secret,
      "pdf/SKILL.md": skill("pdf"),
      "pdf/ref/forms.md": "Forms",
      "pdf/binary": new Uint8Array([1, 0, 2]),
      "pdf/big": "",
    })
    truncateSync(join(dir, "pdf/big"), 300_000)
    symlinkSync(join(dir, "outside.txt"), join(dir, "pdf/link"))
    symlinkSync(dir, join(dir, "pdf/up"))
    symlinkSync("ref/forms.md", join(dir, "pdf/inner"))
    symlinkSync("loop", join(dir, "pdf/loop"))
    return { dir, toolkit: new Toolkit({ skills: [join(dir, "pdf")] }) }
  }

  test.each(["ref/forms.md", "./ref/../ref/forms.md", "inner"])("%s is read", async (file) => {
    expect(textOf(await call(skills().toolkit, { skill: "pdf", file }))).toBe("Forms")
  })

  test.each([
    ["../outside.txt", "outside"],
    ["../pdf-other/x.txt", "outside"],
    ["ref/../../outside.txt", "outside"],
    ["link", "outside"],
    ["up/outside.txt", "outside"],
    ["/etc/passwd", "outside"],
    ["..", "outside"],
    [".", "no file"],
    ["ref", "no file"],
    ["loop", "circle"],
    ["none.md", "no such file"],
    ["SKILL.md/x", "no such file"],
    ["a\0b", "NUL"],
    ["binary", "no text"],
    ["big", "larger"],
  ])("%j is refused", async (file, why) => {
    const result = await call(skills().toolkit, { skill: "pdf", file })
    expect(result.state).toBe("error")
    expect(textOf(result)).toContain(why)
    expect(textOf(result)).not.toContain(secret)
  })

  test("a SKILL.md that leads out of its folder is no skill", async () => {
    const dir = folder({ "outside.md": skill("out") })
    mkdirSync(join(dir, "s"))
    symlinkSync(join(dir, "outside.md"), join(dir, "s/SKILL.md"))
    expect(await problemOf(readSkill(join(dir, "s")))).toMatch(/outside of the skill's folder/)
  })

  test("there are none for a skill without a folder", async () => {
    const toolkit = new Toolkit({ skills: [{ name: "a", description: "d", dir: "", markdown: "m" }] })
    expect(textOf(await call(toolkit, { skill: "a", file: "package.json" }))).toContain("has no folder")
  })
})

describe("a path that is nearly a skill's folder", () => {
  const text = "---\nname: pdf\ndescription: Reads PDF files\n---\nRead."
  test("may be that of its SKILL.md", async () => {
    const dir = folder({ "SKILL.md": text })
    expect(await readSkill(join(dir, "SKILL.md"))).toEqual(await readSkill(dir))
    expect(await folderSkills(join(dir, "SKILL.md")).listSkills()).toEqual(await folderSkills(dir).listSkills())
    await expect(readSkill("SKILL.md")).rejects.toThrow("There is no skill in .:")
  })

  test("that holds folders of skills is told how they are given", async () => {
    const dir = folder({ "pdf/SKILL.md": text })
    await expect(new Toolkit({ skills: [dir] }).ready()).rejects.toThrow(`folderSkills(${JSON.stringify(dir)})`)
    await expect(new Toolkit({ skills: [folderSkills(dir)] }).ready()).resolves.toBeUndefined()
  })
})
