import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { Counter } from "../fixtures/counter.ts"
import { openStore } from "../fixtures/open-store.ts"

const program = fileURLToPath(new URL("../fixtures/save-on.ts", import.meta.url))
const children = new Set<ChildProcess>()
let dir = ""
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "sessions-"))
})
afterEach(() => {
  for (const child of children) child.kill("SIGKILL")
  rmSync(dir, { recursive: true })
})

function start(...args: (string | number)[]) {
  const child = spawn(process.execPath, ["--conditions=@agentscope-ts/source", program, ...args.map(String)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  })
  children.add(child)
  let errors = ""
  child.stderr.on("data", (data: Buffer) => (errors += data.toString()))
  const ended = once(child, "close").then(() => {
    children.delete(child)
    return errors
  })
  return { child, ended, lines: createInterface(child.stdout) }
}

describe.each(["json", "sqlite"])("%s", (kind) => {
  test("a process that is killed in the middle of a save leaves the last complete one", {
    timeout: 120_000,
  }, async () => {
    const kills = process.env["AGENTSCOPE_SOAK"] ? 200 : 20
    let count = 0
    for (let kill = 0; kill < kills; kill++) {
      const { child, ended, lines } = start(kind, dir, count)
      const after = count + 1 + Math.floor(Math.random() * 6)
      let told = -1
      lines.on("line", (line) => {
        told = Number(line)
        // at once, or a moment later, when the next save is under way
        if (told === after) setTimeout(() => child.kill("SIGKILL"), Math.random() * 6)
      })
      expect(await ended).toBe("")
      const counter = new Counter()
      const store = openStore(kind, dir)
      await store.load("s", { counter }, { allowMissing: false })
      await (store as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.()
      expect(counter.count).toBeGreaterThanOrEqual(told)
      expect(counter.whole).toBe(true)
      count = counter.count + 1
    }
    expect(await openStore(kind, dir).list()).toEqual(["s"])
  })

  test("two processes that save one session at once leave one of both, whole at every moment", async () => {
    const writers = [start(kind, dir, 1000, 40), start(kind, dir, 2000, 40)]
    const all = Promise.all(writers.map(({ ended }) => ended))
    await Promise.any(writers.map(({ lines }) => once(lines, "line")))
    const store = openStore(kind, dir)
    const over = new AbortController()
    void all.then(() => over.abort())
    const seen = new Set<number>()
    while (!over.signal.aborted) {
      const counter = new Counter()
      await store.load("s", { counter }, { allowMissing: false })
      expect(counter.whole).toBe(true)
      seen.add(counter.count)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await all).toEqual(["", ""])
    const counter = new Counter()
    await store.load("s", { counter })
    expect([1039, 2039]).toContain(counter.count)
    expect(seen.size).toBeGreaterThan(1)
    if (kind === "json") expect(readdirSync(dir)).toEqual(["s.json"])
    await (store as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.()
  })
})
