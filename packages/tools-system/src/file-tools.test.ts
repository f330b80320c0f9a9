import { symlinkSync } from "node:fs"
import { Toolkit } from "@agentscope-ts/tool"
import { describe, expect, it } from "vitest"
import { fileTools } from "./file-tools.ts"
import { callTool, textOfCall } from "./fixtures/call-tool.ts"
import { TempFolder } from "./fixtures/temp-folder.ts"

describe("a whole set of file tools", () => {
  it.each([
    [
      "agentscope",
      false,
      ["view_text_file", "list_directory", "glob_files", "grep_files", "write_text_file", "insert_text_file"],
    ],
    ["agentscope", true, ["view_text_file", "list_directory", "glob_files", "grep_files"]],
    ["claude", false, ["Read", "Glob", "Grep", "Write", "Edit", "Bash"]],
    ["claude", true, ["Read", "Glob", "Grep"]],
  ] as const)("in the style %s, read-only %s", (style, readOnly, names) => {
    const tools = fileTools({ root: ".", style, readOnly })
    expect(tools.map((tool) => tool.name)).toEqual(names)
    expect(new Toolkit({ tools }).schemas()).toHaveLength(names.length)
    for (const tool of tools) {
      const reads = /^(?:view|list|glob|grep|Read|Glob|Grep)/.test(tool.name)
      expect([tool.name, tool.effects, tool.concurrencySafe]).toEqual([tool.name, reads ? "none" : "once", reads])
    }
  })

  it("is the 1.x one unless said", () => {
    expect(fileTools({ root: "." })[0]?.name).toBe("view_text_file")
  })

  it("shares what was read inside one set, and with no other", async () => {
    const folder = new TempFolder({ f: "a" })
    const named = (tools: ReturnType<typeof fileTools>, name: string) =>
      tools.find((tool) => tool.name === name) as (typeof tools)[number]
    const [one, two] = [
      fileTools({ root: folder.path, style: "claude" }),
      fileTools({ root: folder.path, style: "claude" }),
    ]
    await callTool(named(one, "Read"), { file_path: "f" })
    const edit = { file_path: "f", old_string: "a", new_string: "b" }
    expect(await textOfCall(named(two, "Edit"), edit)).toContain("not been read")
    expect(await textOfCall(named(one, "Edit"), edit)).toContain("Replaced")
  })
})

describe("rules for file tools", () => {
  const scene = () => {
    const folder = new TempFolder({ "src/a.ts": "a", "docs/b.md": "b", "secrets/key": "k" })
    symlinkSync("../secrets", folder.at("docs/link"))
    symlinkSync("secrets", folder.at("alias"))
    const tools = fileTools({ root: folder.path })
    const state = async (name: string, input: object, policy: object) =>
      (await callTool(tools.find((tool) => tool.name === name) as (typeof tools)[number], input, policy)).state
    return { folder, state }
  }

  it("allow by globs over the path, as written and as it really is", async () => {
    const { state, folder } = scene()
    const policy = { allow: ["write_text_file(docs/**)", `write_text_file(${folder.path}/out/*.txt)`] }
    const write = (file_path: string) => state("write_text_file", { file_path, content: "x" }, policy)
    expect(await write("docs/new.md")).toBe("success")
    expect(await write("docs/deep/er/new.md")).toBe("success")
    expect(await write("out/a.txt")).toBe("success")
    expect(await write("src/a.ts")).toBe("suspended")
    expect(await write("docs/../src/a.ts")).toBe("suspended")
    expect(await write("docs/link/key")).toBe("suspended")
    expect(await write("../docs/x")).toBe("suspended")
  })

  it("deny by either", async () => {
    const { state } = scene()
    const policy = { deny: ["view_text_file(secrets/**)", "view_text_file(alias/**)"], mode: "bypass" }
    const view = (file_path: string) => state("view_text_file", { file_path }, policy)
    expect(await view("src/a.ts")).toBe("success")
    for (const path of ["secrets/key", "docs/link/key", "alias/key", "./src/../secrets/key"])
      expect(await view(path)).toBe("denied")
  })

  it("are offered for the folder of a file, and hold for names with special characters", async () => {
    const folder = new TempFolder({ "src/deep/a.ts": "", "we[i]rd/b": "" })
    const write = fileTools({ root: folder.path }).find((tool) => tool.name === "write_text_file")
    if (write === undefined) throw new Error("no write_text_file")
    const offered = async (file_path: string) => {
      const result = await callTool(write, { file_path, content: "x" }, {})
      const pending = result.metadata?.["pending"] as { suggestedRules: string[] } | undefined
      return pending?.suggestedRules ?? []
    }
    expect(await offered("src/deep/a.ts")).toEqual(["write_text_file(src/deep/**)"])
    expect(await offered("a.ts")).toEqual(["write_text_file(a.ts)"])
    const [rule] = await offered("we[i]rd/b")
    expect((await callTool(write, { file_path: "we[i]rd/c", content: "x" }, { allow: [rule as string] })).state).toBe(
      "success",
    )
    expect((await callTool(write, { file_path: "weird/c", content: "x" }, { allow: [rule as string] })).state).toBe(
      "suspended",
    )
  })
})
