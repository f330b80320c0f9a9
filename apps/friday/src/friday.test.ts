import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ScriptedModel } from "@agentscope-ts/testing"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createFriday } from "./friday.ts"

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "friday-"))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const base = () => ({ dir, yes: false, allow: [], canAsk: true })
const write = { toolUses: [{ name: "write_text_file", input: { file_path: "a.txt", content: "x" } }] }

describe("Friday", () => {
  it("has tools for files, search, shell, Python and sums", () => {
    const { toolkit } = createFriday({ ...base(), model: new ScriptedModel([]) })
    expect(toolkit.schemas().map(({ name }) => name)).toEqual([
      "view_text_file",
      "list_directory",
      "glob_files",
      "grep_files",
      "write_text_file",
      "insert_text_file",
      "execute_shell_command",
      "execute_python_code",
      "calculate",
    ])
  })

  it.each([
    ["execute_shell_command", { command: "ls" }],
    ["execute_shell_command", { command: "touch x" }],
    ["execute_python_code", { code: "1" }],
    ["write_text_file", { file_path: "a.txt", content: "x" }],
    ["insert_text_file", { file_path: "a.txt", content: "x", line_number: 1 }],
  ])("waits for a person before %s %o", async (name, input) => {
    const friday = createFriday({ ...base(), model: new ScriptedModel([{ toolUses: [{ name, input }] }]) })
    const reply = await friday.reply("go")
    expect(reply.finishReason).toBe("approval_required")
  })

  it("reads, searches and computes unasked", async () => {
    writeFileSync(join(dir, "a.txt"), "needle")
    const calls = [
      { name: "view_text_file", input: { file_path: "a.txt" } },
      { name: "list_directory", input: {} },
      { name: "glob_files", input: { pattern: "*" } },
      { name: "grep_files", input: { pattern: "needle" } },
      { name: "calculate", input: { expression: "1+1" } },
    ]
    const friday = createFriday({ ...base(), model: new ScriptedModel([{ toolUses: calls }, "done"]) })
    expect(await friday.reply("go")).toMatchObject({ finishReason: "completed", pending: [] })
  })

  it("asks nobody with yes, and not for what a rule allows", async () => {
    const yes = createFriday({ ...base(), yes: true, model: new ScriptedModel([write, "done"]) })
    expect((await yes.reply("go")).finishReason).toBe("completed")
    expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("x")
    const allowed = createFriday({
      ...base(),
      allow: ["write_text_file(*.txt)"],
      model: new ScriptedModel([write, "done"]),
    })
    expect((await allowed.reply("go")).finishReason).toBe("completed")
  })

  it("refuses rules that no tool answers to, or that cannot be read", () => {
    const make = (allow: string) => createFriday({ ...base(), allow: [allow], model: new ScriptedModel([]) })
    expect(() => make("Bash(ls)")).toThrow("view_text_file, list_directory")
    expect(() => make("execute_shell_command(ls")).toThrow("--allow")
    expect(() => make("*_text_file")).not.toThrow()
  })

  it("tells the model where it is, and when nobody can be asked", async () => {
    const model = new ScriptedModel(["hi", "hi"])
    await createFriday({ ...base(), model }).reply("x")
    await createFriday({ ...base(), canAsk: false, model }).reply("x")
    const [first, second] = model.requests.map(({ messages }) => JSON.stringify(messages[0]))
    expect(first).toContain(dir)
    expect(first).not.toContain("Nobody can be asked")
    expect(second).toContain("Nobody can be asked")
  })
})
