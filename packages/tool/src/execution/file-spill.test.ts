import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { textOf } from "@agentscope-ts/message"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { plain, use } from "../fixtures/calls.ts"
import { fileSpill, Toolkit } from "../index.ts"

let dir: string
beforeEach(async () => void (dir = await mkdtemp(join(tmpdir(), "spill-test-"))))
afterEach(() => rm(dir, { recursive: true, force: true }))

const call = (id = "call_1", agent?: { id: string; name: string }) => ({
  toolUse: use("t", {}, id),
  ...(agent && { agent }),
})

test("a long result is in a file that only its owner reads, and the result says where", async () => {
  await using spill = fileSpill({ dir })
  const long = `begin ${"é😀".repeat(500)} end`
  const kit = new Toolkit({ tools: [plain(() => long)], outputLimit: 100, spill })
  const agent = { id: "agent/../1", name: "Friday" }
  const result = await kit.execute(use("t"), { agent }).result
  const whole = (result.metadata?.["truncated"] as { whole?: string } | undefined)?.whole ?? ""
  expect(textOf(result)).toContain(whole)
  expect(whole.startsWith(join(dir, "agent____1/t-"))).toBe(true)
  expect(await readFile(whole, "utf8")).toBe(long)
  expect((await stat(whole)).mode & 0o777).toBe(0o600)
  expect((await stat(join(dir, "agent____1"))).mode & 0o777).toBe(0o700)
})

test("all files together stay within their bound: the oldest goes; what is longer than that is not kept", async () => {
  await using spill = fileSpill({ dir, maxBytes: 250 })
  const files = await Promise.all([1, 2, 3].map((n) => Promise.resolve(spill("x".repeat(100), call(`call_${n}`)))))
  expect(new Set(files).size).toBe(3)
  expect((await readdir(join(dir, "calls"))).toSorted()).toEqual(
    files
      .slice(1)
      .map((file) => file?.split("/").at(-1))
      .toSorted(),
  )
  expect(await spill("x".repeat(251), call())).toBeUndefined()
})

test("disposed, it takes its files away, and no others", async () => {
  const spill = fileSpill({ dir })
  await spill("x", call())
  const other = fileSpill({ dir })
  const left = await other("y", call())
  await spill[Symbol.asyncDispose]()
  expect(await readdir(join(dir, "calls"))).toEqual([left?.split("/").at(-1)])
  await other[Symbol.asyncDispose]()
  const own = fileSpill()
  const file = await own("z", call())
  await own[Symbol.asyncDispose]()
  await expect(stat(join(file ?? "", "../.."))).rejects.toThrow("ENOENT")
})

test("a folder that cannot be written is told in the result, and the call has not failed", async () => {
  await symlink("/nonexistent/place", join(dir, "calls"))
  const kit = new Toolkit({ tools: [plain(() => "x".repeat(200))], outputLimit: 100, spill: fileSpill({ dir }) })
  const result = await kit.execute(use("t")).result
  expect(result.state).toBe("success")
  expect(textOf(result)).toContain("could not be kept")
})

test("a folder for temporary files that was not there is tried again", async () => {
  const missing = join(dir, "later")
  vi.stubEnv("TMPDIR", missing)
  const spill = fileSpill()
  await expect(spill("x", call())).rejects.toThrow("ENOENT")
  await spill[Symbol.asyncDispose]()
  await mkdir(missing)
  expect(await spill("x", call())).toContain(missing)
  await spill[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})

test.each([{ dir: 5 }, { dir: "" }, { maxBytes: 0 }])("%j is refused", (options) => {
  expect(() => fileSpill(options as never)).toThrow(expect.objectContaining({ code: "invalid_argument" }))
})
