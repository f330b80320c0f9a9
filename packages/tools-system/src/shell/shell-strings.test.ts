import { describe, expect, it } from "vitest"
import { dangerousCommands, harmlessNames } from "../fixtures/dangerous-commands.ts"
import { harmlessCommands } from "../fixtures/harmless-commands.ts"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { ShellApproval } from "./shell-approval.ts"

const count = process.env["AGENTSCOPE_SOAK"] === "1" ? 50_000 : 2000

describe("FR-45 with harmless programs allowed by name", () => {
  const approval = () => new ShellApproval({ cwd: new TempFolder({ a: "", b: "" }).path, allow: harmlessNames })

  it(`none of ${count} lines that do more passes unasked`, () => {
    const judged = approval()
    const lines = dangerousCommands(count)
    expect(lines.length).toBeGreaterThanOrEqual(count)
    expect(lines.filter((command) => !judged.needsApproval({ command }))).toEqual([])
  })

  it("every line whose dangerous text is quoted passes", () => {
    const judged = approval()
    const lines = harmlessCommands()
    expect(lines.length).toBeGreaterThanOrEqual(300)
    expect(lines.filter((command) => judged.needsApproval({ command }))).toEqual([])
  })

  it("blanks and letters that only look like ASCII are part of a name, which then is another", () => {
    const judged = approval()
    for (const command of [
      "git\u00a0status",
      "git\u2003log",
      "git\u200blog",
      "g\u0456t log",
      "git\u2028rm x",
      "\u202egit",
    ])
      expect(judged.needsApproval({ command }), JSON.stringify(command)).toBe(true)
  })
})

describe("a rule that names the words up to an option covers it", () => {
  it.each<[string, string, boolean]>([
    ["sort", "sort -o x a", false],
    ["sort -o:*", "sort -o x a", true],
    ["sort *", "sort -o x a", false],
    ["python3 -m pytest:*", "python3 -m pytest -q", true],
    ["python3", "python3 -m pytest -q", false],
    ["python3.12", "python3.12 -c 1", false],
    ["docker run:*", "docker run --rm a", true],
    ["docker", "docker run --rm a", false],
    ["npx tsc:*", "npx tsc --noEmit", true],
    ["npx", "npx tsc --noEmit", false],
    ["uniq", "uniq a b", false],
    ["uniq a b", "uniq a b", true],
    ["sudo", "sudo rm x", false],
    ["sudo systemctl:*", "sudo systemctl restart a", true],
    ["./run.sh", "cd sub && ./run.sh", false],
  ])("%s for %s: %s", (rule, command, expected) => {
    const approval = new ShellApproval({ cwd: new TempFolder().path, allow: [rule, "cd"] })
    expect(!approval.needsApproval({ command })).toBe(expected)
  })

  it("and what such an option runs is seen by a rule that denies", () => {
    const approval = new ShellApproval({ cwd: new TempFolder().path })
    for (const command of [
      "npx rm x",
      "tar xf a --to-command='rm x'",
      "docker run a rm x",
      "sort --compress-program=rm a",
      "fd -x rm",
      "xargs --odd rm x",
    ])
      expect(approval.match("rm:*", { command }, false), command).toBe(true)
    for (const command of ["docker rm x", "npm run rm", "sed s/rm/x/ a", "awk '{print \"rm\"}' a"])
      expect(approval.match("rm:*", { command }, false), command).toBe(false)
  })
})
