import type { ToolResultBlock } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { namesIn, shownBy, spokenBy } from "./results.ts"

const result = (text: string): ToolResultBlock => ({
  type: "tool_result",
  id: "1",
  name: "x",
  output: [{ type: "text", text }],
  state: "success",
})

describe("results of tools", () => {
  it("reads what a shell said out of its tags", () => {
    expect(spokenBy(result("<returncode>2</returncode><stdout>a\n</stdout><stderr>b</stderr>"))).toEqual({
      code: 2,
      text: "a\nb",
    })
    expect(spokenBy(result("<returncode>0</returncode><stdout></stdout><stderr></stderr>"))).toEqual({
      code: 0,
      text: "",
    })
    expect(spokenBy(result("plain\n"))).toEqual({ text: "plain" })
  })

  it("takes line numbers and what is around them off a file's text", () => {
    expect(shownBy(result("The content of a.txt:\n```\n1: one\n2: \n3: three: 3\n```")).text).toBe("one\n\nthree: 3")
    expect(shownBy(result("     1\tone\n     2\ttwo")).text).toBe("one\ntwo")
    expect(shownBy(result("     9\tx\n    10\ty")).text).toBe("x\ny")
  })

  it("leaves a text that has numbers of its own", () => {
    for (const text of ["one\ntwo", "1: a\n3: b", "a\nb\nc\nd\ne\nf\ng\n7: x"])
      expect(shownBy(result(text)).text).toBe(text)
  })

  it("says when a file goes on", () => {
    expect(
      shownBy(result("The content of a:\n```\n1: x\n```\nThe rest was cut. View it with ranges [2, …].")).partial,
    ).toBe(true)
    expect(shownBy(result("The content of a:\n```\n1: x\n```")).partial).toBe(false)
    expect(shownBy(result("The file a.txt is empty."))).toEqual({ text: "", partial: false })
  })

  it("lists names without headings, marks and matches", () => {
    expect(
      namesIn(
        result(
          "The content of src:\nDirectories:\n  src/lib/\nFiles:\n  src/a.ts\n  src/l.ts (link)\nTotal: 1 directory, 2 files",
        ),
      ),
    ).toEqual(["src/lib/", "src/a.ts", "src/l.ts"])
    expect(namesIn(result("src/a.ts:3: x\nsrc/a.ts:9: y\nb c.ts:1:z"))).toEqual(["src/a.ts", "b c.ts"])
    expect(namesIn(result("- a.txt\n- b.txt\n… and 3 more; use a narrower pattern."))).toEqual(["a.txt", "b.txt"])
    expect(namesIn(result("note.txt\ntotal.csv\nnodes/\n[id].ts\n(group)/"))).toEqual([
      "note.txt",
      "total.csv",
      "nodes/",
      "[id].ts",
      "(group)/",
    ])
    for (const none of [
      "No files match the pattern x.",
      "No matches for x.",
      "No files found",
      "The folder x is empty.",
      "",
    ]) {
      expect(namesIn(result(none)), none).toEqual([])
    }
  })
})
