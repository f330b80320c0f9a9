import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, expect, test } from "vitest"
import { SqliteLongTermMemory } from "../index.ts"

const program = fileURLToPath(new URL("../fixtures/record-on.ts", import.meta.url))
const children = new Set<ChildProcess>()
let path = ""
let dir = ""
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "memories-"))
  path = join(dir, "memory.db")
})
afterEach(() => {
  for (const child of children) child.kill("SIGKILL")
  rmSync(dir, { recursive: true })
})

function start(...args: (string | number)[]) {
  const child = spawn(process.execPath, ["--conditions=@agentscope-ts/source", program, path, ...args.map(String)], {
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

const find = async (memory: SqliteLongTermMemory, query: string) =>
  (await memory.retrieve(query, { limit: 1000 })).map(({ content }) => content)

test("a process that is killed keeps what it said was recorded, and half a record never", {
  timeout: 120_000,
}, async () => {
  const kills = process.env["AGENTSCOPE_SOAK"] ? 100 : 10
  let from = 0
  for (let kill = 0; kill < kills; kill++) {
    const { child, ended, lines } = start("a", from)
    const after = from + 1 + Math.floor(Math.random() * 6)
    let told = -1
    lines.on("line", (line) => {
      told = Number(line)
      // at once, or a moment later, when the next one is under way
      if (told === after) setTimeout(() => child.kill("SIGKILL"), Math.random() * 6)
    })
    expect(await ended).toBe("")
    await using memory = new SqliteLongTermMemory({ path, scope: { userId: "a" } })
    for (let n = from; n <= told; n++) {
      expect(await find(memory, `fact${n}`)).toHaveLength(1)
      expect(await find(memory, `second${n}`)).toHaveLength(1)
    }
    for (const n of [told + 1, told + 2]) {
      expect((await find(memory, `fact${n}`)).length).toBe((await find(memory, `second${n}`)).length)
    }
    from = told + 3
  }
})

test("two processes that record at once keep everything of both, each its own, and a third reads meanwhile", {
  timeout: 60_000,
}, async () => {
  const times = 60
  const writers = [start("a", 0, times), start("a", 30, times), start("b", 0, times)]
  const all = Promise.all(writers.map(({ ended }) => ended))
  await Promise.any(writers.map(({ lines }) => once(lines, "line")))
  const over = new AbortController()
  void all.then(() => over.abort())
  await using memory = new SqliteLongTermMemory({ path, scope: { userId: "a" } })
  while (!over.signal.aborted) {
    for (const content of await find(memory, "fact1 fact2 of a")) expect(content).not.toContain("of b")
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await all).toEqual(["", "", ""])
  // 30 to 59 came from both and are kept once
  for (let n = 0; n < 90; n++) expect(await find(memory, `fact${n}`)).toEqual([`fact${n} of a`])
  expect(await memory.clear()).toBe(180)
  await using other = new SqliteLongTermMemory({ path, scope: { userId: "b" } })
  expect(await other.clear()).toBe(120)
})
