import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, renameSync, statSync, symlinkSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { FileRoot } from "./file-root.ts"
import { statFile, writeBytes } from "./write-text.ts"

function scene(files: Record<string, string> = {}) {
  const folder = new TempFolder({ "root/keep": "", ...files })
  const root = new FileRoot(folder.at("root"))
  const write = (path: string, text: string) => writeBytes(root, root.locateForWriting(path), Buffer.from(text))
  return { folder, root, write }
}
const leftovers = (folder: TempFolder): string[] =>
  readdirSync(folder.path, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(".agentscope-"))

describe("writing a file", () => {
  it("makes it and its folders, and leaves nothing beside it", async () => {
    const { folder, write } = scene()
    await write("a/b/c.txt", "text")
    expect(folder.read("root/a/b/c.txt")).toBe("text")
    expect(leftovers(folder)).toEqual([])
  })

  it("keeps the mode of a file that it replaces", async () => {
    const { folder, write } = scene({ "root/run.sh": "old" })
    for (const mode of [0o755, 0o600, 0o4711]) {
      chmodSync(folder.at("root/run.sh"), mode)
      await write("run.sh", `new ${mode}`)
      expect(statSync(folder.at("root/run.sh")).mode & 0o7777).toBe(mode)
      expect(folder.read("root/run.sh")).toBe(`new ${mode}`)
    }
  })

  it.runIf(process.getuid?.() === 0)("keeps the owner when it may", async () => {
    const { folder, write } = scene({ "root/theirs": "old" })
    execFileSync("chown", ["1234:1235", folder.at("root/theirs")])
    await write("theirs", "new")
    expect(statSync(folder.at("root/theirs"))).toMatchObject({ uid: 1234, gid: 1235 })
  })

  it("writes through a link inside the root, which stays a link", async () => {
    const { folder, write } = scene({ "root/real.txt": "old" })
    symlinkSync("real.txt", folder.at("root/alias.txt"))
    await write("alias.txt", "new")
    expect(folder.read("root/real.txt")).toBe("new")
    expect(execFileSync("readlink", [folder.at("root/alias.txt")], { encoding: "utf8" }).trim()).toBe("real.txt")
  })

  it("shows a reader the old text or the new one, never a part", async () => {
    const { folder, write } = scene({ "root/f": "a".repeat(200_000) })
    const seen = new Set<string>()
    const state = { done: false }
    const writing = (async () => {
      for (let i = 0; i < 10; i++) await write("f", (i % 2 === 0 ? "b" : "a").repeat(200_000))
      state.done = true
    })()
    while (!state.done) {
      const text = folder.read("root/f")
      seen.add(`${text[0]}${text.length}${new Set(text).size}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await writing
    expect([...seen].every((each) => each === "a2000001" || each === "b2000001")).toBe(true)
  })

  it("refuses what is read-only, no file, or below a file", async () => {
    const { folder, root, write } = scene({ "root/fixed": "x", "root/file": "x" })
    chmodSync(folder.at("root/fixed"), 0o444)
    mkdirSync(folder.at("root/dir"))
    execFileSync("mkfifo", [folder.at("root/pipe")])
    await expect(write("fixed", "y")).rejects.toThrow(/read-only/)
    await expect(write("dir", "y")).rejects.toMatchObject({ code: "not_a_file" })
    await expect(write("pipe", "y")).rejects.toMatchObject({ code: "special_file" })
    expect(() => root.locateForWriting("file/below")).toThrow(/file stands where/)
    await expect(statFile(root.locate("pipe"))).rejects.toMatchObject({ code: "special_file" })
    expect(folder.read("root/fixed")).toBe("x")
    expect(leftovers(folder)).toEqual([])
  })

  it("refuses a version other than the one that was read", async () => {
    const { folder, root } = scene({ "root/f": "one" })
    const file = root.locateForWriting("f")
    const version = await statFile(file)
    folder.write("root/f", "other text")
    await expect(writeBytes(root, file, Buffer.from("mine"), version)).rejects.toMatchObject({
      code: "changed_on_disk",
    })
    expect(folder.read("root/f")).toBe("other text")
    const now = await writeBytes(root, file, Buffer.from("mine"), await statFile(file))
    expect(folder.read("root/f")).toBe("mine")
    await writeBytes(root, file, Buffer.from("again"), now)
    expect(leftovers(folder)).toEqual([])
  })

  it("takes its draft away when the file changes while it is written", async () => {
    const { folder, root } = scene({ "root/f": "one" })
    const file = root.locateForWriting("f")
    const writing = writeBytes(root, file, Buffer.alloc(30_000_000, 97), await statFile(file))
    const outcome = writing.catch((error: { code: string }) => error.code)
    while (leftovers(folder).length === 0) await new Promise((resolve) => setImmediate(resolve))
    folder.write("root/f", "theirs")
    expect(await outcome).toBe("changed_on_disk")
    expect(folder.read("root/f")).toBe("theirs")
    expect(leftovers(folder)).toEqual([])
  })

  it("FR-44 does not follow a link that was put in place after the check", async () => {
    const { folder, root } = scene({ "root/dir/f": "inside", "outside/f": "theirs" })
    const file = root.locateForWriting("dir/f")
    const fresh = root.locateForWriting("dir/new/f")
    renameSync(folder.at("root/dir"), folder.at("root/old"))
    symlinkSync(folder.at("outside"), folder.at("root/dir"))
    await expect(writeBytes(root, file, Buffer.from("mine"))).rejects.toMatchObject({ code: "outside_root" })
    await expect(writeBytes(root, fresh, Buffer.from("mine"))).rejects.toMatchObject({ code: "outside_root" })
    expect(folder.read("outside/f")).toBe("theirs")
    expect(readdirSync(folder.at("outside"))).toEqual(["f"])
    expect(leftovers(folder)).toEqual([])
  })
})
