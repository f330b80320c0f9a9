import { describe, expect, it } from "vitest"
import { contentStems, isTypoOf, slips, stem, wordsOf } from "./words.ts"

describe("words", () => {
  it("takes names of any case and prose apart", () => {
    expect(wordsOf("executeShellCommand")).toEqual(["execute", "shell", "command"])
    expect(wordsOf("view_text-file2")).toEqual(["view", "text", "file2"])
    expect(wordsOf("naïve 文件!")).toEqual(["naïve", "文件"])
  })

  it("brings the forms of a word together", () => {
    for (const [word, plain] of [
      ["files", "file"],
      ["directories", "directory"],
      ["searches", "search"],
      ["searching", "search"],
      ["running", "run"],
      ["class", "class"],
      ["status", "status"],
    ] as const) {
      expect(stem(word), word).toBe(plain)
    }
    expect(contentStems("What is the weather in the cities?")).toEqual(["weather", "city"])
  })

  it("counts slips: a letter more, less, changed, or two swapped", () => {
    expect(slips("search", "search")).toBe(0)
    expect(slips("serch", "search")).toBe(1)
    expect(slips("raed", "read")).toBe(1)
    expect(slips("exceute", "execute")).toBe(1)
    expect(slips("abc", "xyz")).toBe(3)
    expect(slips("a", "abcdef")).toBe(3)
  })

  it("takes a slip of the fingers for the verb, and words that mean themselves for what they are", () => {
    for (const [word, verb] of [
      ["raed", "read"],
      ["serch", "search"],
      ["wirte", "write"],
      ["excute", "execute"],
      ["calcualte", "calculate"],
      ["lsit", "list"],
    ] as const) {
      expect(isTypoOf(word, verb), word).toBe(true)
    }
    for (const [word, verb] of [
      ["last", "list"],
      ["real", "read"],
      ["white", "write"],
      ["fine", "find"],
      ["rub", "run"],
      ["bread", "read"],
    ] as const) {
      expect(isTypoOf(word, verb), word).toBe(false)
    }
  })
})
