import { execFile, execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, describe, expect, test } from "vitest"

const run = promisify(execFile)
const suite = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
)
const program = fileURLToPath(new URL("fixtures/conformance-client.ts", import.meta.url))
// the suite hands this to a shell
const command = [process.execPath, "--conditions=@agentscope-ts/source", program].map((part) => `"${part}"`).join(" ")

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

/** The scenarios for clients that the suite lists, of every revision and extension, or of one revision. */
function scenarios(revision?: string): readonly string[] {
  const args = [suite, "list", "--client", ...(revision === undefined ? [] : ["--spec-version", revision])]
  const listed = execFileSync(process.execPath, args, { encoding: "utf8" })
  return [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name ?? "")
}

const folder = mkdtempSync(join(tmpdir(), "mcp-conformance-client-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// two at a time: one of the scenarios measures when the client comes back
const lanes = [Promise.resolve(), Promise.resolve()]
let next = 0

function checksOf(scenario: string): Promise<{ exit: number; checks: readonly Check[] }> {
  const lane = next++ % lanes.length
  const result = (lanes[lane] ?? Promise.resolve()).then(async () => {
    const output = join(folder, scenario.replaceAll("/", "_"))
    const args = [suite, "client", "--command", command, "--scenario", scenario, "--output-dir", output]
    // a failed check is no reason to stop before the checks were read
    const exit = await run(process.execPath, args, { cwd: folder, timeout: 60_000 }).then(
      () => 0,
      (error: { code?: number }) => error.code ?? 1,
    )
    const files = readdirSync(output, { recursive: true, encoding: "utf8" })
    const found = files.filter((file) => file.endsWith("checks.json"))
    return { exit, checks: found.flatMap((file) => JSON.parse(readFileSync(join(output, file), "utf8")) as Check[]) }
  })
  lanes[lane] = result.then(
    () => {},
    () => {},
  )
  return result
}

describe("the official conformance suite, every scenario for clients", () => {
  test.concurrent.for(scenarios())("%s", { timeout: 120_000 }, async (scenario) => {
    const { exit, checks } = await checksOf(scenario)
    expect(checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")).toEqual([])
    expect(checks.filter(({ status }) => status === "SUCCESS")).not.toHaveLength(0)
    expect(exit).toBe(0)
  })

  test("are all of MCP 2025-11-25, and those of the older revision, the drafts and the extensions", () => {
    expect(scenarios("2025-11-25").length).toBeGreaterThanOrEqual(18)
    expect(scenarios()).toEqual(expect.arrayContaining([...scenarios("2025-11-25")]))
    expect(scenarios()).toHaveLength(26)
  })
})
