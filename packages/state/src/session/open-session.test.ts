import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { AgentScopeError, type JsonObject } from "@agentscope-ts/message"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { JsonSessionStore, MemorySessionStore, openSession, SqliteSessionStore, StateModule } from "../index.ts"

let dir = ""
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "sessions-"))
})
afterEach(() => rmSync(dir, { recursive: true }))

class Talk extends StateModule {
  lines: readonly { readonly text: string }[] = []
  constructor() {
    super()
    this.registerState("lines", {
      save: () => [...this.lines],
      load: (lines) => {
        this.lines = lines
      },
    })
  }
  say(text: string): this {
    this.lines = [...this.lines, { text }]
    return this
  }
  get said(): string {
    return this.lines.map(({ text }) => text).join(" ")
  }
}
const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => "none",
    (error: unknown) => (AgentScopeError.is(error) ? error.code : String(error)),
  )
const saidIn = async (store: MemorySessionStore | JsonSessionStore | SqliteSessionStore, id = "s") => {
  const talk = new Talk()
  await store.load(id, { talk }, { allowMissing: false })
  return talk.said
}

describe("a file of an open session", () => {
  const file = () => join(dir, "s.json")

  test("grows by a line for each save that has something to say", async () => {
    const store = new JsonSessionStore({ dir })
    const session = await openSession(store, "s")
    const talk = new Talk().say("a")
    expect(await session.load({ talk })).toBe(false)
    await session.save({ talk })
    const first = readFileSync(file(), "utf8")
    await session.save({ talk })
    expect(readFileSync(file(), "utf8")).toBe(first)
    await session.save({ talk: talk.say("é") })
    expect(readFileSync(file(), "utf8")).toBe(
      `${first}\n{"changes":[{"at":["talk","lines"],"cut":[1,0],"add":[{"text":"é"}]}]}`,
    )
    expect(await saidIn(store)).toBe("a é")
  })

  test("whose last line was torn is what it was before that line, and goes on from there", async () => {
    const store = new JsonSessionStore({ dir })
    const session = await openSession(store, "s")
    const talk = new Talk().say("a")
    await session.save({ talk })
    await session.save({ talk: talk.say("b") })
    const whole = readFileSync(file())
    await session.save({ talk: talk.say("ü") })
    const length = readFileSync(file()).length
    for (let cut = whole.length; cut < length; cut++) {
      writeFileSync(file(), readFileSync(file()).subarray(0, cut))
      expect(await saidIn(store)).toBe("a b")
      const [again, other] = [await openSession(store, "s"), new Talk()]
      await again.load({ talk: other })
      await again.save({ talk: other.say("c") })
      expect(await saidIn(store)).toBe("a b c")
      await again.save({ talk: other.say("ü") })
      writeFileSync(
        file(),
        Buffer.concat([whole, Buffer.from(`\n{"changes":[{"at":["talk","lines"],"cut":[2,0],"add":[{"text":"ü"}]}]}`)]),
      )
    }
  })

  test("that is damaged before its last line is refused, with the line", async () => {
    const store = new JsonSessionStore({ dir })
    const session = await openSession(store, "s")
    const talk = new Talk()
    await session.save({ talk })
    for (const line of ['{"changes":[{"at":["x","y"],"set":1}]}', "{}", "[]", "5"]) {
      const before = readFileSync(file(), "utf8")
      appendFileSync(file(), `\n${line}`)
      expect(await codeOf(store.load("s", { talk }))).toBe("corrupted_session")
      expect(await codeOf(store.open("s"))).toBe("corrupted_session")
      writeFileSync(file(), before)
    }
    appendFileSync(file(), '\n{"cha\n{"changes":[]}')
    await expect(store.load("s", { talk })).rejects.toThrow(/line 2 is not valid JSON/)
  })

  test("that somebody laid out by hand still loads", async () => {
    const store = new JsonSessionStore({ dir })
    await (await openSession(store, "s")).save({ talk: new Talk().say("a") })
    writeFileSync(file(), JSON.stringify(JSON.parse(readFileSync(file(), "utf8")), null, 2))
    expect(await saidIn(store)).toBe("a")
  })

  test("from which no line could be written is as before, and the next save has what that one had", async () => {
    const store = new JsonSessionStore({ dir })
    const session = await openSession(store, "s")
    const talk = new Talk().say("a")
    await session.save({ talk })
    const handle = await import("node:fs/promises").then((fs) => fs.open(file()))
    const prototype = Object.getPrototypeOf(handle) as { datasync: () => Promise<void> }
    await handle.close()
    const { datasync } = prototype
    prototype.datasync = () => Promise.reject(Object.assign(new Error("no space left"), { code: "ENOSPC" }))
    const before = readFileSync(file(), "utf8")
    expect(await codeOf(session.save({ talk: talk.say("b") }))).toBe("session_failed")
    prototype.datasync = datasync
    expect(readFileSync(file(), "utf8")).toBe(before)
    await session.save({ talk: talk.say("c") })
    expect(await saidIn(store)).toBe("a b c")
  })
})

describe.each([
  ["memory", () => new MemorySessionStore()],
  ["a file", () => new JsonSessionStore({ dir })],
  ["a database", () => new SqliteSessionStore({ path: join(dir, "s.db") })],
])("in %s", (_, make) => {
  test("a long conversation is written about twice in all, and read in time of its length", async () => {
    const store = make()
    const session = await openSession(store, "s")
    const talk = new Talk()
    for (let i = 0; i < 400; i++) await session.save({ talk: talk.say(`${i} ${"x".repeat(1000)}`) })
    expect(await saidIn(store)).toBe(talk.said)
    await (store as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.()
  })

  test("saves that are asked for at once are written together, and none is missing", async () => {
    const store = make()
    const session = await openSession(store, "s")
    const talk = new Talk()
    await Promise.all(Array.from({ length: 50 }, (_, i) => session.save({ talk: talk.say(`${i}`) })))
    expect(await saidIn(store)).toBe(talk.said)
    await (store as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.()
  })
})

describe("migrations", () => {
  const rename = ({ chat, ...rest }: JsonObject): JsonObject => ({ ...rest, talk: chat! })
  const shout = ({ talk, ...rest }: JsonObject): JsonObject => {
    const lines = (talk as { lines: { text: string }[] }).lines.map(({ text }) => ({ text: text.toUpperCase() }))
    return { ...rest, talk: { lines } }
  }

  test("bring a session of an older version, or of none, up to date when it is loaded or opened", async () => {
    const path = join(dir, "s.db")
    await using old = new SqliteSessionStore({ path })
    await old.save("s", { chat: new Talk().say("a") })
    await old.save("t", { chat: new Talk().say("b") })
    await using store = new SqliteSessionStore({ path, migrations: [rename, shout] })
    expect(await saidIn(store)).toBe("A")
    const [session, talk] = [await store.open("t"), new Talk()]
    expect(await session.load({ talk })).toBe(true)
    await session.save({ talk: talk.say("c") })
    // and not once more
    expect(await saidIn(store, "t")).toBe("B c")
    await using newer = new SqliteSessionStore({ path, migrations: [rename, shout, (modules) => modules] })
    expect(await saidIn(newer, "t")).toBe("B c")
    // what a newer version of the program has saved is refused by an older one, whole or open
    expect(await codeOf(old.load("t", {}))).toBe("unsupported_version")
    expect(await codeOf(old.open("t"))).toBe("unsupported_version")
  })

  test("that fail leave everything as it was", async () => {
    const store = new JsonSessionStore({ dir })
    await store.save("s", { talk: new Talk().say("a") })
    const before = readFileSync(join(dir, "s.json"), "utf8")
    const bad = [
      () => {
        throw new TypeError("no chat")
      },
      () => 5 as never,
    ]
    for (const migration of bad) {
      const other = new JsonSessionStore({ dir, migrations: [migration] })
      await expect(other.load("s", { talk: new Talk() })).rejects.toThrow(/from version 0 to 1.*: (no chat|it gave no)/)
    }
    expect(readFileSync(join(dir, "s.json"), "utf8")).toBe(before)
    expect(() => new JsonSessionStore({ dir, migrations: [5 as never] })).toThrow(/list of functions/)
  })
})

describe("a database that several sessions are saved in at once", () => {
  test("has one that cannot be saved told alone, and that one is saved when it can be", async () => {
    const path = join(dir, "s.db")
    await using store = new SqliteSessionStore({ path })
    const talks = await Promise.all(
      ["good", "bad", "other"].map(async (id) => ({ id, session: await store.open(id), talk: new Talk().say(id) })),
    )
    const saveAll = () => Promise.all(talks.map(({ session, talk }) => codeOf(session.save({ talk }))))
    expect(await saveAll()).toEqual(["none", "none", "none"])
    const database = new DatabaseSync(path)
    database.exec(`CREATE TRIGGER full BEFORE INSERT ON agentscope_session_lines WHEN NEW.id = 'bad'
      BEGIN SELECT RAISE(ABORT, 'disk full'); END`)
    for (const { talk } of talks) talk.say("more")
    expect(await saveAll()).toEqual(["none", "session_failed", "none"])
    database.exec("DROP TRIGGER full")
    database.close()
    expect(await saveAll()).toEqual(["none", "none", "none"])
    for (const { id } of talks) expect(await saidIn(store, id)).toBe(`${id} more`)
  })

  test("tells each when nothing can be written, and when it is closed", async () => {
    const path = join(dir, "file", "s.db")
    writeFileSync(join(dir, "file"), "no folder")
    const store = new SqliteSessionStore({ path })
    expect(await Promise.all([codeOf(store.save("a", {})), codeOf(store.save("b", {}))])).toEqual([
      "session_failed",
      "session_failed",
    ])
    rmSync(join(dir, "file"))
    const session = await store.open("a")
    const saving = session.save({ talk: new Talk().say("a") })
    await store.close()
    expect(await codeOf(saving)).toBe("none")
    expect(await codeOf(session.save({ talk: new Talk() }))).toBe("store_closed")
  })
})

test("a database of the tables before is brought up to date, with its sessions", async () => {
  const path = join(dir, "s.db")
  const database = new DatabaseSync(path)
  database.exec(`CREATE TABLE agentscope_schema (part TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL);
    INSERT INTO agentscope_schema VALUES ('sessions', 1);
    CREATE TABLE agentscope_sessions (id TEXT PRIMARY KEY NOT NULL, snapshot TEXT NOT NULL, saved_at TEXT NOT NULL)`)
  const snapshot = {
    format: "agentscope-session",
    version: 1,
    id: "s",
    modules: { talk: { lines: [{ text: "old" }] } },
  }
  database.prepare("INSERT INTO agentscope_sessions VALUES ('s', ?, '')").run(JSON.stringify(snapshot))
  database.close()
  await using store = new SqliteSessionStore({ path })
  const [session, talk] = [await store.open("s"), new Talk()]
  await session.load({ talk })
  await session.save({ talk: talk.say("new") })
  expect(await saidIn(store)).toBe("old new")
})

test("a store that answers at once is opened too, and what is no store is refused", async () => {
  const saved: string[] = []
  const store = { save: (id: string) => void saved.push(id), load: () => false }
  const session = await openSession(store as never, "s")
  expect(await session.load({})).toBe(false)
  await Promise.all([session.save({}), session.save({})])
  expect(saved).toEqual(["s", "s"])
  for (const none of [undefined, {}]) expect(await codeOf(openSession(none as never, "s"))).toBe("invalid_argument")
})
