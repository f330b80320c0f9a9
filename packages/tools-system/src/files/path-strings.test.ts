import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, symlinkSync } from "node:fs"
import { join, win32 } from "node:path"
import type { AnyTool } from "@agentscope-ts/tool"
import { describe, expect, it } from "vitest"
import { fileTools } from "../file-tools.ts"
import { textOfCall } from "../fixtures/call-tool.ts"
import { numbers } from "../fixtures/dangerous-commands.ts"
import { linksOut, pathStrings } from "../fixtures/path-strings.ts"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { contains, pathProblem } from "./containment.ts"

const count = process.env["AGENTSCOPE_SOAK"] === "1" ? 10_000 : 700

function scene() {
  const folder = new TempFolder({
    "p/a.txt": "inside a",
    "p/sub/b.txt": "inside b",
    "p/sub/deep/c.txt": "inside c",
    "p/.git/config": "settings",
    "out/secret.txt": "SECRET",
    "out/deep/d.txt": "SECRET",
    "p-evil/x.txt": "SECRET",
    "P/x.txt": "SECRET",
    "p.txt": "SECRET",
  })
  for (const [name, target] of Object.entries(linksOut))
    symlinkSync(target.startsWith("/") ? target : folder.at(target), folder.at(`p/${name}`))
  symlinkSync("sub", folder.at("p/inner"))
  symlinkSync(".", folder.at("p/self"))
  symlinkSync("a.txt/../..", folder.at("p/viafile"))
  symlinkSync("missing/../..", folder.at("p/missing-up"))
  symlinkSync("loop", folder.at("p/loop"))
  symlinkSync("loop3", folder.at("p/loop2"))
  symlinkSync("loop2", folder.at("p/loop3"))
  return folder
}

/** Every file outside the root with its content. */
function outsideOf(folder: TempFolder): readonly string[] {
  return ["out", "p-evil", "P", "p.txt", "."].flatMap((name) => {
    const at = folder.at(name)
    if (!statSync(at).isDirectory()) return [`${name}: ${readFileSync(at, "utf8")}`]
    const names = readdirSync(at, { recursive: name !== ".", encoding: "utf8" }).toSorted()
    return names.map((each) => {
      const file = join(at, each)
      return statSync(file).isDirectory() ? file : `${file}: ${readFileSync(file, "utf8")}`
    })
  })
}

describe(`FR-44 of ${count} paths written every way`, () => {
  it.each(["agentscope", "claude"] as const)("none reads or writes outside the root (%s)", async (style) => {
    const folder = scene()
    const root = folder.at("p")
    const tools = new Map(fileTools({ root, style }).map((tool): [string, AnyTool] => [tool.name, tool]))
    const before = outsideOf(folder)
    const passwd = readFileSync("/etc/passwd", "utf8").slice(0, 20)
    const calls: readonly (readonly [string, (path: string) => object])[] =
      style === "agentscope"
        ? [
            ["view_text_file", (file_path) => ({ file_path })],
            ["list_directory", (dir_path) => ({ dir_path })],
            ["glob_files", (path) => ({ pattern: "**", path })],
            ["glob_files", (pattern) => ({ pattern })],
            ["grep_files", (path) => ({ pattern: "SECRET|root:", path })],
            ["write_text_file", (file_path) => ({ file_path, content: "written" })],
            ["write_text_file", (file_path) => ({ file_path, content: "written", ranges: [1, 1] })],
            ["insert_text_file", (file_path) => ({ file_path, content: "written", line_number: 1 })],
          ]
        : [
            ["Read", (file_path) => ({ file_path })],
            ["Glob", (pattern) => ({ pattern })],
            ["Grep", (path) => ({ pattern: "SECRET|root:", path, output_mode: "content" })],
            ["Write", (file_path) => ({ file_path, content: "written" })],
            ["Edit", (file_path) => ({ file_path, old_string: "inside", new_string: "written" })],
          ]
    const paths = pathStrings(count, { root, above: folder.path })
    for (const path of paths) {
      for (const [name, input] of calls) {
        const text = await textOfCall(tools.get(name) as AnyTool, input(path))
        const shown = text.replaceAll(/"[^"]*"|No matches for .*|No matches found for pattern: .*/g, "")
        expect(shown, `${name} ${JSON.stringify(path.slice(0, 200))}`).not.toContain("SECRET")
        expect(text.includes(passwd), `${name} ${JSON.stringify(path)}`).toBe(false)
      }
    }
    expect(outsideOf(folder)).toEqual(before)
    expect(readFileSync(folder.at("p/.git/config"), "utf8")).toBe("settings")
    expect(existsSync(folder.at("p/.ssh"))).toBe(false)
    expect(readFileSync(folder.at("p/a.txt"), "utf8")).toContain("written")
  })
})

describe(`FR-44 of ${count} paths in the forms of Windows`, () => {
  /** Where Windows leads with a path, from a folder; another reading of its rules than the one that is tested. */
  function landing(from: string, path: string): string {
    const slashes = path.replaceAll("/", "\\")
    const absolute = /^[a-z]:\\/i.test(slashes) || slashes.startsWith("\\\\")
    const shareOf = (at: string): string => /^\\\\[^\\]+\\[^\\]+/.exec(at)?.[0] ?? at.slice(0, 2)
    const start = absolute ? slashes : slashes.startsWith("\\") ? shareOf(from) + slashes : `${from}\\${slashes}`
    const share = shareOf(start)
    const names: string[] = []
    for (const name of start.slice(share.length).split("\\")) {
      if (name === "..") names.pop()
      else if (name !== "" && name !== ".") names.push(name)
    }
    return [share, ...names].join("\\").toLowerCase()
  }

  it.each([String.raw`C:\w\p`, String.raw`\\srv\share\p`])("below %s", (root) => {
    const random = numbers(45)
    const pick = (from: readonly string[]): string => from[random.next().value % from.length] as string
    const starts = ["", "C:\\w\\p", "c:/W/P", "C:/w/p-evil", "D:\\w\\p", "\\", "/w/p", "\\\\srv\\share\\p"]
    const more = ["//SRV/Share/P", "\\\\srv\\other", "C:", "c:p", "\\\\?\\C:\\w\\p", "\\\\.\\C:\\w\\p", "//?/C:/w/p"]
    const names = ["x", "..", ".", "p", "P", "p-evil", "w", "W", "con", "NUL.txt", "com1", "COM¹.log", "a.txt:s", "x."]
    const odd = [
      "x ",
      "...",
      "GIT~1",
      "PROGRA~2",
      "a::$DATA",
      "conin$",
      "con .txt",
      "aux:",
      "x?",
      "x*",
      "\u0007",
      "e\u0301",
    ]
    let taken = 0
    for (let i = 0; i < count; i++) {
      const parts = [pick([...starts, ...more])]
      for (let n = random.next().value % 5; n >= 0; n--) parts.push(pick([...names, ...names, ...odd]))
      const path = parts.filter((part) => part !== "").join(pick(["\\", "/", "\\\\"]))
      if (pathProblem(path, win32) !== undefined) continue
      taken++
      const last = landing(root, path)
      const below = root.toLowerCase()
      const expected = last === below || last.startsWith(`${below}\\`)
      const found = contains(root, win32.resolve(root, path), win32)
      expect(found, `${path} leads to ${last}`).toBe(expected)
      for (const name of path.split(/[\\/]+/).slice(/^[a-z]:/i.test(path) ? 1 : 0))
        expect(name, path).not.toMatch(/^(?:con|nul|aux|com[\d¹])\b|:|~\d|[. ?*]$(?<!^\.\.?)/i)
    }
    expect(taken).toBeGreaterThan(count / 20)
  })
})

it("FR-44 a path with the case of another is another, where the system says so", () => {
  const folder = scene()
  mkdirSync(folder.at("p/Sub"), { recursive: true })
  expect(realpathSync.native(folder.at("p/Sub"))).not.toBe(realpathSync.native(folder.at("p/sub")))
})
