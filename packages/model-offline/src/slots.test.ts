import { describe, expect, it } from "vitest"
import { clausesOf } from "./clauses.ts"
import { type Slots, slotsOf } from "./slots.ts"
import { mask } from "./spans.ts"

function slots(text: string): Slots {
  const clause = clausesOf(mask(text))[0]
  if (!clause) throw new RangeError(text)
  return slotsOf(clause)
}

describe("what a clause says", () => {
  it.each<[string, Partial<Slots>]>([
    ["list src", { dir: "src" }],
    ["ls -la src", { dir: "src" }],
    ["list all ts files in packages", { dir: "packages", glob: "**/*.ts" }],
    ["find files named package.json", { glob: "**/package.json" }],
    ["find *.ts in src", { glob: "*.ts", dir: "src" }],
    ["search for TODO in src", { pattern: { text: "TODO", regex: false }, dir: "src" }],
    ["grep TODO src", { pattern: { text: "TODO", regex: false }, dir: "src" }],
    ["search src for hello world", { pattern: { text: "hello world", regex: false }, dir: "src" }],
    ["search for /a+b/ in x.txt", { pattern: { text: "a+b", regex: true }, dir: "x.txt" }],
    ["where is foo defined?", { pattern: { text: "foo", regex: false } }],
    ["which files contain the word TODO?", { pattern: { text: "TODO", regex: false } }],
    ["look for fixme ignoring case", { pattern: { text: "fixme", regex: false }, ignoreCase: true }],
    ["read lines 3 to 9 of a.txt", { paths: ["a.txt"], lines: { from: 3, to: 9 } }],
    ["read the first 10 lines of a.txt", { lines: { from: 1, to: 10 } }],
    ["show the last three lines of a.txt", { lines: { from: 1, to: 3, last: 3 } }],
    ["read the second one", { reference: { kind: "nth", n: 2 } }],
    ["read the last file", { reference: { kind: "nth", n: -1 } }],
    ["read each of them", { reference: { kind: "each" } }],
    ["read it", { reference: { kind: "it" } }],
    ["run `ls -la` in the shell", { command: "ls -la" }],
    ["run the command ls -la please", { command: "ls -la" }],
    ['run echo "a b" > c.txt', { command: 'echo "a b" > c.txt' }],
    ["python: print(1+1)", { code: "print(1+1)" }],
    ["run python\n```\nprint(1)\n```", { code: "print(1)" }],
    ["replace foo with bar in a.txt", { replace: { from: "foo", to: "bar" } }],
    ['change "a b" to "c d" in x.md', { replace: { from: "a b", to: "c d" } }],
    ["count the lines in a.txt", { count: "lines" }],
    ["how many files are in src?", { count: "files", dir: "src" }],
    ["how many times does foo appear in a.txt", { count: { occurrencesOf: "foo" } }],
    ["count the TODOs in a.txt", { count: { occurrencesOf: "TODO" } }],
    ["compute 2*3", { expressions: ["2 * 3"] }],
  ])("reads %j", (text, expected) => {
    expect(slots(text)).toMatchObject(expected)
  })

  it("does not take an article for a command", () => {
    expect(slots("run the tests").command).toBeUndefined()
  })

  it.each<[string, Slots["content"]]>([
    ["write hello world to a.txt", { kind: "text", text: "hello world" }],
    ["write 'hello' to a.txt", { kind: "text", text: "hello" }],
    ["create a file called a.txt with hello world", { kind: "text", text: "hello world" }],
    ['create a.txt with the text "hi there"', { kind: "text", text: "hi there" }],
    ["create hello.py with print('hi')", { kind: "text", text: "print('hi')" }],
    ["write a note: buy milk", { kind: "text", text: "buy milk" }],
    ["write a note that says buy milk and eggs to note.txt", { kind: "text", text: "buy milk and eggs" }],
    ["remember to buy milk", { kind: "text", text: "buy milk" }],
    ["create an empty file a.txt", { kind: "text", text: "" }],
    ["write to a.txt:\nline one\nline two", { kind: "text", text: "line one\nline two" }],
    ["append 'more' to a.txt", { kind: "text", text: "more" }],
    ["save it to b.txt", { kind: "earlier" }],
    ["write the result to out.txt", { kind: "earlier" }],
    ["write the result of 17*23 to out.txt", { kind: "first", request: "compute 17*23" }],
    ["write the output of `ls` to x.txt", { kind: "first", request: "run `ls`" }],
    ["save the contents of a.txt as b.txt", { kind: "first", request: "read a.txt" }],
    ["save a short poem to a.txt", { kind: "invented", what: "a short poem" }],
  ])("finds what %j wants written", (text, content) => {
    expect(slots(text).content).toEqual(content)
  })
})
