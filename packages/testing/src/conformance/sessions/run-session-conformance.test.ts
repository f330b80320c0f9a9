import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  JsonSessionStore,
  type LoadOptions,
  MemorySessionStore,
  type Modules,
  type OpenSession,
  type SessionStore,
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

/** A store of somebody else, that only saves whole. */
class Whole implements SessionStore {
  readonly #store = new MemorySessionStore()
  save = (id: string, modules: Modules) => this.#store.save(id, modules)
  load = (id: string, modules: Modules, options?: LoadOptions) => this.#store.load(id, modules, options)
  delete = (id: string) => this.#store.delete(id)
  list = () => this.#store.list()
}
runSessionConformance({ name: "a store without open", create: () => new Whole() })

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
  class Overwrites extends MemorySessionStore {
    protected override get log() {
      const { read, replace, append } = super.log
      const at = async (id: string) => (await read(id))?.revision
      return {
        read,
        replace: async (id: string, text: string) => replace(id, text, await at(id)),
        append: async (id: string, line: string) => append(id, line, (await at(id)) ?? ""),
      }
    }
  }
  class Appends extends MemorySessionStore {
    override async open(id: string): Promise<OpenSession> {
      const session = await super.open(id)
      let first: Promise<void> | undefined
      return { load: (modules) => session.load(modules), save: (modules) => (first ??= session.save(modules)) }
    }
  }
  test.each([
    ["writes over what others wrote", Overwrites, "an open session loses it"],
    ["keeps the first save alone", Appends, "an open session saves step by step"],
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
