import { describe, expect, it } from "vitest"
import { dirIn, globOfKind, globsIn, isPathLike, pathsIn } from "./paths.ts"
import { mask } from "./spans.ts"

const paths = (text: string) => {
  const masked = mask(text)
  return pathsIn(masked.text, masked.quotes)
}
const dir = (text: string, of = false) => {
  const masked = mask(text)
  return dirIn(masked.text, masked.quotes, of)
}

describe("paths in prose", () => {
  it.each(["1/2", "1/3+1/6", "1/2-1/3", "(1+2)/3", "2*3/4"])("%s is none", (token) => {
    expect(isPathLike(token)).toBe(false)
  })

  it("a date with slashes is one", () => {
    expect(isPathLike("2026/12/01")).toBe(true)
  })

  it.each([
    "a.txt",
    "src/",
    "./x",
    "../y",
    "~/z",
    ".gitignore",
    "README",
    "Makefile",
    "src/lib/x",
    "文件.txt",
    "naïve/ü.md",
    "C:\\dir\\a",
    "a-b_c.test.ts",
  ])("%s is one", (token) => {
    expect(isPathLike(token)).toBe(true)
  })

  it.each(["file", "3.14", "1/3", "e.g", "and/or", "https://x.org/a", "v1.2", "hello", "", "a b.txt", "/"])(
    "%j is none",
    (token) => {
      expect(isPathLike(token)).toBe(false)
    },
  )

  it("are found in their order, without the sentence's punctuation, quoted ones with blanks", () => {
    expect(paths('read a.txt, (src/b.ts) and "my notes.md"; then a.txt.')).toEqual(["a.txt", "src/b.ts", "my notes.md"])
    expect(paths("search for *.ts in src/")).toEqual(["src/"])
    expect(paths("read docs/my notes.md and src/ b.md")).toEqual(["docs/my notes.md", "src/", "b.md"])
  })

  it("finds patterns of names, and what a kind of file stands for", () => {
    expect(globsIn("all *.ts and src/**/*.md", [])).toEqual(["*.ts", "src/**/*.md"])
    expect(globsIn("what is 2*3?", [])).toEqual([])
    expect(globOfKind("all markdown files")).toBe("**/*.md")
    expect(globOfKind("every .json file")).toBe("**/*.json")
    expect(globOfKind("files ending in .py")).toBe("**/*.py")
    expect(globOfKind("the yaml files")).toBe("**/*.{yaml,yml}")
    expect(globOfKind("all the files")).toBeUndefined()
  })

  it("finds the folder that is spoken of", () => {
    expect(dir("list the files in src")).toBe("src")
    expect(dir("list the docs folder")).toBe("docs")
    expect(dir('look in the folder "my stuff"')).toBe("my stuff")
    expect(dir("the contents of src", true)).toBe("src")
    for (const none of [
      "list the files in this folder",
      "in the current directory",
      "in here",
      "search in all files",
      "in order",
    ]) {
      expect(dir(none), none).toBeUndefined()
    }
  })
})
