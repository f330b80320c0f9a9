import { symlinkSync, utimesSync } from "node:fs"
import { describe, expect, it, vi } from "vitest"
import { globFiles as globFilesTool, grepFiles as grepFilesTool } from "../agentscope/search-files.ts"
import { globTool, grepTool } from "../claude/search.ts"
import { systemError } from "../error.ts"
import { textOfCall } from "../fixtures/call-tool.ts"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { FileRoot } from "../files/file-root.ts"
import { globFiles } from "./glob.ts"
import { compilePattern, grepFiles, type GrepRequest } from "./grep.ts"
import { LineSearch } from "./line-search.ts"
import { TimeLimit } from "./time-limit.ts"

const signal = new AbortController().signal
const files = {
  "a.ts": "const a = 1\nexport { a }\n",
  "src/b.ts": "import { a } from '../a'\n// TODO later\nconsole.log(a)\n",
  "src/c.js": "let x\n// todo now\n",
  "src/deep/d.tsx": "a\n",
  "dist/out.js": "TODO generated\n",
  "node_modules/p/index.js": "TODO dependency\n",
  ".gitignore": "dist/\nnode_modules\n*.log\n!keep.log\n",
  "x.log": "TODO log\n",
  "keep.log": "TODO kept\n",
  "sub/.gitignore": "secret.txt\n",
  "sub/secret.txt": "TODO",
  "sub/open.txt": "TODO",
  ".git/config": "TODO",
  ".hidden/h.ts": "TODO\n",
  "bin.dat": Uint8Array.from([0x54, 0x4f, 0x44, 0x4f, 0]),
}

function scene() {
  const folder = new TempFolder(files)
  const outside = new TempFolder({ "secret.ts": "TODO secret" })
  symlinkSync(outside.path, folder.at("link"))
  symlinkSync(outside.at("secret.ts"), folder.at("filelink.ts"))
  const root = new FileRoot(folder.path)
  const glob = async (pattern: string, path?: string) =>
    (await globFiles(root, { pattern, path }, signal)).files.map((file) => file.shown).toSorted()
  const grep = (request: Partial<GrepRequest>) =>
    grepFiles(root, { pattern: "TODO", show: "files", limit: 100, ...request }, signal)
  return { folder, root, glob, grep }
}

describe("finding files", () => {
  it.each<[string, readonly string[]]>([
    ["**/*.ts", [".hidden/h.ts", "a.ts", "src/b.ts"]],
    ["*.ts", [".hidden/h.ts", "a.ts", "src/b.ts"]],
    ["./*.ts", [".hidden/h.ts", "a.ts", "src/b.ts"]],
    ["src/*.ts", ["src/b.ts"]],
    ["src/**/*.{ts,tsx}", ["src/b.ts", "src/deep/d.tsx"]],
    ["src/?.js", ["src/c.js"]],
    ["a.ts", ["a.ts"]],
    ["src", ["src/b.ts", "src/c.js", "src/deep/d.tsx"]],
    ["*.log", ["keep.log"]],
    ["sub/*.txt", ["sub/open.txt"]],
    // named outright, what is ignored is wanted
    ["dist/**", ["dist/out.js"]],
    ["node_modules/p/*.js", ["node_modules/p/index.js"]],
    ["none/**", []],
    ["**/config", []],
    ["link/**", ["never"]],
  ])("%s", async (pattern, expected) => {
    const { glob } = scene()
    if (pattern === "link/**") await expect(glob(pattern)).rejects.toMatchObject({ code: "outside_root" })
    else expect(await glob(pattern)).toEqual(expected)
  })

  it("searches in a folder, and says when there is none", async () => {
    const { glob } = scene()
    expect(await glob("**", "src")).toEqual(["src/b.ts", "src/c.js", "src/deep/d.tsx"])
    expect(await glob("*.js", "dist")).toEqual(["dist/out.js"])
    await expect(glob("*", "none")).rejects.toMatchObject({ code: "not_found" })
    await expect(glob("*", "a.ts")).rejects.toMatchObject({ code: "not_a_folder" })
  })

  it("FR-44 does not leave the root by the pattern, the folder or a link", async () => {
    const { glob } = scene()
    for (const pattern of ["../*", "src/../../*", "/etc/*", "link/secret.ts"])
      await expect(glob(pattern)).rejects.toMatchObject({ code: "outside_root" })
    await expect(glob("*", "..")).rejects.toMatchObject({ code: "outside_root" })
    await expect(glob("*", "link")).rejects.toMatchObject({ code: "outside_root" })
    expect(await glob("**/secret*")).toEqual([])
    expect(await glob("filelink.ts/**").catch((error: { code: string }) => error.code)).toBe("outside_root")
  })

  it("gives the newest first, in pages", async () => {
    const { folder, root } = scene()
    for (const [i, name] of ["src/b.ts", "a.ts", ".hidden/h.ts"].entries())
      utimesSync(folder.at(name), 1e9 - i * 100, 1e9 - i * 100)
    expect((await globFiles(root, { pattern: "**/*.ts" }, signal)).files.map((file) => file.shown)).toEqual([
      "src/b.ts",
      "a.ts",
      ".hidden/h.ts",
    ])
    const tool = globTool({ root: folder.path })
    expect(await textOfCall(tool, { pattern: "**/*.ts", head_limit: 1, offset: 1 })).toBe(
      "a.ts\n[Showing 1 results after the first 1; there are more: use offset, or a narrower search.]",
    )
    expect(await textOfCall(tool, { pattern: "**/*.ts", head_limit: 0 })).toBe("src/b.ts\na.ts\n.hidden/h.ts")
    expect(await textOfCall(tool, { pattern: "*.none" })).toBe("No files found matching pattern: *.none")
    expect(await textOfCall(globFilesTool({ root: folder.path }), { pattern: "src/*.ts" })).toBe("src/b.ts")
  })

  it("stops a pattern that would match for ever", async () => {
    const folder = new TempFolder({ [`${"a".repeat(200)}.txt`]: "" })
    const started = performance.now()
    await globFiles(new FileRoot(folder.path), { pattern: `${"*a".repeat(40)}b` }, signal).catch(
      (error: { code: string }) => {
        expect(error.code).toBe("search_timeout")
      },
    )
    expect(performance.now() - started).toBeLessThan(5000)
  })
})

describe("searching contents", () => {
  it("finds files, leaves out what is ignored, binary or linked", async () => {
    const { grep } = scene()
    expect((await grep({})).lines.toSorted()).toEqual([".hidden/h.ts", "keep.log", "src/b.ts", "sub/open.txt"])
    expect((await grep({ path: "dist" })).lines).toEqual(["dist/out.js"])
    expect((await grep({ path: "x.log" })).lines).toEqual(["x.log"])
    for (const path of ["..", "link", "filelink.ts", "/etc"])
      await expect(grep({ path })).rejects.toMatchObject({ code: "outside_root" })
    await expect(grep({ path: "none" })).rejects.toMatchObject({ code: "not_found" })
  })

  it("shows lines, counts, and lines around", async () => {
    const { grep } = scene()
    expect((await grep({ pattern: "todo", ignoreCase: true, path: "src", show: "content" })).lines).toEqual([
      "src/b.ts:2:// TODO later",
      "src/c.js:2:// todo now",
    ])
    expect((await grep({ pattern: "TODO", path: "src", show: "content", before: 1, after: 1 })).lines).toEqual([
      "src/b.ts-1-import { a } from '../a'",
      "src/b.ts:2:// TODO later",
      "src/b.ts-3-console.log(a)",
    ])
    expect((await grep({ pattern: "a", path: "src/b.ts", show: "count" })).lines).toEqual(["src/b.ts:3"])
    expect((await grep({ pattern: "TODO", path: "src/b.ts", show: "content", lineNumbers: false })).lines).toEqual([
      "src/b.ts:// TODO later",
    ])
  })

  it("joins lines around that meet, and divides those that do not", async () => {
    const folder = new TempFolder({
      f: Array.from({ length: 20 }, (_, i) => (i % 8 === 2 ? `hit ${i}` : `${i}`)).join("\n"),
    })
    const request = { pattern: "hit", show: "content", limit: 100, before: 1, after: 1 } as const
    const { lines } = await grepFiles(new FileRoot(folder.path), request, signal)
    expect(lines).toEqual([
      "f-2-1",
      "f:3:hit 2",
      "f-4-3",
      "--",
      "f-10-9",
      "f:11:hit 10",
      "f-12-11",
      "--",
      "f-18-17",
      "f:19:hit 18",
      "f-20-19",
    ])
    const wide = await grepFiles(new FileRoot(folder.path), { ...request, before: 4, after: 4 }, signal)
    expect(wide.lines.filter((line) => line === "--")).toEqual([])
    expect(wide.lines).toHaveLength(20)
  })

  it("takes globs and kinds of files", async () => {
    const { grep } = scene()
    const found = async (request: Partial<GrepRequest>) => (await grep({ pattern: ".", ...request })).lines.toSorted()
    expect(await found({ glob: "*.ts" })).toEqual([".hidden/h.ts", "a.ts", "src/b.ts"])
    expect(await found({ glob: "src/**" })).toEqual(["src/b.ts", "src/c.js", "src/deep/d.tsx"])
    expect(await found({ glob: "*.{ts,tsx} !b.ts" })).toEqual([".hidden/h.ts", "a.ts", "src/deep/d.tsx"])
    expect(await found({ glob: "*.js,*.tsx" })).toEqual(["src/c.js", "src/deep/d.tsx"])
    expect(await found({ type: "ts", path: "src" })).toEqual(["src/b.ts", "src/deep/d.tsx"])
    expect(await found({ type: "typescript", path: "src" })).toEqual(["src/b.ts", "src/deep/d.tsx"])
    await expect(grep({ type: "constructor" })).rejects.toMatchObject({ code: "invalid_argument" })
  })

  it("matches over lines when it is told to, and only then", async () => {
    const { grep } = scene()
    expect((await grep({ pattern: "later.*log", path: "src" })).lines).toEqual([])
    const { lines } = await grep({ pattern: "later.*log", path: "src", multiline: true, show: "content" })
    expect(lines).toEqual(["src/b.ts:2:// TODO later", "src/b.ts:3:console.log(a)"])
    expect((await grep({ pattern: String.raw`from\s+'\.\./a'\s//`, path: "src" })).lines).toEqual([])
  })

  it("gives pages, and says that there is more", async () => {
    const { grep, folder } = scene()
    const all = await grep({ pattern: ".", show: "content" })
    expect(all.more).toBe(false)
    const page = await grep({ pattern: ".", show: "content", limit: 3, offset: 2 })
    expect(page).toEqual({ lines: all.lines.slice(2, 5), more: true, skipped: 0 })
    const tool = grepTool({ root: folder.path })
    expect(await textOfCall(tool, { pattern: "TODO", head_limit: 1 })).toMatch(
      /^keep\.log\n\[Showing 1 results; there are more/,
    )
    expect(await textOfCall(tool, { pattern: "NOTHING" })).toBe("No matches found for pattern: NOTHING")
    expect(
      await textOfCall(tool, { pattern: "todo", i: true, output_mode: "content", path: "src", "-C": 0, n: false }),
    ).toBe("src/b.ts:// TODO later\nsrc/c.js:// todo now")
    expect(await textOfCall(grepFilesTool({ root: folder.path }), { pattern: "later" })).toBe(
      "src/b.ts:2:// TODO later",
    )
  })

  it("cuts long lines, and counts files that are too large", async () => {
    const folder = new TempFolder({ long: "x".repeat(800), huge: "TODO ".repeat(2_200_000) })
    const root = new FileRoot(folder.path)
    const { lines, skipped } = await grepFiles(root, { pattern: "x|TODO", show: "content", limit: 10 }, signal)
    expect(lines).toEqual([`long:1:${"x".repeat(500)}[truncated 300 characters]`])
    expect(skipped).toBe(1)
    expect(await textOfCall(grepFilesTool({ root: folder.path }), { pattern: "TODO" })).toContain(
      "1 file(s) were too large",
    )
  })

  it("explains a pattern that is no regular expression, and takes those of others", () => {
    const compile = (pattern: string) => compilePattern({ pattern, show: "files", limit: 1 })
    expect(() => compile("a(")).toThrow(/no regular expression.*Escape/)
    expect(compile("(?i)abc").test("ABC")).toBe(true)
    expect(compile(String.raw`\-x`).test("-x")).toBe(true)
    expect(compile("[🌍]").test("🌍")).toBe(true)
  })

  it("stops a regular expression that backtracks without end, and leaves the program responsive", async () => {
    const folder = new TempFolder({ f: `${"a".repeat(40)}b` })
    const started = performance.now()
    const request = { pattern: "^(a+)+$", show: "files", limit: 1 } as const
    await expect(grepFiles(new FileRoot(folder.path), request, signal)).rejects.toMatchObject({
      code: "search_timeout",
    })
    expect(performance.now() - started).toBeLessThan(6000)
  })

  it("searches thousands of small files without running into the time limit", async () => {
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`d${i % 500}/f${i}`, `TODO ${i}\n`]))
    const root = new FileRoot(new TempFolder(many).path)
    const request = { pattern: "TODO", glob: "f*", show: "files", limit: 5000 } as const
    const { lines, stopped } = await grepFiles(root, request, signal)
    expect(lines).toHaveLength(3000)
    expect(stopped).toBeUndefined()
  })

  it("compares many files in one guarded call, and charges an ordinary expression nothing", () => {
    const guarded = vi.spyOn(TimeLimit.prototype, "run")
    const search = new LineSearch(/TODO/g, false)
    let found = 0
    for (let i = 0; i < 20_000; i++) {
      search.add({ path: `/f${i}`, shown: `f${i}`, exists: true }, "TODO\n")
      if (search.full) found += search.run().files.filter((file) => file.found.length > 0).length
    }
    expect([found, search.searched, guarded.mock.calls.length]).toEqual([20_000, 20_000, 20])
    for (const [, freeMs] of guarded.mock.calls) expect(freeMs).toBeGreaterThan(2)
    guarded.mockRestore()
  })

  it("gives what it found before an expression took too long, and says where it was stopped", async () => {
    const folder = new TempFolder({ a: "aaa\n", b: "aaa\n", c: `${"a".repeat(40)}b` })
    const request = { pattern: "^(a+)+$", show: "files", limit: 9 } as const
    const { lines, stopped } = await grepFiles(new FileRoot(folder.path), request, signal)
    expect(lines).toEqual(["a", "b"])
    expect(stopped).toMatch(/takes too long.*stopped after 2 files\.$/)
    const text = await textOfCall(grepFilesTool({ root: folder.path }), { pattern: "^(a+)+$" })
    expect(text).toMatch(/^a:1:aaa\nb:1:aaa\n… The regular.*stopped after 2 files\.$/)
    const claude = await textOfCall(grepTool({ root: folder.path }), { pattern: "^(a+)+$" })
    expect(claude).toMatch(/^a\nb\n\[The regular.*stopped after 2 files\.\]$/)
  })

  it("gives the files that a glob found before a limit, and says why there are no more", async () => {
    const folder = new TempFolder({ a: "", "x/b": "", "y/c": "" })
    const real = TimeLimit.prototype.run
    let calls = 0
    const limited = vi.spyOn(TimeLimit.prototype, "run").mockImplementation(function (this: TimeLimit, ...args) {
      if (++calls % 3 === 0) throw systemError("search_timeout", "It takes too long.")
      return real.apply(this, args)
    })
    const { files, stopped } = await globFiles(new FileRoot(folder.path), { pattern: "**" }, signal)
    expect([files.map((file) => file.shown).toSorted(), stopped]).toEqual([["a", "x/b"], "It takes too long."])
    expect(await textOfCall(globTool({ root: folder.path }), { pattern: "**" })).toMatch(/\n\[It takes too long\.\]$/)
    calls = 2
    await expect(globFiles(new FileRoot(folder.path), { pattern: "**" }, signal)).rejects.toMatchObject({
      code: "search_timeout",
    })
    limited.mockRestore()
  })

  it("stops when it is aborted", async () => {
    const { root } = scene()
    await expect(
      grepFiles(root, { pattern: "x", show: "files", limit: 1 }, AbortSignal.abort(new Error("enough"))),
    ).rejects.toThrow("enough")
  })
})

describe("a time limit", () => {
  it("counts all pieces of work together, and passes on what they throw", () => {
    const limit = new TimeLimit(60, "too slow")
    expect(limit.run(() => 7)).toBe(7)
    expect(() => limit.run(() => JSON.parse("{") as unknown)).toThrow(SyntaxError)
    const spin = () => {
      const until = performance.now() + 40
      while (performance.now() < until);
    }
    limit.run(spin)
    expect(() => limit.run(spin)).toThrow("too slow")
  })

  it("charges only what a piece takes beyond its free time", () => {
    const limit = new TimeLimit(30, "too slow")
    const spin = () => {
      const until = performance.now() + 20
      while (performance.now() < until);
    }
    for (let i = 0; i < 5; i++) limit.run(spin, 1000)
    expect(() => {
      for (let i = 0; i < 3; i++) limit.run(spin)
    }).toThrow("too slow")
  })
})
