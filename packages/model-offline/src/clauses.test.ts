import { describe, expect, it } from "vitest"
import { clausesOf } from "./clauses.ts"
import { mask, restore } from "./spans.ts"

const parts = (text: string, toolVerbs: readonly string[] = []) =>
  clausesOf(mask(text), new Set(toolVerbs)).map((clause) => `${clause.verb}: ${restore(clause.text, clause.quotes)}`)

describe("clauses of a request", () => {
  it.each<[string, string[]]>([
    [
      "list the files, then read README.md and count its lines",
      ["list: list the files", "read: read README.md", "count: count its lines"],
    ],
    [
      "1. list the files\n2. read a.txt\n3. compute 2+2",
      ["list: list the files", "read: read a.txt", "compute: compute 2+2"],
    ],
    ["- ls\n- cat a.txt", ["list: ls", "read: cat a.txt"]],
    ["read a.txt and b.txt", ["read: read a.txt and b.txt"]],
    [
      "write buy milk and eggs to note.txt, then read it",
      ["write: write buy milk and eggs to note.txt", "read: read it"],
    ],
    ["run `a && b; c` and then read x.txt", ["run: run `a && b; c`", "read: read x.txt"]],
    ["run git log | head -3 and read a.txt", ["run: run git log | head -3", "read: read a.txt"]],
    ["run make; make test and test it", ["run: run make; make test and test it"]],
    ['write "read this, then run that" to a.txt', ['write: write "read this, then run that" to a.txt']],
    ["write to a.txt:\nread this\nrun that", ["write: write to a.txt:\nread this\nrun that"]],
    ["Friday, search for x. What is 3*4?", ["search: search for x", "compute: What is 3*4?"]],
    ["Hello there! Can you list the files?", ["list: list the files?"]],
    [
      "first list the files, second read a.txt, finally run ls",
      ["list: list the files", "read: read a.txt", "run: run ls"],
    ],
    ["thanks, now read a.txt", ["read: read a.txt"]],
    ["read a.txt, e.g. quickly", ["read: read a.txt, e.g. quickly"]],
  ])("parts %j", (text, expected) => {
    expect(parts(text)).toEqual(expected)
  })

  it("parts before the verbs of the tools at hand", () => {
    expect(parts("say the weather in Paris and book a table", ["book"])).toEqual([
      "other: say the weather in Paris",
      "other: book a table",
    ])
    expect(parts("say the weather in Paris and book a table")).toEqual([
      "other: say the weather in Paris and book a table",
    ])
  })

  it.each<[string, string]>([
    ["what files are here?", "list"],
    ["what's in src?", "list"],
    ["what's in README.md?", "read"],
    ["what does a.txt say?", "read"],
    ["could you tell me what a.txt says", "read"],
    ["show me the files", "list"],
    ["show me README.md", "read"],
    ["show me what's in this folder", "list"],
    ["which files contain the word TODO?", "search"],
    ["where is foo defined?", "search"],
    ["find all markdown files", "find"],
    ["find package.json", "find"],
    ['find "x y" in docs', "search"],
    ["is there a file called a.txt?", "find"],
    ["check whether a.txt exists", "find"],
    ["how many words are in a.txt?", "count"],
    ["add 2 and 3", "compute"],
    ["add x to a.txt", "append"],
    ["create a file a.txt with hi", "write"],
    ["create a ticket about the login", "other"],
    ["make a folder called x", "manage"],
    ["delete a.txt", "manage"],
    ["replace a with b in c.txt", "edit"],
    ["remember to buy milk", "write"],
    ["run python `print(1)`", "python"],
    ["run python3 -V", "run"],
    ["$ ls -la", "run"],
    ["what time is it?", "time"],
    ["read it again", "read"],
    ["do that again", "repeat"],
    ["never mind", "stop"],
    ["what are you?", "about"],
    ["are you a real AI?", "about"],
    ["what can you do?", "help"],
    ["help", "help"],
    ["hi", "greet"],
    ["good morning!", "greet"],
    ["summarize README.md", "explain"],
    ["why is the sky blue?", "explain"],
    ["raed a.txt", "read"],
    ["serch for x", "search"],
    ["excute ls", "run"],
    ["last commit?", "other"],
    ["列出文件", "other"],
  ])("takes %j for %s", (text, verb) => {
    expect(clausesOf(mask(text)).map((clause) => clause.verb)).toEqual([verb])
  })

  it("does not look for things to do in a long document", () => {
    expect(clausesOf(mask("read a.txt. ".repeat(2000)))).toHaveLength(1)
  })
})
