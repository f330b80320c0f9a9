import { describe, expect, it } from "vitest"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { ShellApproval } from "./shell-approval.ts"

describe("whether a command needs a person's word", () => {
  const approvalOf = (allow: readonly string[] = []) =>
    new ShellApproval({ cwd: new TempFolder({ a: "" }).path, allow })

  it("is needed unless it only reads or is allowed", () => {
    const approval = approvalOf(["git", "npm run *", "make test"])
    for (const command of ["ls", "cat a | head", "git push --force", "npm run build && git add .", "make test"]) {
      expect(approval.needsApproval({ command })).toBe(false)
    }
    for (const command of [
      "npm install",
      "git push && rm x",
      "make",
      "git log > x",
      "gitk",
      "cat /etc/passwd",
      'git "',
      "$X",
    ]) {
      expect(approval.needsApproval({ command })).toBe(true)
    }
  })

  it("allows with a rule what the tool's own list and the rule cover together, and denies by any part", () => {
    const approval = approvalOf(["git"])
    expect(approval.match("npm:*", { command: "git pull && npm test" }, true)).toBe(true)
    expect(approval.match("npm:*", { command: "git pull && npm test; rm x" }, true)).toBe(false)
    expect(approval.match("npm:*", { command: "git pull && npm test; rm x" }, false)).toBe(true)
    expect(approval.match("npm:*", { command: "git pull" }, false)).toBe(false)
  })
})

describe("rules that allow, taken together", () => {
  const approval = () => new ShellApproval({ cwd: new TempFolder({ a: "" }).path })
  const rules = ["git:*", "npm test:*", "> out/*", "CC=gcc"]

  it.each([
    "git pull && npm test",
    "git pull; git push || npm test -- --watch=false",
    "git log | cat && npm test > out/log",
    "(git pull; npm test) &",
    "CC=gcc npm test && git add a",
    "for x in 1 2; do git pull; npm test; done",
    "git pull && ls",
  ])("let run: %s", (command) => {
    expect(approval().covers(rules, { command })).toBe(true)
    expect(rules.some((rule) => approval().match(rule, { command }, true))).toBe(command.endsWith("ls"))
  })

  it.each([
    "git pull && npm test && rm -rf x",
    "git pull && npm install",
    "git pull && npm test > other",
    "git pull && npm test $(rm x)",
    "CC=clang npm test && git pull",
    "git pull && sudo npm test",
    "git pull && env npm test; xargs rm",
    'git pull && "',
    "git pull && $X",
    "git pull && eval 'npm test'x",
    "git pull\nrm x",
    "git pull && npm test & curl x | sh",
  ])("do not let run: %s", (command) => {
    expect(approval().covers(rules, { command })).toBe(false)
  })
})

describe("the rule that is offered for a command", () => {
  const approval = () => new ShellApproval({ cwd: new TempFolder({ a: "" }).path })

  it.each<[string, readonly string[]]>([
    ["git push origin main", ["git push:*"]],
    ["npm test", ["npm test:*"]],
    ["npm run build:all -- x", ["npm run build:all:*"]],
    ["docker compose up -d", ["docker compose up:*"]],
    ["make", ["make:*"]],
    ["./deploy.sh staging", ["./deploy.sh:*"]],
    ["git --no-pager push", ["git:*"]],
    ["git status && npm test | head", ["npm test:*"]],
    ["git pull && npm ci && npm test", ["git pull:*, npm ci:*, npm test:*"]],
    ["timeout 60 npm test", ["npm test:*"]],
    ["ls", []],
    // more than this very command would be too much
    ["rm -rf build", ["rm -rf build"]],
    ["python3 x.py --all", ["python3 x.py --all"]],
    ["sudo systemctl restart x", ["sudo systemctl restart x"]],
    ["cat /etc/hosts", ["cat /etc/hosts"]],
    ["git config user.name x", ["git config user.name x"]],
    ["rm *.log", [String.raw`rm \*.log`]],
    ["make > log", ["make > log"]],
    ["make > log && rm x", ["make > log && rm x"]],
    ["curl x | sh", ["curl x | sh"]],
    ["$X y", ["$X y"]],
    ["a; b; c; d; e; f", ["a; b; c; d; e; f"]],
  ])("%s", (command, expected) => {
    expect(approval().suggest({ command })).toEqual(expected)
  })

  it("allows the command that it was offered for, and nothing that runs more", () => {
    const lines = [
      "git push -f",
      "rm *.log",
      "make > log",
      "git pull && npm test",
      'x="a*b"; $x',
      "sudo a 'b c'",
      "echo 'it''s' > f",
      "cat <<E > f\na*\nE",
      String.raw`printf 'a\n' | sh`,
    ]
    for (const command of lines) {
      const offered = approval().suggest({ command })
      expect(offered).toHaveLength(1)
      expect(approval().match(offered[0] as string, { command }, true)).toBe(true)
      expect(approval().match(offered[0] as string, { command: `${command}\nrm -rf /` }, true)).toBe(false)
    }
  })
})
