import { describe, expect, it } from "vitest"
import { callTool, textOfCall } from "./fixtures/call-tool.ts"
import { TempFolder } from "./fixtures/temp-folder.ts"
import * as tools from "./index.ts"

type Make = (options?: unknown) => unknown
const fileMakers = [
  "fileTools viewTextFile listDirectory globFiles grepFiles writeTextFile insertTextFile",
  "readTool globTool grepTool writeTool editTool",
].flatMap((names) => names.split(" "))
const shellMakers = ["executeShellCommand", "bashTool", "executePythonCode"]
const makerOf = (name: string) => (tools as unknown as Record<string, Make>)[name] as Make
const refused = (message: RegExp) =>
  expect.objectContaining({ code: "invalid_argument", message: expect.stringMatching(message) })

describe.each(fileMakers)("%s", (name) => {
  const make = makerOf(name)
  it("says that it needs a root", () => {
    for (const wrong of [
      {},
      { root: undefined },
      { root: null },
      { root: "" },
      { root: 5 },
      { root: new URL("file:///") },
    ])
      expect(() => make(wrong)).toThrow(refused(new RegExp(`^${name}\\(\\) needs a root.*\\(\\{ root: "`)))
    for (const wrong of [undefined, null, ".", []]) expect(() => make(wrong)).toThrow(refused(/takes options/))
  })

  it("refuses options that there are not", () => {
    expect(() => make({ root: ".", encodng: "gbk" })).toThrow(
      refused(/no option "encodng"\. Did you mean "encoding"\?/),
    )
    expect(() => make({ root: ".", nothingLike: 1 })).toThrow(refused(/There are: root/))
    expect(() => make({ root: ".", encoding: 5 })).toThrow(refused(/encoding is 5/))
    expect(() => make({ root: ".", encoding: undefined, nothing: undefined })).not.toThrow()
  })
})

describe.each(shellMakers)("%s", (name) => {
  const make = makerOf(name)
  it("refuses options that are none, and takes none at all", () => {
    expect(() => make()).not.toThrow()
    for (const wrong of [null, ".", []]) expect(() => make(wrong)).toThrow(refused(/takes options/))
    for (const cwd of [null, "", 5, {}]) expect(() => make({ cwd })).toThrow(refused(/cwd is .*the path of a folder/))
    expect(() => make({ cdw: "." })).toThrow(refused(/no option "cdw"\. Did you mean "cwd"\?/))
    expect(() => make({ env: "A=1" })).toThrow(refused(/env is "A=1"/))
  })
})

it("an unknown style is no silent default", () => {
  for (const style of ["claude-code", "", null, 1])
    expect(() => tools.fileTools({ root: ".", style: style as never })).toThrow(refused(/"agentscope" or "claude"/))
  expect(() => tools.fileTools({ root: ".", readOnly: "no" as never })).toThrow(refused(/true or false/))
  expect(() => tools.fileTools({ root: ".", readonly: true } as never)).toThrow(refused(/Did you mean "readOnly"/))
})

it("rules of a shell tool stand in a list", () => {
  expect(() => tools.executeShellCommand({ allow: "git" as never })).toThrow(refused(/allow is "git"/))
  expect(() => tools.bashTool({ approve: true as never })).toThrow(refused(/approve is true/))
})

it("a folder that does not exist is told by the first call", async () => {
  const missing = new TempFolder().at("none")
  for (const tool of tools.fileTools({ root: missing, readOnly: true })) {
    const input = { file_path: "f", pattern: "x" }
    expect(await textOfCall(tool, input)).toContain("root folder of the file tools does not exist")
  }
  const shell = tools.executeShellCommand({ cwd: missing })
  const result = await callTool(shell, { command: "make" }, { mode: "bypass" })
  expect(JSON.stringify(result.output)).toContain("the working folder does not exist")
})
