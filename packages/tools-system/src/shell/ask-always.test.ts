import { describe, expect, it } from "vitest"
import { ShellApproval } from "./shell-approval.ts"

describe("a shell tool that asks always", () => {
  const approval = new ShellApproval({ askAlways: true, allow: ["git status"] })

  it("asks for commands that only read, and offers rules for them", () => {
    expect(new ShellApproval({}).needsApproval({ command: "ls -la" })).toBe(false)
    expect(approval.needsApproval({ command: "ls -la" })).toBe(true)
    expect(approval.suggest({ command: "ls -la" })).toEqual(["ls:*"])
  })

  it("lets run what a rule covers, the whole of it", () => {
    expect(approval.needsApproval({ command: "git status" })).toBe(false)
    expect(approval.match("ls:*", { command: "ls -la" }, true)).toBe(true)
    expect(approval.match("ls:*", { command: "ls && pwd" }, true)).toBe(false)
    expect(approval.match("ls:*", { command: "ls > x" }, true)).toBe(false)
  })
})
