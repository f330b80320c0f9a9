import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it, vi } from "vitest"
import { findRunner } from "./test-runner.ts"

// below this package, so that imports are resolved as its own are
const folder = mkdtempSync(join(import.meta.dirname, ".runner-"))
afterAll(() => rmSync(folder, { recursive: true }))

describe("the test runner", () => {
  it("is the one whose globals are there", () => {
    const [describe, it] = [vi.fn(), vi.fn()]
    vi.stubGlobal("describe", describe)
    vi.stubGlobal("it", it)
    try {
      const runner = findRunner()
      const run = () => Promise.resolve()
      runner.it("a test", run, 5)
      expect(it).toHaveBeenCalledWith("a test", run, 5)
      expect(runner.describe).toBe(describe)
    } finally {
      vi.unstubAllGlobals()
    }
  })

  const file = join(folder, "kit.test.mjs")
  const kit = JSON.stringify(join(import.meta.dirname, "../index.ts"))
  const { NODE_TEST_CONTEXT: _, VITEST: __, ...env } = process.env
  const node = (...args: readonly string[]) =>
    spawnSync(process.execPath, ["--conditions=@agentscope-ts/source", ...args, file], { encoding: "utf8", env })

  it("is node:test in a file that node --test runs", () => {
    const fixtures = (name: string) => JSON.stringify(join(import.meta.dirname, `../fixtures/${name}`))
    writeFileSync(
      file,
      `import { runModelConformance } from ${kit}
       import { TinyModel } from ${fixtures("tiny-model.ts")}
       import { tinyCassettes } from ${fixtures("tiny-cassettes.ts")}
       const create = ({ url, fetch }) => new TinyModel({ url, fetch, apiKey: "k", fault: "loses calls" })
       runModelConformance({ name: "tiny", create, cassettes: tinyCassettes, damages: 10 })`,
    )
    const { stdout } = node("--test", "--test-reporter=tap")
    expect(stdout).toMatch(/not ok \d+ - tiny\/stream-tool-parallel/)
    expect(stdout).toMatch(/# fail 1\n/)
    expect(stdout).toMatch(/# pass [2-9]\d\n/)
  })

  it("is said to be missing where there is none", () => {
    writeFileSync(
      file,
      `import { runModelConformance } from ${kit}
       try { runModelConformance({}) } catch (error) { console.log(error.code, error.message) }`,
    )
    expect(node().stdout).toMatch(/^no_test_runner .*vitest, jest, bun test or node --test/)
  })
})
