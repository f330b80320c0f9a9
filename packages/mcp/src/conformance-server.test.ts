import { execFile, execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { conformanceServer } from "./fixtures/conformance-server.ts"
import type { McpListener } from "./server/http/listen.ts"

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const suite = join(dirname(require.resolve("@modelcontextprotocol/conformance/package.json")), "dist/index.js")

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

/** The names that the suite lists, with those that its default run leaves out. */
function scenarios(): readonly string[] {
  const listed = execFileSync(process.execPath, [suite, "list"], { encoding: "utf8" })
  const servers = listed.slice(listed.indexOf("Server scenarios"), listed.indexOf("Client scenarios"))
  return [...servers.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name ?? "")
}

const server = conformanceServer()
let listener: McpListener
let folder: string

beforeAll(async () => {
  listener = await server.listen()
  folder = mkdtempSync(join(tmpdir(), "mcp-conformance-"))
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function checksOf(scenario: string): Promise<readonly Check[]> {
  const output = join(folder, scenario)
  const args = [suite, "server", "--url", listener.url, "--scenario", scenario, "--output-dir", output]
  // a failed check is no reason to stop before the checks were read
  await run(process.execPath, args, { cwd: folder, timeout: 60_000 }).catch(() => {})
  const files = readdirSync(output, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith("checks.json"),
  )
  return files.flatMap((file) => JSON.parse(readFileSync(join(output, file), "utf8")) as Check[])
}

describe("the official conformance suite, every scenario for servers", () => {
  test.concurrent.for(scenarios())("%s", { timeout: 90_000 }, async (scenario) => {
    const checks = await checksOf(scenario)
    expect(checks.filter(({ status }) => status === "SUCCESS")).not.toHaveLength(0)
    expect(checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")).toEqual([])
  })

  test("are the thirty-two of version 0.1.16", () => {
    expect(scenarios()).toHaveLength(32)
  })
})
