import { execFileSync } from "node:child_process"
import { createServer } from "node:net"
import { readdirSync, symlinkSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { FileRoot } from "./file-root.ts"
import { type LineWindow, maxEditBytes, readFileBytes, readLines, readText } from "./read-text.ts"

const everything: LineWindow = { from: 1, to: Number.POSITIVE_INFINITY, maxChars: 1e6, maxLineChars: 1e6 }
const openFiles = (): number => (process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0)

function fileOf(content: string | Uint8Array) {
  const folder = new TempFolder({ f: content })
  const root = new FileRoot(folder.path)
  return {
    folder,
    root,
    lines: (window: Partial<LineWindow> = {}) => readLines(root, root.locate("f"), { ...everything, ...window }),
  }
}

describe("reading lines", () => {
  it("gives all of them without their line breaks", async () => {
    expect(await fileOf("a\r\nb\n\nc").lines()).toMatchObject({ lines: ["a", "b", "", "c"], total: 4, first: 1 })
    expect(await fileOf("a\n").lines()).toMatchObject({ lines: ["a"], total: 1 })
    expect(await fileOf("").lines()).toMatchObject({ lines: [], total: 0 })
  })

  it.each([
    [2, 3, ["2", "3"]],
    [4, 99, ["4", "5"]],
    [-2, -1, ["4", "5"]],
    [-99, 2, ["1", "2"]],
    [2, -2, ["2", "3", "4"]],
    [6, 9, []],
    [-1, -1, ["5"]],
  ])("from %i to %i", async (from, to, expected) => {
    expect((await fileOf("1\n2\n3\n4\n5\n").lines({ from, to })).lines).toEqual(expected)
    expect((await fileOf("1\n2\n3\n4\n5").lines({ from, to })).lines).toEqual(expected)
  })

  it("is the same wherever the reader's pieces end", async () => {
    const text = Array.from({ length: 30_000 }, (_, i) => `${i} 你好🌍`).join("\r\n")
    const { lines } = await fileOf(text).lines({ maxChars: 1e7 })
    expect(lines.join("\r\n")).toBe(text)
  })

  it("reads every encoding that the mark tells", async () => {
    const text = "\ufeffä\n你好🌍\n"
    expect((await fileOf(Buffer.from(text, "utf16le")).lines()).lines).toEqual(["ä", "你好🌍"])
    expect((await fileOf(Buffer.from(text, "utf16le").swap16()).lines()).lines).toEqual(["ä", "你好🌍"])
    expect((await fileOf(Buffer.from(text)).lines()).lines).toEqual(["ä", "你好🌍"])
  })

  it("shows broken text and says so", async () => {
    expect(await fileOf(Uint8Array.from([0x61, 0xff, 0x0a, 0x62])).lines()).toMatchObject({
      lines: ["a\ufffd", "b"],
      damaged: true,
    })
    expect((await fileOf("fine").lines()).damaged).toBe(false)
  })

  it("cuts long lines between characters and stops at the limit of all", async () => {
    const cut = await fileOf(`${"🌍".repeat(10)}\nnext\n`).lines({ maxLineChars: 5 })
    expect(cut.lines).toEqual(["🌍🌍[truncated 16 characters]", "next"])
    const limited = await fileOf("aaaa\nbbbb\ncccc\n").lines({ maxChars: 24 })
    expect(limited.lines).toEqual(["aaaa", "bbbb"])
    expect(limited.total).toBeUndefined()
    // one line is always given
    expect((await fileOf("a".repeat(50)).lines({ maxChars: 10 })).lines).toHaveLength(1)
  })

  it("reads only the start of a huge file for its first lines", async () => {
    const { folder, lines } = fileOf("")
    execFileSync("truncate", ["-s", "8G", folder.at("f")])
    execFileSync("sh", ["-c", 'printf "first\\nsecond\\n" | dd of=f conv=notrunc status=none'], { cwd: folder.path })
    // the rest of it are NULs, so that only a later piece would tell it binary
    await expect(lines({ from: 1, to: 2 })).rejects.toMatchObject({ code: "binary_file" })
    const { folder: text, lines: textLines } = fileOf(`first\nsecond\n${"x".repeat(70_000)}`)
    execFileSync("truncate", ["-s", "8G", text.at("f")])
    const start = performance.now()
    expect((await textLines({ from: 1, to: 2 })).lines).toEqual(["first", "second"])
    await expect(textLines({ from: 5, to: 6 })).rejects.toMatchObject({ code: "too_large" })
    expect(performance.now() - start).toBeLessThan(50_000)
  }, 60_000)

  it("reads the first and the last lines of a text of a gigabyte in bounded memory", async () => {
    const { folder, lines } = fileOf("first\n")
    // 64 characters a line
    const fill = `yes "${"x".repeat(63)}" | head -c 1073741824 >> f; printf 'last\\n' >> f`
    execFileSync("sh", ["-c", fill], { cwd: folder.path })
    const before = process.memoryUsage().rss
    expect((await lines({ from: 1, to: 2 })).lines[0]).toBe("first")
    const end = await lines({ from: -1, to: -1 })
    expect([end.lines, end.first]).toEqual([["last"], 2 ** 30 / 64 + 2])
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  }, 60_000)

  it("stops when it is aborted", async () => {
    const { root } = fileOf("a\n")
    await expect(readLines(root, root.locate("f"), everything, AbortSignal.abort(new Error("enough")))).rejects.toThrow(
      "enough",
    )
  })
})

describe("reading a whole file", () => {
  it("keeps what is needed to write it back", async () => {
    const { root } = fileOf("\ufeffa\r\nb")
    expect(await readText(root, root.locate("f"))).toMatchObject({ text: "a\r\nb", encoding: "utf-8", bom: 3 })
  })

  it.each([
    ["binary", Uint8Array.from([0x7f, 0x45, 0, 1]), "binary_file"],
    ["not UTF-8", Uint8Array.from([0x61, 0xc3, 0x28]), "bad_encoding"],
    ["too large", new Uint8Array(maxEditBytes + 1).fill(0x61), "too_large"],
  ])("refuses what is %s", async (_, content, code) => {
    const { root } = fileOf(content)
    await expect(readText(root, root.locate("f"))).rejects.toMatchObject({ code })
  })

  it("does not trust the size of files that grow or have none", async () => {
    const root = new FileRoot("/proc")
    const { bytes } = await readFileBytes(root, root.locate("version"), 1000)
    expect(bytes.length).toBeGreaterThan(10)
  })
})

describe("FR-44 what is no regular file is not opened", () => {
  it("does not wait for a pipe, and reads no device, socket or folder", async () => {
    const folder = new TempFolder({ "sub/x": "" })
    execFileSync("mkfifo", [folder.at("pipe")])
    const server = createServer().listen(folder.at("socket"))
    await new Promise((resolve) => server.once("listening", resolve))
    const root = new FileRoot(folder.path)
    const before = openFiles()
    for (const [name, code] of [
      ["pipe", "special_file"],
      ["socket", "special_file"],
      ["sub", "not_a_file"],
      ["none", "not_found"],
    ]) {
      await expect(readText(root, root.locate(name as string))).rejects.toMatchObject({ code })
    }
    server.close()
    const devices = new FileRoot("/dev")
    for (const name of ["zero", "null", "random"]) {
      await expect(readText(devices, devices.locate(name))).rejects.toMatchObject({ code: "special_file" })
    }
    expect(openFiles()).toBeLessThanOrEqual(before)
  })

  it("does not follow a link that was put in place after the check", async () => {
    const folder = new TempFolder({ "root/dir/f": "inside", "outside/f": "secret" })
    const root = new FileRoot(folder.at("root"))
    const file = root.locate("dir/f")
    const { renameSync } = await import("node:fs")
    // the file itself
    renameSync(folder.at("root/dir/f"), folder.at("root/dir/g"))
    symlinkSync(folder.at("outside/f"), folder.at("root/dir/f"))
    await expect(readText(root, file)).rejects.toMatchObject({ code: "special_file" })
    // a folder above it
    renameSync(folder.at("root/dir"), folder.at("root/old"))
    symlinkSync(folder.at("outside"), folder.at("root/dir"))
    await expect(readText(root, file)).rejects.toMatchObject({ code: "outside_root" })
  })
})
