import { readFileSync } from "node:fs"
import iconv from "iconv-lite"
import { describe, expect, it } from "vitest"
import { fileTools } from "../file-tools.ts"
import { callTool, textOfCall } from "../fixtures/call-tool.ts"
import { TempFolder } from "../fixtures/temp-folder.ts"

const toolOf = (root: string, name: string, encoding?: string) => {
  for (const style of ["agentscope", "claude"] as const)
    for (const tool of fileTools({ root, style, encoding })) if (tool.name === name) return tool
  throw new RangeError(name)
}

describe.each([
  ["gbk", "第一行\r\n第二行\r\n"],
  ["latin1", "café\r\nnaïve\r\n"],
  ["big5", "第一行\r\n中文\r\n"],
  ["shift_jis", "一行\r\nテスト\r\n"],
])("files stored as %s", (encoding, text) => {
  const scene = () => new TempFolder({ f: iconv.encode(text, encoding), u: "ünïcode 中\n" })

  it("are read, found and changed without losing a byte of the rest", async () => {
    const folder = scene()
    const [first = "", second = ""] = text.split("\r\n")
    expect(await textOfCall(toolOf(folder.path, "view_text_file", encoding), { file_path: "f" })).toContain(
      `1: ${first}\n2: ${second}`,
    )
    expect(await textOfCall(toolOf(folder.path, "grep_files", encoding), { pattern: second })).toBe(`f:2:${second}`)
    await callTool(toolOf(folder.path, "Read", encoding), { file_path: "f" })
    const edited = await callTool(toolOf(folder.path, "insert_text_file", encoding), {
      file_path: "f",
      content: first,
      line_number: 3,
    })
    expect(edited.state).toBe("success")
    expect(edited.metadata?.["diff"]).toContain(`+${first}`)
    expect(iconv.decode(readFileSync(folder.at("f")), encoding)).toBe(`${text}${first}\r\n`)
    // Unicode stays what it is
    expect(await textOfCall(toolOf(folder.path, "view_text_file", encoding), { file_path: "u" })).toContain(
      "ünïcode 中",
    )
  })

  it("refuse a character that they cannot hold, and stay as they were", async () => {
    const folder = scene()
    const input = { file_path: "f", content: "🌍", line_number: 1 }
    expect(await textOfCall(toolOf(folder.path, "insert_text_file", encoding), input)).toContain("lacks a character")
    expect(readFileSync(folder.at("f"))).toEqual(iconv.encode(text, encoding))
  })

  it("are shown damaged and never rewritten where nobody named it", async () => {
    const folder = scene()
    expect(await textOfCall(toolOf(folder.path, "view_text_file"), { file_path: "f" })).toContain("no valid text")
    const input = { file_path: "f", content: "x", line_number: 1 }
    expect(await textOfCall(toolOf(folder.path, "insert_text_file"), input)).toContain("not valid UTF-8")
  })
})

it("an encoding that there is not is an error at once", () => {
  expect(() => fileTools({ root: ".", encoding: "klingon" })).toThrow(/There is no encoding "klingon"/)
})
