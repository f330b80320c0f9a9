import { mkdirSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { attacks, fewRules } from "../fixtures/attacks.ts"
import { everydayCommands } from "../fixtures/everyday-commands.ts"
import { leaks } from "../fixtures/leaks.ts"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { ShellApproval } from "./shell-approval.ts"

const count = process.env["AGENTSCOPE_SOAK"] === "1" ? 60_000 : 12_000

describe("FR-45 with a few rules", () => {
  const approval = (allow: readonly string[] = []) =>
    new ShellApproval({ cwd: new TempFolder({ "a.ts": "a", "src/b.ts": "b" }).path, allow })

  it(`none of ${count} lines that do something else passes: by rules, by the tool's own list, by nothing`, () => {
    const [none, listed] = [approval(), approval(["git", "echo", "ls", "npm test:*"])]
    const lines = attacks(count)
    expect(lines.length).toBeGreaterThanOrEqual(count)
    expect(lines.filter((command) => none.covers(fewRules, { command }))).toEqual([])
    expect(lines.filter((command) => !listed.needsApproval({ command }))).toEqual([])
    expect(lines.filter((command) => !none.needsApproval({ command }))).toEqual([])
    expect(lines.filter((command) => fewRules.some((rule) => none.match(rule, { command }, true)))).toEqual([])
  }, 60_000)

  it("nothing passes as read-only that writes, runs something or looks outside", () => {
    const none = approval()
    expect(leaks.filter((command) => !none.needsApproval({ command }))).toEqual([])
  })

  it("what people run every day passes, whatever their quotes hold", () => {
    const none = approval()
    const lines = everydayCommands()
    expect(lines.length).toBeGreaterThan(400)
    expect(lines.filter((command) => !none.covers(fewRules, { command }))).toEqual([])
  })
})

it("git reads unasked in a repository, not in a folder that only looks like one", () => {
  const folder = new TempFolder({ a: "" })
  const approval = new ShellApproval({ cwd: folder.path })
  expect(approval.needsApproval({ command: "git status" })).toBe(false)
  // a file tool could have written all of it, with a program in its settings
  writeFileSync(folder.at("HEAD"), "ref: refs/heads/main")
  expect(approval.needsApproval({ command: "git status" })).toBe(true)
  expect(approval.needsApproval({ command: "cat HEAD" })).toBe(false)
  mkdirSync(folder.at(".git"))
  expect(approval.needsApproval({ command: "git status" })).toBe(false)
})

describe("a line as long or as deep as it likes is judged in a moment", () => {
  const n = 20_000
  it.each<[string, string]>([
    ["words", "echo ".repeat(n)],
    ["one word", `echo ${"a".repeat(3 * n)}`],
    ["over the limit", `echo ${"a".repeat(40 * n)}`],
    ["separators", "ls;".repeat(n)],
    ["pipes", `ls${"|ls".repeat(n)}`],
    ["and", `ls${"&&ls".repeat(n)}`],
    ["substitutions", "echo ".concat("$(".repeat(n))],
    ["closed substitutions", `echo ${"$(echo ".repeat(n / 4)}${")".repeat(n / 4)}`],
    ["backquotes", "`".repeat(n)],
    ["escaped backquotes", `echo \`${"\\`".repeat(n)}\``],
    ["brackets", "(".repeat(n)],
    ["braces", "{ ".repeat(n)],
    ["brace expansion", `echo ${"{a,".repeat(n)}`],
    ["expansions", `echo ${"${a:-".repeat(n / 4)}${"}".repeat(n / 4)}`],
    ["arithmetic", `echo $((${"(".repeat(n)}1${")".repeat(n)}))`],
    ["sums", `echo $((1${"+1".repeat(n)}))`],
    ["single quotes", "'".repeat(n + 1)],
    ["double quotes", `echo ${'"a"'.repeat(n)}`],
    ["backslashes", `echo ${"\\".repeat(n)}`],
    ["line ends", `echo${"\\\n".repeat(n)}`],
    ["here-documents", "cat <<E\n".repeat(n / 4)],
    ["here-documents on a line", `cat ${"<<E ".repeat(n / 4)}\n${"E\n".repeat(n / 4)}`],
    ["redirections", `ls ${"2>&1 ".repeat(n / 2)}`],
    ["assignments", `${"a=1 ".repeat(n / 2)}ls`],
    ["conditions", "if ls; then ".repeat(n / 5)],
    ["cases", "case a in a) ".repeat(n / 5)],
    ["functions", "f() { ".repeat(n / 4)],
    ["functions that call others", Array.from({ length: 2000 }, (_, i) => `f${i}() { f${i + 1}; }`).join(";")],
    ["tests", `[[ ${"( ".repeat(n)}a`],
    ["wrappers", `${"env ".repeat(n / 2)}ls`],
    ["wrappers that guess", `${"sudo ".repeat(n / 2)}ls`],
    ["shells in shells", "bash -c ".repeat(n / 4)],
    ["evals", `${"eval ".repeat(n / 4)}ls`],
    ["find", `find . ${"-exec ls {} + ".repeat(n / 8)}`],
    ["options of git", `git ${"-c a=b ".repeat(n / 4)}log`],
    ["comments", `${"#".repeat(n)}\n`.repeat(3)],
    ["sed", `sed '${"s/a/b/;".repeat(n / 4)}' a`],
    ["sed with brackets", `sed 's/${"[".repeat(n)}/b/' a`],
    ["awk", `awk '${"print > ".repeat(n / 4)}' a`],
    ["globs", `ls ${"*".repeat(n)}`],
    ["characters of two units", `echo '${"👩".repeat(n)}'`],
    ["a mixture", "echo \"$(ls `ls ${a:-'b'}` <<<'c' | { cat; } )\" 2>&1;".repeat(n / 40)],
  ])("%s", (_, command) => {
    const approval = new ShellApproval({ cwd: new TempFolder().path, allow: ["git", "echo", "ls", "* a *b*"] })
    const startedAt = performance.now()
    approval.needsApproval({ command })
    expect(performance.now() - startedAt).toBeLessThan(500) // some 50; the machine may be busy
  })
})
