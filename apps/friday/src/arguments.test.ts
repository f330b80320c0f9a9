import { describe, expect, it } from "vitest"
import { helpText, readArguments } from "./arguments.ts"
import { providers } from "./providers.ts"

describe("the command line", () => {
  it("is read", () => {
    expect(
      readArguments(["-y", "--allow", "a", "--allow=b(c:*)", "--dir", "x", "-m", "m", "--json", "what", "is", "-"]),
    ).toEqual({
      help: false,
      version: false,
      json: true,
      yes: true,
      allow: ["a", "b(c:*)"],
      dir: "x",
      model: "m",
      question: ["what", "is", "-"],
    })
    expect(readArguments(["--", "--not-an-option"]).question).toEqual(["--not-an-option"])
    expect(readArguments([])).toMatchObject({ question: [], allow: [] })
  })

  it.each([["--what"], ["--dir"], ["--dir="], ["--model="], ["--json=yes"], ["-x"]])(
    "refuses %s in one sentence, and names the help",
    (arg) => {
      expect(() => readArguments([arg])).toThrow(/^[^\n]+ --help says what there is\.$/u)
    },
  )

  it("has a help that names every option and fits 80 columns", () => {
    for (const name of ["--dir", "--model", "--yes", "--allow", "--json", "--help", "--version"])
      expect(helpText).toContain(name)
    for (const { name, keys } of providers) for (const word of [name, ...keys]) expect(helpText).toContain(word)
    for (const line of helpText.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
  })
})
