import { fork, type ChildProcess } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
// @ts-expect-error a plain script without declarations
import { open as openFloor } from "./contestants/floor.mjs"
// @ts-expect-error a plain script without declarations
import { open as openFloorHttp } from "./contestants/floor-http.mjs"
// @ts-expect-error a plain script without declarations
import { open as openToolkit } from "./contestants/toolkit.mjs"
// @ts-expect-error a plain script without declarations
import { installSize } from "./install-size.mjs"
// @ts-expect-error a plain script without declarations
import { jobs } from "./jobs.mjs"
// @ts-expect-error a plain script without declarations
import { needs, open as openOpenAI } from "./peers/openai.mjs"
// @ts-expect-error a plain script without declarations
import { toolsOf } from "./tools.mjs"

let server: ChildProcess
let url: string
beforeAll(async () => {
  server = fork(fileURLToPath(new URL("model-server.mjs", import.meta.url)), { silent: true })
  const port = await new Promise((resolve) => server.stdout?.once("data", (line: Buffer) => resolve(Number(line))))
  url = `http://127.0.0.1:${String(port)}/v1`
})
afterAll(async () => {
  const gone = new Promise((resolve) => server.once("exit", resolve))
  server.disconnect()
  await gone
})

const contestants = { floor: openFloor, "floor-http": openFloorHttp, openai: openOpenAI }

describe.each(["responses", "anthropic", "gemini", "dashscope", "ollama"])("the floor that speaks %s", (wire) => {
  test("does the jobs that providers are measured by", async () => {
    const marks = { onAdd: () => {} }
    const tools = await toolsOf("json", { onAdd: () => marks.onAdd() })
    const contestant = await openFloor({ url, tools, options: { wire } })
    const few = { warmups: 0, runs: 1 }
    const results = [
      await jobs.rounds(contestant, { k: 3, stream: true, ...few }, marks),
      await jobs.rounds(contestant, { k: 3, stream: false, ...few }, marks),
      await jobs.deltas(contestant, { script: "text", n: 50, ...few }),
      await jobs.deltas(contestant, { script: "mixed", n: 50, ...few }),
      await jobs.firstToken(contestant, few),
      await jobs.fan(contestant, { p: 5, ...few }),
    ]
    for (const value of results.flatMap((result: Record<string, number>) => Object.values(result))) {
      expect(Number.isFinite(value)).toBe(true)
    }
  })
})

// this project's own contestant runs from the built packages, which tests do not build: `pnpm bench --quick` runs it
describe.each(Object.entries(contestants))("%s", (_, open) => {
  test("does every job and gives finite figures", async () => {
    expect(await needs.installed()).toBe(true)
    const marks = { onAdd: () => {} }
    const contestant = await open({ url, tools: await toolsOf("json", { onAdd: () => marks.onAdd() }) })
    const few = { warmups: 0, runs: 1 }
    const results = [
      await jobs.rounds(contestant, { k: 3, stream: true, ...few }, marks),
      await jobs.rounds(contestant, { k: 3, stream: false, ...few }, marks),
      await jobs.rounds(contestant, { k: 3, stream: true, iterate: true, ...few }, marks),
      await jobs.growth(contestant, { k: 40, ...few }, marks),
      await jobs.deltas(contestant, { script: "text", n: 50, ...few }),
      await jobs.deltas(contestant, { script: "paced", n: 4, ...few }),
      await jobs.args(contestant, { n: 20, ...few }),
      await jobs.firstToken(contestant, few),
      await jobs.fan(contestant, { p: 5, ...few }),
      await jobs.inFlight(contestant, { inFlight: 5, total: 12, warmups: 1 }),
    ]
    for (const value of results.flatMap((result: Record<string, number>) => Object.values(result))) {
      expect(Number.isFinite(value)).toBe(true)
    }
    expect(results[8].ms).toBeLessThan(100) // in parallel: 5 × 20 ms one after another would be 100
  })
})

test("the toolkit does the jobs it is measured by", async () => {
  const contestant = await openToolkit({ tools: await toolsOf("zod") })
  const results = [
    await jobs.execute(contestant, { warmups: 1, runs: 50 }),
    await jobs.list(contestant, { n: 1000 }),
    await jobs.idle(contestant, { count: 50 }),
  ]
  for (const value of results.flatMap((result: Record<string, number>) => Object.values(result))) {
    expect(Number.isFinite(value)).toBe(true)
  }
})

test("installed files are those that are published, of the packages and those they need", () => {
  const dir = mkdtempSync(join(tmpdir(), "sizes-"))
  const add = (name: string, dependencies: Record<string, string>) => {
    mkdirSync(join(dir, name, "dist", "deep"), { recursive: true })
    writeFileSync(
      join(dir, name, "package.json"),
      JSON.stringify({ files: ["dist", "!dist/.tsbuildinfo"], dependencies }),
    )
    writeFileSync(join(dir, name, "dist", "deep", "index.js"), "x".repeat(1_000_000))
    writeFileSync(join(dir, name, "dist", ".tsbuildinfo"), "x".repeat(1_000_000))
    writeFileSync(join(dir, name, "source.ts"), "x".repeat(1_000_000))
  }
  try {
    add("a", { "@agentscope-ts/b": "1", openai: "7" })
    add("b", {})
    add("unused", {})
    const { mb, packages, others } = installSize(dir, ["a"])
    expect({ packages, others }).toEqual({ packages: 2, others: ["openai"] })
    expect(mb).toBeCloseTo(2, 2)
  } finally {
    rmSync(dir, { recursive: true })
  }
})
