import { posix, win32 } from "node:path"
import { describe, expect, it } from "vitest"
import { contains, isProtected, isSensitive, pathProblem } from "./containment.ts"

describe("FR-44 containment compares components, not characters", () => {
  it.each([
    ["/w/p", "/w/p", true],
    ["/w/p", "/w/p/x", true],
    ["/w/p", "/w/p/..x", true],
    ["/w/p", "/w/p/...", true],
    ["/w/p", "/w/p-evil/x", false],
    ["/w/p", "/w", false],
    ["/w/p", "/w/q", false],
    ["/w/p", "/W/P/x", false],
    ["/", "/etc/passwd", true],
    ["/w/p", "/w/p/../p-evil/x", false],
  ])("%s holds %s: %s", (root, path, expected) => {
    expect(contains(root, path, posix)).toBe(expected)
  })

  it.each([
    [String.raw`C:\w\p`, "c:/W/P", true],
    [String.raw`C:\w\p`, String.raw`c:\W\P\x\y`, true],
    [String.raw`C:\w\p`, String.raw`C:\w\p-evil\x`, false],
    [String.raw`C:\w\p`, String.raw`D:\w\p\x`, false],
    [String.raw`C:\w\p`, String.raw`C:\w`, false],
    [String.raw`C:\w\p`, String.raw`\\server\share\x`, false],
    [String.raw`\\server\share\p`, String.raw`\\SERVER\share\p\x`, true],
    [String.raw`C:\w\p`, String.raw`C:\w\p\..\p-evil`, false],
  ])("%s holds %s on Windows: %s", (root, path, expected) => {
    expect(contains(root, path, win32)).toBe(expected)
  })
})

describe("FR-44 paths that are refused before the disk is looked at", () => {
  it.each(["", "a\0b", "x".repeat(4097)])("everywhere: %j", (path) => {
    expect(pathProblem(path, posix)).toBeDefined()
    expect(pathProblem(path, win32)).toBeDefined()
  })

  it.each([
    String.raw`\\?\C:\x`,
    String.raw`\\.\PhysicalDrive0`,
    "//?/C:/x",
    "C:x",
    "file.txt:stream",
    String.raw`a\b::$DATA`,
    "con",
    "sub/NUL.txt",
    String.raw`x\com1`,
    "a./b",
    "a /b",
    String.raw`.git.\config`,
  ])("on Windows: %s", (path) => {
    expect(pathProblem(path, win32)).toBeDefined()
  })

  it.each(["a", "a/b.txt", "..", "../x", ".", "/etc/passwd", "a:b", "con", " lead", "…"])(
    "none elsewhere: %s",
    (path) => {
      expect(pathProblem(path, posix)).toBeUndefined()
    },
  )

  it.each([String.raw`C:\a\b.txt`, "c:/a/b", String.raw`..\x`, ".", "console.ts", "com10.txt"])(
    "none on Windows: %s",
    (path) => {
      expect(pathProblem(path, win32)).toBeUndefined()
    },
  )
})

describe("folders that decide what other programs run", () => {
  it.each([
    ".git/config",
    ".git",
    "a/.git/hooks/pre-commit",
    ".GIT/config",
    ".ssh/authorized_keys",
    String.raw`a\.git\config`,
    ".g\u200cit/config",
  ])("protects %j", (path) => {
    expect(isProtected(path)).toBe(true)
  })

  it.each([".gitignore", ".github/workflows/ci.yml", "git/config", "a.git/x", "src/.gitkeep"])(
    "leaves %j free",
    (path) => {
      expect(isProtected(path)).toBe(false)
    },
  )

  it.each([".env", ".env.local", "app/.env.production", ".bashrc", ".npmrc", ".vscode/settings.json", ".ENV"])(
    "asks for %j",
    (path) => {
      expect(isSensitive(path)).toBe(true)
    },
  )

  it.each(["env", "src/env.ts", ".environment", "npmrc", "bashrc.md"])("does not ask for %j", (path) => {
    expect(isSensitive(path)).toBe(false)
  })
})
