import type { ToolResultBlock } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { paper } from "../fixtures/paper.ts"
import { askedLines, callLine, resultLines } from "./call-view.ts"

const result = (text: string, more: Partial<ToolResultBlock> = {}): ToolResultBlock => ({
  type: "tool_result",
  id: "1",
  name: "x",
  output: [{ type: "text", text }],
  state: "success",
  ...more,
})

describe("calls and results on the screen", () => {
  it("shows a call in one line that fits", () => {
    expect(callLine(paper(), { name: "read", input: { path: "a.txt" } })).toBe("● read  a.txt")
    expect(callLine(paper(), { name: "write", input: { path: "a.txt", content: "one\ntwo", n: 3 } })).toBe(
      "● write  path: a.txt  content: one two…",
    )
    expect(callLine(paper(), { name: "now", input: {} })).toBe("● now")
    expect(callLine(paper(), { name: "x", input: {}, rawInput: "{broken" })).toBe("● x  {broken")
    expect(callLine(paper(), { name: "x\u001b[2J", input: { a: "\u001b[31mred" } })).toBe(
      "● x\\u{1b}[2J  \\u{1b}[31mred",
    )
  })

  it("shortens a long result and says by how much", () => {
    const lines = resultLines(paper(), result(Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join("\n")))
    expect(lines).toHaveLength(10)
    expect(lines.at(-1)).toBe("  │ … 21 more lines")
    expect(resultLines(paper(), result("x".repeat(100)))).toEqual([`  │ ${"x".repeat(34)}…`])
  })

  it("shows what a command printed, without the tags for the model", () => {
    const structured = { returncode: 2, stdout: "out\n", stderr: "err\n", timedOut: false }
    expect(resultLines(paper(), result("<returncode>2</returncode>…", { structured }))).toEqual([
      "  │ out",
      "  │ err",
      "  │ exit code 2",
    ])
    const silent = { returncode: 0, stdout: "", stderr: "", timedOut: false }
    expect(resultLines(paper(), result("", { structured: silent }))).toEqual(["  │ (no output)"])
  })

  it("reads a refusal and an error to their ends", () => {
    const refused =
      'The call of "x" was not allowed: it needs an approval, and nobody is there. Do not repeat it as it is.'
    expect(resultLines(paper(), result(refused, { state: "denied" }))).toEqual([
      "  │ not run: it needs an approval, and",
      "  │ nobody is there",
    ])
    expect(resultLines(paper(), result("no such file", { state: "error" }))).toEqual(["  │ failed: no such file"])
    expect(resultLines(paper(), result("<system-info>Stopped.</system-info>", { state: "interrupted" }))).toEqual([
      "  │ interrupted: Stopped.",
    ])
  })

  it("names what cannot be shown, and an empty result", () => {
    const image = { type: "image", source: { type: "url", url: "https://x" } } as const
    expect(resultLines(paper(), result("", { output: [image] }))).toEqual(["  │ [image]"])
    expect(resultLines(paper(), result(""))).toEqual(["  │ (nothing)"])
  })

  it("shows all of a command, however long, and a long content by its beginning", () => {
    const long = Array.from({ length: 300 }, (_, i) => `step ${i}`).join("\n")
    expect(askedLines(paper(), { command: long })).toHaveLength(300)
    expect(askedLines(paper(), { command: long })[0]).toBe("    $ step 0")
    const content = askedLines(paper(), { path: "a", content: long })
    expect(content[0]).toBe("    path: a")
    expect(content).toHaveLength(27)
    expect(content.at(-1)).toBe("    … 276 more lines")
  })

  it("hides nothing of what is asked about", () => {
    expect(askedLines(paper(), { command: "ls\r\u001b[2Krm x" })).toEqual(["    $ ls\\u{d}\\u{1b}[2Krm x"])
    expect(askedLines(paper(), { "a\u200b\n": "x\u00ad", list: ["y\ufeff"] })).toEqual([
      "    a\\u{200b}\\u{a}: x\\u{ad}",
      '    list: ["y\\u{feff}"]',
    ])
    const refused = 'The call of "x" was not allowed: rm\u200b\u001b[2K. Do not repeat it as it is.'
    expect(resultLines(paper(), result(refused, { state: "denied" }))).toEqual(["  │ not run: rm\\u{200b}\\u{1b}[2K"])
    expect(askedLines(paper(), { timeout: 5, command: "x".repeat(200) })).toEqual([
      "    timeout: 5",
      `    $ ${"x".repeat(200)}`,
    ])
  })
})
