import { ambient } from "@agentscope-ts/message"
import { stateError } from "../error.ts"
import { nodeBuiltin } from "./node-builtin.ts"

export type Database = import("node:sqlite").DatabaseSync

/** What makes the tables of one version out of those of the version before. */
const migrations: readonly string[] = [
  "CREATE TABLE agentscope_sessions (id TEXT PRIMARY KEY NOT NULL, snapshot TEXT NOT NULL, saved_at TEXT NOT NULL)",
]

// how long a call of SQLite itself waits for another process: short, for the event loop waits with it
const busyMs = 50
const mostAttempts = 120

/** Opens a database, and brings its tables up to date. */
export async function openDatabase(path: string): Promise<Database> {
  const sqlite = nodeBuiltin("node:sqlite") as typeof import("node:sqlite") | undefined
  if (sqlite === undefined) {
    const message =
      "SqliteSessionStore needs node:sqlite, which this runtime lacks: use Node 22.13 or newer, or a JsonSessionStore."
    throw stateError("unsupported_runtime", message)
  }
  if (path !== ":memory:") makeFile(path)
  const database = new sqlite.DatabaseSync(path)
  try {
    database.exec(`PRAGMA busy_timeout = ${busyMs}`)
    // readers and a writer do not wait for each other; a save is on the disk when it is answered
    await whenFree(() => database.exec("PRAGMA journal_mode = WAL"))
    database.exec("PRAGMA synchronous = FULL")
    await whenFree(() => migrate(database, path))
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** The file that SQLite opens, for this user alone: conversations are nobody else's business. */
function makeFile(file: string): void {
  const fs = nodeBuiltin("node:fs") as typeof import("node:fs")
  const path = nodeBuiltin("node:path") as typeof import("node:path")
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  fs.closeSync(fs.openSync(file, "a", 0o600))
}

/** A version of our own and not `user_version`: other tables may live in the same file. */
function migrate(database: Database, path: string): void {
  database.exec("BEGIN IMMEDIATE")
  try {
    database.exec(
      "CREATE TABLE IF NOT EXISTS agentscope_schema (part TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL)",
    )
    const row = database.prepare("SELECT version FROM agentscope_schema WHERE part = 'sessions'").get()
    const version = Number(row?.["version"] ?? 0)
    if (version > migrations.length) {
      const message = `The sessions in ${path} have tables of version ${version}, and this program knows versions up to ${migrations.length}. Update @agentscope-ts/state.`
      throw stateError("unsupported_version", message, { details: { file: path, version } })
    }
    for (const migration of migrations.slice(version)) database.exec(migration)
    const note =
      "INSERT INTO agentscope_schema VALUES ('sessions', ?) ON CONFLICT (part) DO UPDATE SET version = excluded.version"
    if (version < migrations.length) database.prepare(note).run(migrations.length)
    database.exec("COMMIT")
  } catch (error) {
    database.exec("ROLLBACK")
    throw error
  }
}

/** Tries again for about ten seconds while another process holds the database. */
export async function whenFree<T>(work: () => T): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || attempt === mostAttempts) throw error
      await ambient().sleep(Math.min(2 * attempt, 50))
    }
  }
}

// the upper bits say more
const resultCode = (error: unknown): number => Number((error as { errcode?: unknown } | null)?.errcode) & 0xff

// SQLITE_BUSY and SQLITE_LOCKED
const isBusy = (error: unknown): boolean => [5, 6].includes(resultCode(error))

/** Whether the file is no database, or a broken one: SQLITE_CORRUPT and SQLITE_NOTADB. */
export const isDamaged = (error: unknown): boolean => [11, 26].includes(resultCode(error))
