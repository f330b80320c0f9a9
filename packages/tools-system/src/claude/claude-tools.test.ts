import { symlinkSync, utimesSync } from "node:fs"
import { textOf, type ToolResultBlock } from "@agentscope-ts/message"
import { type AnyTool, Toolkit } from "@agentscope-ts/tool"
import { describe, expect, it } from "vitest"
import { callTool, textOfCall } from "../fixtures/call-tool.ts"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { editTool, replaceIn } from "./edit.ts"
import { ReadLedger } from "./read-ledger.ts"
import { readTool } from "./read.ts"
import { writeTool } from "./write.ts"

function scene(files: Record<string, string | Uint8Array>) {
  const folder = new TempFolder(files)
  const shared = { root: folder.path, ledger: new ReadLedger() }
  const read = readTool(shared)
  const write = writeTool(shared)
  const edit = editTool(shared)
  return { folder, read, write, edit }
}

describe("Read", () => {
  it("gives numbered lines, 2000 of 2000 characters at most", async () => {
    const { read } = scene({ f: "a\r\nb\n", long: `${"x".repeat(2500)}\nb`, many: "l\n".repeat(2500), empty: "" })
    expect(await textOfCall(read, { file_path: "f" })).toBe("     1\ta\n     2\tb")
    expect(await textOfCall(read, { file_path: "long" })).toBe(
      `     1\t${"x".repeat(2000)}[truncated 500 characters]\n     2\tb`,
    )
    const many = (await textOfCall(read, { file_path: "many" })).split("\n")
    expect(many).toHaveLength(2001)
    expect(many.at(-1)).toBe("(The file goes on; read it with offset 2001.)")
    expect(await textOfCall(read, { file_path: "many", offset: 2499, limit: 5 })).toBe("  2499\tl\n  2500\tl")
    expect(await textOfCall(read, { file_path: "empty" })).toBe("(The file empty is empty.)")
    expect(await textOfCall(read, { file_path: "f", offset: 9 })).toContain("has only 2 lines")
    expect((await callTool(read, { file_path: "f", limit: 5000 })).state).toBe("error")
  })

  it("takes absolute paths inside, and nothing outside", async () => {
    const { read, folder } = scene({ "root/f": "a", secret: "s" })
    symlinkSync(folder.at("secret"), folder.at("root/link"))
    const tool = readTool({ root: folder.at("root") })
    expect(await textOfCall(read, { file_path: folder.at("root/f") })).toBe("     1\ta")
    for (const file_path of [folder.at("secret"), "link", "../secret"])
      expect(await textOfCall(tool, { file_path })).toContain("outside")
  })

  it("shows an image as one", async () => {
    const png = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1")
    const { read } = scene({ "a.dat": png, "b.png": "no image" })
    const result = await callTool(read, { file_path: "a.dat" })
    expect(result.output).toEqual([
      {
        type: "image",
        name: "a.dat",
        source: { type: "base64", mediaType: "image/png", data: png.toString("base64") },
      },
    ])
    expect(await textOfCall(read, { file_path: "b.png" })).toBe("     1\tno image")
  })
})

describe("Write and Edit", () => {
  it("create, replace and change what was read", async () => {
    const { folder, read, write, edit } = scene({ f: "one\ntwo\n" })
    expect(await textOfCall(write, { file_path: "new/g", content: "a\nb" })).toBe(
      "The file new/g has been written (2 lines).",
    )
    expect(await textOfCall(read, { file_path: "f" })).toContain("one")
    const edited = await callTool(edit, { file_path: "f", old_string: "two", new_string: "2" })
    expect(edited).toMatchObject({ state: "success", structured: { file_path: "f", occurrences: 1 } })
    expect(edited.metadata?.["diff"]).toContain("-two\n+2\n")
    expect(textOf(edited)).toBe("Replaced 1 occurrence in f.")
    // what a tool wrote, it knows
    expect((await callTool(write, { file_path: "f", content: "all new\n" })).state).toBe("success")
    expect((await callTool(edit, { file_path: "new/g", old_string: "a", new_string: "A" })).state).toBe("success")
    expect([folder.read("f"), folder.read("new/g")]).toEqual(["all new\n", "A\nb"])
  })

  it("refuse what was not read, or changed since", async () => {
    const { folder, read, write, edit } = scene({ f: "one\n" })
    const tries = (): Promise<ToolResultBlock[]> =>
      Promise.all([
        callTool(write, { file_path: "f", content: "x" }),
        callTool(edit, { file_path: "f", old_string: "one", new_string: "x" }),
      ])
    for (const result of await tries()) expect(textOf(result)).toContain("has not been read yet")
    await callTool(read, { file_path: "f" })
    folder.write("f", "one!\n")
    for (const result of await tries()) expect(textOf(result)).toContain("was changed since it was read")
    await callTool(read, { file_path: "f" })
    // the same bytes, written again
    utimesSync(folder.at("f"), new Date(1e12), new Date(1e12))
    for (const result of await tries()) expect(result.state).toBe("error")
    expect(folder.read("f")).toBe("one!\n")
  })

  it("ask for a unique text, or take all of them", async () => {
    const { folder, read, edit } = scene({ f: "a b a\n" })
    await callTool(read, { file_path: "f" })
    const change = (input: object) => textOfCall(edit, { file_path: "f", ...input })
    expect(await change({ old_string: "a", new_string: "x" })).toContain("appears 2 times")
    expect(await change({ old_string: "z", new_string: "x" })).toContain("was not found")
    expect(await change({ old_string: "b", new_string: "b" })).toContain("nothing to change")
    expect(await change({ old_string: "", new_string: "b" })).toContain("empty")
    expect(await change({ file_path: "none", old_string: "a", new_string: "b" })).toContain("Create it with Write")
    expect(await change({ old_string: "a", new_string: "$& $1", replace_all: true })).toBe(
      "Replaced all 2 occurrences in f.",
    )
    expect(folder.read("f")).toBe("$& $1 b $& $1\n")
  })

  it("keep CRLF, a byte order mark and mixed line breaks", () => {
    const replace = (text: string, old_string: string, new_string: string) =>
      replaceIn(text, { old_string, new_string }, "f").text
    expect(replace("a\r\nb\r\nc\r\n", "a\nb", "x\ny")).toBe("x\r\ny\r\nc\r\n")
    expect(replace("a\r\nb\r\n", "b", "x\ny")).toBe("a\r\nx\r\ny\r\n")
    expect(replace("a\r\nb\nc\n", "b\nc", "x\ny")).toBe("a\r\nx\ny\n")
    expect(replace("a\nb\n", "a\nb", "x")).toBe("x\n")
  })

  it("ask for approval, which accept_edits gives but for what other programs run", async () => {
    const { write } = scene({ keep: "" })
    const state = async (file_path: string, mode: "default" | "accept_edits" | "read_only") =>
      (await callTool(write, { file_path, content: "x" }, { mode })).state
    expect(await state("src/a.ts", "default")).toBe("suspended")
    expect(await state("src/a.ts", "accept_edits")).toBe("success")
    expect(await state("src/a.ts", "read_only")).toBe("denied")
    for (const path of [".env", ".bashrc", ".vscode/settings.json", "../out", ".git/config"]) {
      expect(await state(path, "accept_edits")).toBe("suspended")
    }
  })
})

describe("what was read", () => {
  const context = (id: string) => ({ agent: { id, name: id } }) as never

  it("belongs to an agent", async () => {
    const folder = new TempFolder({ f: "a" })
    const ledger = new ReadLedger()
    const tools = { root: folder.path, ledger }
    const input = { file_path: "f", old_string: "a", new_string: "b" }
    const of = (id: string) => ({ agent: { id, name: id }, signal: new AbortController().signal }) as never
    await readTool(tools).run({ file_path: "f" }, of("one"))
    await expect(editTool(tools).run(input, of("two"))).rejects.toMatchObject({ code: "not_read" })
    await editTool(tools).run(input, of("one"))
    expect(folder.read("f")).toBe("b")
  })

  it("is shared by the tools of a root that were made one by one, and forgotten in the end", async () => {
    const folder = new TempFolder({ f: "a", "sub/f": "a" })
    const toolkit = new Toolkit({
      tools: [readTool({ root: folder.path }), editTool({ root: folder.path })] as AnyTool[],
    })
    const call = (name: string, input: object) =>
      toolkit.execute({ type: "tool_use", id: "c", name, input: input as never }, { approval: { mode: "bypass" } })
        .result
    await call("Read", { file_path: "f" })
    expect((await call("Edit", { file_path: "f", old_string: "a", new_string: "b" })).state).toBe("success")
    // another root has another
    const other = editTool({ root: folder.at("sub") })
    expect(textOf(await callTool(other, { file_path: "f", old_string: "a", new_string: "b" }))).toContain(
      "not been read",
    )
    const ledger = new ReadLedger()
    const stat = { mtimeMs: 1, size: 1, ino: 1 } as never
    const file = (i: number) => ({ path: `/f${i}`, shown: `f${i}`, exists: true })
    for (let i = 0; i < 2500; i++) ledger.note(file(i), stat, context("a"))
    expect(() => ledger.check(file(0), stat, context("a"))).toThrow(/not been read/)
    ledger.check(file(2499), stat, context("a"))
    for (let i = 0; i < 1500; i++) ledger.note(file(1), stat, context(`agent ${i}`))
    expect(() => ledger.check(file(2499), stat, context("a"))).toThrow(/not been read/)
  })
})
