import { execFileSync } from "node:child_process"
import { linkSync, symlinkSync } from "node:fs"
import type { AnyTool } from "@agentscope-ts/tool"
import { expect, it } from "vitest"
import { fileTools } from "../file-tools.ts"
import { textOfCall } from "../fixtures/call-tool.ts"
import { TempFolder } from "../fixtures/temp-folder.ts"

function scene() {
  const folder = new TempFolder({
    "root/a.txt": "inside",
    "root/sub/b.txt": "b",
    "root/deep/c.txt": "c",
    "out/x": "other",
  })
  const all = [...fileTools({ root: folder.at("root") }), ...fileTools({ root: folder.at("root"), style: "claude" })]
  const tools = new Map(all.map((tool): [string, AnyTool] => [tool.name, tool]))
  return { folder, call: (name: string, input: object) => textOfCall(tools.get(name) as AnyTool, input) }
}

it("FR-44 a hard link is read as the file it is, and a change leaves the file's other name alone", async () => {
  const { folder, call } = scene()
  for (const [name, change] of [
    [
      "edit",
      async (path: string) => {
        await call("Read", { file_path: path })
        return call("Edit", { file_path: path, old_string: "other", new_string: "mine" })
      },
    ],
    ["write", (path: string) => call("write_text_file", { file_path: path, content: "mine" })],
    ["insert", (path: string) => call("insert_text_file", { file_path: path, content: "mine", line_number: 1 })],
  ] as const) {
    linkSync(folder.at("out/x"), folder.at(`root/${name}`))
    expect(await call("view_text_file", { file_path: name })).toContain("other")
    await change(folder.at(`root/${name}`))
    expect(folder.read(`root/${name}`)).toContain("mine")
    expect(folder.read("out/x")).toBe("other")
  }
})

it.runIf(process.platform !== "win32")(
  "an ignore file that is a link or a pipe says nothing, and holds nothing up",
  async () => {
    const { folder, call } = scene()
    folder.write("out/rules", "b.txt\n")
    symlinkSync(folder.at("out/rules"), folder.at("root/sub/.gitignore"))
    execFileSync("mkfifo", [folder.at("root/deep/.gitignore")])
    expect(await call("glob_files", { pattern: "**/*.txt" })).toMatch(/b\.txt[\s\S]*c\.txt|c\.txt[\s\S]*b\.txt/)
    expect(await call("grep_files", { pattern: "^[bc]$" })).toMatch(/b\.txt[\s\S]*c\.txt|c\.txt[\s\S]*b\.txt/)
  },
)
