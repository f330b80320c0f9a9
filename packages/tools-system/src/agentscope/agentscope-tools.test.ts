import { execFileSync } from "node:child_process"
import { chmodSync, readdirSync, statSync, symlinkSync } from "node:fs"
import { textOf } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { callTool, textOfCall } from "../fixtures/call-tool.ts"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { insertTextFile } from "./insert-text-file.ts"
import { listDirectory } from "./list-directory.ts"
import { viewTextFile } from "./view-text-file.ts"
import { writeTextFile } from "./write-text-file.ts"

const ten = Array.from({ length: 10 }, (_, i) => `line ${i + 1}`).join("\n")

describe("view_text_file", () => {
  const view = (content: string | Uint8Array, ranges?: readonly number[]) =>
    textOfCall(viewTextFile({ root: new TempFolder({ "dir/f.txt": content }).path }), {
      file_path: "dir/f.txt",
      ...(ranges && { ranges }),
    })

  it("shows a file with line numbers", async () => {
    expect(await view("a\r\nb\n")).toBe("The content of dir/f.txt:\n```\n1: a\n2: b\n```")
    expect(await view("")).toBe("The file dir/f.txt is empty.")
  })

  it("shows a range, counted from the start or the end", async () => {
    expect(await view(ten, [2, 3])).toBe("The content of dir/f.txt in lines [2, 3]:\n```\n2: line 2\n3: line 3\n```")
    expect(await view(ten, [-2, -1])).toContain("in lines [9, 10]:\n```\n9: line 9\n10: line 10\n```")
    expect(await view(ten, [9, 99])).toContain("in lines [9, 10]:")
    expect(await view(ten, [1, 1])).not.toContain("cut")
  })

  it.each([
    [[0, 5], /invalid/],
    [[5, 2], /invalid/],
    [[-1, -5], /invalid/],
    [[11, 12], /has only 10 lines/],
    [[1], /./],
    [["a", "b"], /./],
  ])("refuses the range %j", async (ranges, message) => {
    const root = new TempFolder({ "f.txt": ten }).path
    const result = await callTool(viewTextFile({ root }), { file_path: "f.txt", ranges })
    expect(result.state).toBe("error")
    expect(textOf(result)).toMatch(message)
  })

  it("cuts what is long, and says how to see the rest", async () => {
    const text = await view(Array.from({ length: 3000 }, (_, i) => `${i} ${"x".repeat(100)}`).join("\n"))
    expect(text.length).toBeLessThan(120_000)
    expect(text).toMatch(/The rest was cut\. View it with ranges \[\d+, …\]\.$/)
  })

  it("says what it cannot show, by the path that the model knows", async () => {
    const folder = new TempFolder({ "root/bin": Uint8Array.from([0, 1]), "root/sub/x": "", secret: "s" })
    symlinkSync(folder.at("secret"), folder.at("root/link"))
    execFileSync("mkfifo", [folder.at("root/pipe")])
    const tool = viewTextFile({ root: folder.at("root") })
    for (const [file_path, message] of [
      ["none.txt", 'The file "none.txt" does not exist.'],
      ["bin", '"bin" is a binary file of 2 bytes'],
      ["sub", '"sub" is a folder, not a file.'],
      ["pipe", '"pipe" is not a regular file'],
      ["link", '"link" is outside the root folder'],
      ["../secret", '"../secret" is outside the root folder'],
      ["/etc/passwd", '"/etc/passwd" is outside the root folder'],
    ] as const) {
      const result = await callTool(tool, { file_path })
      expect(result.state).toBe("error")
      expect(textOf(result)).toContain(message)
      expect(textOf(result)).not.toContain(folder.path)
    }
  })

  it("marks text that is broken", async () => {
    expect(await view(Uint8Array.from([0x61, 0xff]))).toContain("Bytes that are no valid text are shown as \ufffd.")
  })
})

describe("list_directory", () => {
  it("lists folders and files, sorted, as paths for the other tools", async () => {
    const folder = new TempFolder({ "b.txt": "", "a.txt": "", "src/x.ts": "", "src/deep/y.ts": "" })
    symlinkSync("a.txt", folder.at("link"))
    const tool = listDirectory({ root: folder.path })
    expect(await textOfCall(tool, {})).toBe(
      "The content of .:\nDirectories:\n  src/\nFiles:\n  a.txt\n  b.txt\n  link (link)\nTotal: 1 directory, 3 files",
    )
    expect(await textOfCall(tool, { dir_path: "src" })).toBe(
      "The content of src:\nDirectories:\n  src/deep/\nFiles:\n  src/x.ts\nTotal: 1 directory, 1 file",
    )
    for (const [dir_path, message] of [
      ["..", "outside"],
      ["none", "does not exist"],
      ["a.txt", "is a file"],
    ]) {
      expect(await textOfCall(tool, { dir_path })).toContain(message)
    }
  })

  it("shows a thousand at most, and that a folder is empty", async () => {
    const folder = new TempFolder({ "keep/x": "" })
    execFileSync("sh", ["-c", "mkdir empty many && cd many && seq 1 1200 | xargs touch"], { cwd: folder.path })
    expect(await textOfCall(listDirectory({ root: folder.path }), { dir_path: "empty" })).toBe(
      "The folder empty is empty.",
    )
    const text = await textOfCall(listDirectory({ root: folder.path }), { dir_path: "many" })
    expect(text).toContain("… and 200 more")
    expect(text.split("\n").length).toBeLessThan(1010)
  })
})

describe("write_text_file", () => {
  const scene = (content?: string | Uint8Array) => {
    const folder = new TempFolder(content === undefined ? { keep: "" } : { "f.txt": content })
    const write = (input: object) => textOfCall(writeTextFile({ root: folder.path }), { file_path: "f.txt", ...input })
    return { folder, write }
  }

  it("creates a file with its folders, and does not mind ranges then", async () => {
    const { folder, write } = scene()
    expect(await write({ content: "a\nb\n" })).toBe("Created f.txt with 2 lines.")
    expect(await write({ file_path: "x/y/z", content: "new", ranges: [1, 2] })).toContain(
      "The ranges [1, 2] are ignored",
    )
    expect(folder.read("f.txt")).toBe("a\nb\n")
    expect(folder.read("x/y/z")).toBe("new")
  })

  it("overwrites, keeping line breaks, encoding and mode", async () => {
    const { folder, write } = scene("\ufeffa\r\nb\r\n")
    chmodSync(folder.at("f.txt"), 0o640)
    expect(await write({ content: "你\nc\n" })).toBe("Overwrote f.txt with 2 lines.")
    expect(folder.read("f.txt")).toBe("\ufeff你\r\nc\r\n")
    expect(statSync(folder.at("f.txt")).mode & 0o777).toBe(0o640)
    const wide = scene(Buffer.from("\ufeffa\n", "utf16le"))
    expect(await wide.write({ content: "你\n" })).toBe("Overwrote f.txt with 1 line.")
    expect(Buffer.from("\ufeff你\n", "utf16le").equals(Buffer.from(wide.folder.read("f.txt"), "utf8"))).toBe(false)
    expect(await textOfCall(viewTextFile({ root: wide.folder.path }), { file_path: "f.txt" })).toContain("1: 你")
    const binary = scene(Uint8Array.from([0, 1, 2]))
    await binary.write({ content: "text" })
    expect(binary.folder.read("f.txt")).toBe("text")
  })

  it("replaces a range of lines and shows them with five around", async () => {
    const { folder, write } = scene(`${ten}\n`)
    expect(await write({ content: "X\nY", ranges: [2, 3] })).toBe(
      `Replaced lines 2-3 of f.txt. The new content of lines 1-8:\n\`\`\`\n1: line 1\n2: X\n3: Y\n${[4, 5, 6, 7, 8].map((i) => `${i}: line ${i}`).join("\n")}\n\`\`\``,
    )
    expect(folder.read("f.txt")).toBe(`line 1\nX\nY\n${ten.split("\n").slice(3).join("\n")}\n`)
  })

  it("keeps the line break at the end, and the kind of it", async () => {
    const { folder, write } = scene("a\r\nb\r\n")
    await write({ content: "B", ranges: [2, 2] })
    expect(folder.read("f.txt")).toBe("a\r\nB\r\n")
    await write({ content: "A1\nA2\n", ranges: [1, 1] })
    expect(folder.read("f.txt")).toBe("a\r\nB\r\n".replace("a\r\n", "A1\r\nA2\r\n"))
  })

  it.each([
    [[11, 12], /has only 10 lines/],
    [[3, 2], /invalid/],
    [[0, 2], /invalid/],
    [[-2, -1], /invalid/],
  ])("refuses the range %j and changes nothing", async (ranges, message) => {
    const { folder, write } = scene(ten)
    expect(await write({ content: "x", ranges })).toMatch(message)
    expect(folder.read("f.txt")).toBe(ten)
  })

  it("does not damage what is no valid text", async () => {
    const bytes = Uint8Array.from([0x61, 0x0a, 0xff, 0x0a])
    const { folder, write } = scene(bytes)
    expect(await write({ content: "x", ranges: [1, 1] })).toContain("not valid UTF-8")
    expect(
      Buffer.from(bytes).equals(Buffer.from(await import("node:fs").then((fs) => fs.readFileSync(folder.at("f.txt"))))),
    ).toBe(true)
  })

  it("FR-44 writes nothing outside, through links either", async () => {
    const folder = new TempFolder({ "root/keep": "", "out/victim": "safe" })
    symlinkSync(folder.at("out"), folder.at("root/link"))
    symlinkSync(folder.at("out/victim"), folder.at("root/filelink"))
    symlinkSync(folder.at("out/fresh"), folder.at("root/dangling"))
    const tool = writeTextFile({ root: folder.at("root") })
    for (const file_path of [
      "../out/victim",
      "link/victim",
      "link/new",
      "link/new/deep",
      "filelink",
      "dangling",
      folder.at("out/victim"),
      "../root-evil/x",
      ".git/config",
      ".git/hooks/post-commit",
    ]) {
      expect((await callTool(tool, { file_path, content: "evil" })).state).toBe("error")
      expect(
        (await callTool(insertTextFile({ root: folder.at("root") }), { file_path, content: "evil", line_number: 1 }))
          .state,
      ).toBe("error")
    }
    expect(folder.read("out/victim")).toBe("safe")
    expect(readdirSync(folder.at("out"))).toEqual(["victim"])
    expect(readdirSync(folder.at("root")).toSorted()).toEqual(["dangling", "filelink", "keep", "link"])
  })
})

describe("insert_text_file", () => {
  const scene = (content: string) => {
    const folder = new TempFolder({ "f.txt": content })
    const insert = (content: string, line_number: number, file_path = "f.txt") =>
      callTool(insertTextFile({ root: folder.path }), { file_path, content, line_number })
    return { folder, insert }
  }

  it("inserts at the start, in the middle and at the end", async () => {
    const { folder, insert } = scene("a\nb\n")
    await insert("first", 1)
    await insert("mid\nmid 2", 3)
    await insert("last", 6)
    expect(folder.read("f.txt")).toBe("first\na\nmid\nmid 2\nb\nlast\n")
  })

  it("shows five lines around", async () => {
    const { insert } = scene(ten)
    expect(textOf(await insert("new", 8))).toBe(
      `Inserted the content into f.txt at line 8. The new content of lines 3-11:\n\`\`\`\n${[3, 4, 5, 6, 7].map((i) => `${i}: line ${i}`).join("\n")}\n8: new\n9: line 8\n10: line 9\n11: line 10\n\`\`\``,
    )
  })

  it("appends to a file without a line break at its end, and inserts empty lines", async () => {
    const { folder, insert } = scene("a\nb")
    await insert("c", 3)
    expect(folder.read("f.txt")).toBe("a\nb\nc")
    await insert("", 2)
    expect(folder.read("f.txt")).toBe("a\n\nb\nc")
    const empty = scene("")
    await empty.insert("x", 1)
    expect(empty.folder.read("f.txt")).toBe("x\n")
  })

  it("takes line numbers from 1 to one past the end", async () => {
    const { folder, insert } = scene("a\nb\n")
    for (const line of [0, -1, 4]) {
      const result = await insert("x", line)
      expect(result.state).toBe("error")
      expect(textOf(result)).toContain("is not in the valid range [1, 3]")
    }
    expect(textOf(await insert("x", 1, "none.txt"))).toContain("Create it with write_text_file")
    expect(folder.read("f.txt")).toBe("a\nb\n")
  })
})
