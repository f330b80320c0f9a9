import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  JsonSessionStore,
  type LoadOptions,
  MemorySessionStore,
  type Modules,
  SqliteSessionStore,
} from "@agentscope-ts/state"
import { describe, expect, test } from "vitest"
import { runSessionConformance, sessionConformanceChecks } from "./run-session-conformance.ts"

const folder = () => mkdtempSync(join(tmpdir(), "sessions-"))

runSessionConformance({
  name: "MemorySessionStore",
  create: () => new MemorySessionStore(),
})
runSessionConformance({
  name: "JsonSessionStore",
  create: () => {
    const dir = folder()
    return { open: () => new JsonSessionStore({ dir }), remove: () => rmSync(dir, { recursive: true }) }
  },
})
runSessionConformance({
  name: "SqliteSessionStore",
  create: () => {
    const dir = folder()
    const path = join(dir, "sessions.db")
    return { open: () => new SqliteSessionStore({ path }), remove: () => rmSync(dir, { recursive: true }) }
  },
})
runSessionConformance({
  name: "SqliteSessionStore in memory",
  create: () => new SqliteSessionStore({ path: ":memory:" }),
})

describe("the kit finds a store that", () => {
  const failing = async (create: () => MemorySessionStore): Promise<string[]> => {
    const checks = sessionConformanceChecks({ name: "broken", create })
    const failed: string[] = []
    for (const check of checks) await check.run().catch(() => failed.push(`${check.group} ${check.name}`))
    return failed
  }
  class LosesCase extends MemorySessionStore {
    protected override read(id: string) {
      return super.read(id.toLowerCase())
    }
    protected override write(id: string, text: string) {
      super.write(id.toLowerCase(), text)
    }
  }
  class Forgets extends MemorySessionStore {
    protected override write() {}
  }
  class NeverMissing extends MemorySessionStore {
    override async load(id: string, modules: Modules, options?: LoadOptions) {
      return (await super.load(id, modules, { ...options, allowMissing: true })) || true
    }
  }
  class Loads extends MemorySessionStore {
    override async load(id: string, modules: Modules, options?: LoadOptions) {
      let found = false
      for (const [name, module] of Object.entries(modules)) found = await super.load(id, { [name]: module }, options)
      return found
    }
  }
  class Late extends MemorySessionStore {
    override async save(id: string, modules: Modules) {
      await Promise.resolve()
      await super.save(id, modules)
    }
  }
  test.each([
    ["confuses ids", LosesCase, "an id of any kind"],
    ["forgets", Forgets, "a save is what another store restores"],
    ["finds what is not there", NeverMissing, "a load of a session that is not there answers false"],
    ["loads one module after the other", Loads, "a load restores all modules or none"],
    ["saves what comes later", Late, "a save holds what the modules were"],
  ])("%s", async (_, Store, check) => {
    const failed = await failing(() => new Store())
    expect(failed.some((name) => name.startsWith(check))).toBe(true)
  })
})
