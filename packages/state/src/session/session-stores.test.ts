import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { AgentScopeError, replaceAmbient } from "@agentscope-ts/message"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { Counter } from "../fixtures/counter.ts"
import { JsonSessionStore, MemorySessionStore, type Modules, SqliteSessionStore, StateModule } from "../index.ts"

let dir = ""
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "sessions-"))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dir, { recursive: true })
})

const counterOf = (count: number) => {
  const counter = new Counter()
  counter.set(count)
  return counter
}
const failure = async (asked: Promise<unknown>) => {
  const error: unknown = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (AgentScopeError.is(error)) return error
  throw new Error(`no error of ours: ${String(error)}`)
}

const damages: [string, (text: string) => string, string, RegExp][] = [
  ["cut off", (text) => text.slice(0, text.length / 2), "corrupted_session", /not valid JSON/],
  ["empty", () => "", "corrupted_session", /not valid JSON/],
  ["a list", () => "[]", "corrupted_session", /no JSON object/],
  ["null", () => "null", "corrupted_session", /no JSON object/],
  ["some other JSON", () => '{"a":1}', "corrupted_session", /not marked as a session/],
  ["of another id", (text) => text.replace('"id":"s"', '"id":"t"'), "corrupted_session", /it is the session "t"/],
  ["without modules", (text) => text.replace('"modules"', '"moduls"'), "corrupted_session", /modules are missing/],
  [
    "of a newer version",
    (text) => text.replace('"version":1', '"version":3'),
    "unsupported_version",
    /version 3 .*up to 2/,
  ],
  ["of another kind of module", (text) => text.replace('"count":', '"kount":'), "invalid_state", /counter\.count/],
]

describe("what cannot be loaded is an error that names the session and its place, and changes nothing", () => {
  test.each(damages)("in a file: %s", async (_, damage, code, message) => {
    const store = new JsonSessionStore({ dir })
    await store.save("s", { counter: counterOf(3) })
    const file = join(dir, "s.json")
    writeFileSync(file, damage(readFileSync(file, "utf8")))
    const counter = counterOf(7)
    const error = await failure(store.load("s", { counter }, { strict: true }))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(error.message).toContain(`"s" (file ${file})`)
    expect(error.details).toMatchObject({ id: "s", where: `file ${file}` })
    expect(counter.count).toBe(7)
    // the next save puts it right
    await store.save("s", { counter })
    expect(await store.load("s", { counter })).toBe(true)
  })

  test.each(damages)("in a database: %s", async (_, damage, code, message) => {
    const path = join(dir, "s.db")
    await using store = new SqliteSessionStore({ path })
    await store.save("s", { counter: counterOf(3) })
    const database = new DatabaseSync(path)
    const row = database.prepare("SELECT snapshot FROM agentscope_sessions").get()
    database.prepare("UPDATE agentscope_sessions SET snapshot = ?").run(damage(String(row?.["snapshot"])))
    database.close()
    const counter = counterOf(7)
    const error = await failure(store.load("s", { counter }))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(error.message).toContain(`"s" (database ${path})`)
    expect(counter.count).toBe(7)
  })

  test("a file that is no database, or a broken one", async () => {
    const path = join(dir, "s.db")
    writeFileSync(path, "no database at all, whatever its name says".repeat(100))
    await using store = new SqliteSessionStore({ path })
    for (const asked of [store.save("s", {}), store.load("s", {}), store.delete("s"), store.list()]) {
      const error = await failure(asked)
      expect(error.code).toBe("corrupted_session")
      expect(error.message).toContain(path)
    }
    rmSync(path)
    await store.save("s", {})
  })
})

describe("files", () => {
  test("are readable for their owner alone, and the folder is made", async () => {
    const store = new JsonSessionStore({ dir: join(dir, "a/b") })
    expect(await store.list()).toEqual([])
    expect(await store.load("s", {})).toBe(false)
    await store.save("s", { counter: counterOf(1) })
    expect(statSync(join(dir, "a/b/s.json")).mode & 0o777).toBe(0o600)
    expect(statSync(join(dir, "a")).mode & 0o777).toBe(0o700)
  })

  test("of others in the folder are no sessions, and stay", async () => {
    for (const name of ["README.md", "Notes.json", ".session-1.tmp", "x.json.bak"]) writeFileSync(join(dir, name), "{}")
    writeFileSync(join(dir, `${"x".repeat(100)}=${"0".repeat(64)}.json`), '{"format":"agentscope-session"')
    mkdirSync(join(dir, "sub.json.d"))
    const store = new JsonSessionStore({ dir })
    await store.save("s", {})
    expect(await store.list()).toEqual(["s"])
    expect(readdirSync(dir)).toHaveLength(7)
  })

  test("that killed writers left behind are removed by the next store that saves, once they are old", async () => {
    const [old, young] = [join(dir, ".session-old.tmp"), join(dir, ".session-young.tmp")]
    for (const file of [old, young]) writeFileSync(file, "half")
    const hours = Date.now() / 1000 - 2 * 3600
    utimesSync(old, hours, hours)
    await new JsonSessionStore({ dir }).save("s", {})
    expect(readdirSync(dir).toSorted()).toEqual([".session-young.tmp", "s.json"])
  })

  test("that cannot be written or read are an error with the cause, and nothing is left behind", async () => {
    mkdirSync(join(dir, "s.json"))
    mkdirSync(join(dir, "s.json/x"))
    const store = new JsonSessionStore({ dir })
    for (const asked of [store.save("s", {}), store.load("s", {}), store.delete("s")]) {
      const error = await failure(asked)
      expect(error.code).toBe("session_failed")
      expect(error.message).toContain(join(dir, "s.json"))
      expect(error.cause).toBeInstanceOf(Error)
    }
    expect(readdirSync(dir)).toEqual(["s.json"])
    const under = new JsonSessionStore({ dir: join(dir, "file/below") })
    writeFileSync(join(dir, "file"), "")
    for (const asked of [under.save("s", {}), under.load("s", {}), under.list()]) {
      expect((await failure(asked)).code).toBe("session_failed")
    }
  })

  test("lie where the folder was when the store was made", async () => {
    const before = process.cwd()
    const store = new JsonSessionStore({ dir: "sessions-relative" })
    expect((await failure(store.load("s", {}, { allowMissing: false }))).message).toContain(
      join(before, "sessions-relative", "s.json"),
    )
  })
})

describe("a database", () => {
  test("is opened with the first call, beside other tables, and readable for its owner alone", async () => {
    const path = join(dir, "a/b/s.db")
    await using store = new SqliteSessionStore({ path })
    expect(readdirSync(dir)).toEqual([])
    await store.save("s", { counter: counterOf(1) })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const database = new DatabaseSync(path)
    database.exec("CREATE TABLE other (x); PRAGMA user_version = 99")
    expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" })
    expect(database.prepare("SELECT * FROM agentscope_schema").all()).toEqual([{ part: "sessions", version: 2 }])
    database.close()
    await using other = new SqliteSessionStore({ path })
    expect(await other.list()).toEqual(["s"])
  })

  test("with tables of a newer version is refused and left as it is", async () => {
    const path = join(dir, "s.db")
    {
      await using store = new SqliteSessionStore({ path })
      await store.save("s", {})
    }
    const database = new DatabaseSync(path)
    database.exec("UPDATE agentscope_schema SET version = 3")
    await using store = new SqliteSessionStore({ path })
    const error = await failure(store.save("s", {}))
    expect(error.code).toBe("unsupported_version")
    expect(error.message).toContain(path)
    database.exec("UPDATE agentscope_schema SET version = 2")
    database.close()
    expect(await store.list()).toEqual(["s"])
  })

  test("that another one holds is waited for", async () => {
    const path = join(dir, "s.db")
    await using store = new SqliteSessionStore({ path })
    await store.save("s", { counter: counterOf(1) })
    const database = new DatabaseSync(path)
    database.exec("BEGIN IMMEDIATE")
    const saving = store.save("s", { counter: counterOf(2) })
    const counter = new Counter()
    await using reader = new SqliteSessionStore({ path })
    setTimeout(() => database.exec("COMMIT"), 150)
    await saving
    await reader.load("s", { counter })
    expect(counter.count).toBe(2)
    database.close()
  })

  test("that many open for the first time at once is made once", async () => {
    const stores = Array.from({ length: 8 }, () => new SqliteSessionStore({ path: join(dir, "s.db") }))
    await Promise.all(stores.map((store, i) => store.save(`s${i}`, { counter: counterOf(i) })))
    expect(await stores[0]?.list()).toHaveLength(8)
    for (const store of stores) await store.close()
  })

  test("is closed after what was asked for, for good, with no file of SQLite's left beside it", async () => {
    const store = new SqliteSessionStore({ path: join(dir, "s.db") })
    const counter = new Counter()
    const asked = [store.save("s", { counter: counterOf(5) }), store.load("s", { counter }), store.list()]
    await store.close()
    await Promise.all(asked)
    expect(counter.count).toBe(5)
    expect(readdirSync(dir)).toEqual(["s.db"])
    for (const late of [store.save("s", {}), store.load("s", {}), store.delete("s"), store.list()]) {
      expect((await failure(late)).code).toBe("store_closed")
    }
    await store.close()
    await new SqliteSessionStore({ path: join(dir, "t.db") }).close()
    expect(readdirSync(dir)).toEqual(["s.db"])
  })

  test("whose folder cannot be made is an error with the cause", async () => {
    writeFileSync(join(dir, "file"), "")
    await using store = new SqliteSessionStore({ path: join(dir, "file/s.db") })
    const error = await failure(store.save("s", {}))
    expect(error.code).toBe("session_failed")
    expect(error.cause).toBeInstanceOf(Error)
  })
})

test("a runtime without files or SQLite is told what would do, and memory works there", async () => {
  const builtin = process.getBuiltinModule.bind(process)
  vi.spyOn(process, "getBuiltinModule").mockImplementation((name: string) =>
    name === "node:sqlite" ? undefined : builtin(name),
  )
  const sqlite = new SqliteSessionStore({ path: join(dir, "s.db") })
  const error = await failure(sqlite.save("s", {}))
  expect(error.code).toBe("unsupported_runtime")
  expect(error.message).toContain("node:sqlite")
  vi.stubGlobal("process", undefined)
  try {
    const json = new JsonSessionStore({ dir: "x" })
    for (const asked of [
      json.save("s", {}),
      json.load("s", {}),
      json.list(),
      new SqliteSessionStore({ path: "x" }).list(),
    ]) {
      expect((await failure(asked)).code).toBe("unsupported_runtime")
    }
    const memory = new MemorySessionStore()
    await memory.save("s", { counter: counterOf(2) })
    expect(await memory.list()).toEqual(["s"])
  } finally {
    vi.unstubAllGlobals()
  }
})

test("a store without its place is refused", () => {
  for (const make of [
    () => new JsonSessionStore({} as never),
    () => new JsonSessionStore({ dir: "" }),
    () => new SqliteSessionStore({} as never),
    () => new SqliteSessionStore({ path: "" }),
  ]) {
    expect(make).toThrow(expect.objectContaining({ code: "invalid_argument" }))
  }
})

test("names and options that cannot be are refused by every store", async () => {
  const refused = { code: "invalid_argument" }
  for (const store of [new MemorySessionStore(), new JsonSessionStore({ dir: "unused" })]) {
    for (const name of ["__proto__", "stateDict", "loadStateDict", "registerState"]) {
      const modules = Object.defineProperty({}, name, { value: new Plain(), enumerable: true }) as Modules
      await expect(store.save("a", modules)).rejects.toMatchObject(refused)
    }
    await expect(store.load("a", {}, { allowMising: false } as never)).rejects.toMatchObject(refused)
    await expect(store.load("a", {}, null as never)).rejects.toMatchObject(refused)
  }
  for (const Store of [JsonSessionStore, SqliteSessionStore]) {
    expect(() => new Store(undefined as never)).toThrow(expect.objectContaining(refused))
  }
})

class Plain extends StateModule {}

test("a value that is no JSON keeps the last save", async () => {
  const store = new MemorySessionStore()
  await store.save("s", { counter: counterOf(1) })
  const counter = counterOf(2)
  Object.assign(counter, { count: 10n })
  expect((await failure(store.save("s", { counter }))).code).toBe("invalid_argument")
  await store.load("s", { counter })
  expect(counter.count).toBe(1)
})

describe("a database whose file was deleted while it was open", () => {
  const remove = (path: string) => {
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true })
  }

  test("is made anew by a whole save, and what was in it is gone", async () => {
    const path = join(dir, "s.db")
    await using store = new SqliteSessionStore({ path })
    await store.save("a", { counter: counterOf(1) })
    remove(path)
    await Promise.all([store.save("b", { counter: counterOf(2) }), store.save("c", { counter: counterOf(3) })])
    expect(await store.list()).toEqual(["b", "c"])
    await using other = new SqliteSessionStore({ path })
    expect(await other.list()).toEqual(["b", "c"])
  })

  test("tells an open session that it was deleted, and that of another file in its place", async () => {
    const path = join(dir, "s.db")
    await using store = new SqliteSessionStore({ path })
    const session = await store.open("a")
    const counter = counterOf(1)
    await session.save({ counter })
    remove(path)
    await using other = new SqliteSessionStore({ path })
    await other.save("z", {})
    counter.set(2)
    const error = await failure(session.save({ counter }))
    expect(error.code).toBe("session_not_found")
    expect(error.message).toMatch(/deleted.*Open it again.*agent\.restore\(\)/)
    expect(await store.list()).toEqual(["z"])
  })
})

test("a database that stays busy is given up after ten seconds, with what to do, in attempts of milliseconds", async () => {
  const path = join(dir, "s.db")
  await using store = new SqliteSessionStore({ path })
  await store.save("s", { counter: counterOf(1) })
  const database = new DatabaseSync(path)
  database.exec("BEGIN IMMEDIATE")
  let now = 0
  let longest = 0
  let since = performance.now()
  const restore = replaceAmbient({
    now: () => now,
    sleep: async (ms) => {
      longest = Math.max(longest, performance.now() - since)
      now += ms
      await new Promise((resolve) => setImmediate(resolve))
      since = performance.now()
    },
  })
  try {
    // one that has it open, and one that has to open it first
    for (const asked of [store, new SqliteSessionStore({ path })]) {
      now = 0
      const errors = await Promise.all(["a", "b", "c"].map((id) => failure(asked.save(id, {}))))
      for (const error of errors) {
        expect(error).toMatchObject({ code: "session_failed", retryable: true })
        expect(error.message).toMatch(/locked.*try again/)
      }
      expect(now).toBe(10_000)
      if (asked !== store) await asked.close()
    }
    expect(longest).toBeLessThan(40)
  } finally {
    restore()
    database.close()
  }
})
