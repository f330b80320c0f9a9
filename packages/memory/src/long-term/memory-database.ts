import { ambient } from "@agentscope-ts/message"
import { memoryError } from "../error.ts"

export type Database = import("node:sqlite").DatabaseSync

/** What makes the tables of one version out of those of the version before. */
const migrations: readonly string[] = [
  // `owner` in the index stands for the user: a search reads the postings of one user alone
  `CREATE TABLE agentscope_memories (
    key INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL,
    user_id TEXT NOT NULL, agent_id TEXT NOT NULL, session_id TEXT NOT NULL,
    digest TEXT NOT NULL, content TEXT NOT NULL, metadata TEXT NOT NULL, created_at TEXT NOT NULL,
    touched INTEGER NOT NULL, embedder TEXT, vector BLOB,
    UNIQUE (user_id, agent_id, session_id, digest)
  );
  CREATE INDEX agentscope_memories_age ON agentscope_memories (user_id, touched, key);
  CREATE INDEX agentscope_memories_embedder ON agentscope_memories (user_id, embedder, key);
  CREATE VIRTUAL TABLE agentscope_memory_index USING fts5 (
    owner, content, content='', contentless_delete=1, tokenize='porter ascii'
  )`,
]

// how long a call of SQLite itself waits for another process: short, for the event loop waits with it
const busyMs = 50
const mostAttempts = 120

/** A Node built-in, loaded in the call that needs it; `undefined` where there is none. */
const nodeBuiltin = (name: string): unknown => globalThis.process?.getBuiltinModule?.(name)

/** The path as it is at this moment, whatever the working directory is later. */
export function absolutePath(path: string): string {
  const paths = nodeBuiltin("node:path") as typeof import("node:path") | undefined
  return path === ":memory:" ? path : (paths?.resolve(path) ?? path)
}

/** A text of fixed length that stands for this one. */
export function digestOf(text: string): string {
  const crypto = nodeBuiltin("node:crypto") as typeof import("node:crypto")
  return crypto.createHash("sha256").update(text).digest("hex")
}

/** Opens a database, and brings its tables up to date. */
export async function openDatabase(path: string): Promise<Database> {
  const sqlite = nodeBuiltin("node:sqlite") as typeof import("node:sqlite") | undefined
  if (sqlite === undefined) {
    const message =
      "SqliteLongTermMemory needs node:sqlite, which this runtime lacks: use Node 22.13 or newer, or a long-term memory of another kind."
    throw memoryError("unsupported_runtime", message)
  }
  if (path !== ":memory:") makeFile(path)
  const database = new sqlite.DatabaseSync(path)
  try {
    database.exec(`PRAGMA busy_timeout = ${busyMs}`)
    // readers and a writer do not wait for each other; what was recorded is on the disk when that is answered
    await whenFree(() => database.exec("PRAGMA journal_mode = WAL"))
    database.exec("PRAGMA synchronous = FULL")
    await whenFree(() => transaction(database, () => migrate(database, path)))
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** The file that SQLite opens, for this user of the machine alone: memories are nobody else's business. */
function makeFile(file: string): void {
  const fs = nodeBuiltin("node:fs") as typeof import("node:fs")
  const path = nodeBuiltin("node:path") as typeof import("node:path")
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  fs.closeSync(fs.openSync(file, "a", 0o600))
}

/** A version of our own and not `user_version`: other tables, such as those of sessions, may live in the same file. */
function migrate(database: Database, path: string): void {
  database.exec(
    "CREATE TABLE IF NOT EXISTS agentscope_schema (part TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL)",
  )
  const row = database.prepare("SELECT version FROM agentscope_schema WHERE part = 'memories'").get()
  const version = Number(row?.["version"] ?? 0)
  if (version > migrations.length) {
    const message = `The memories in ${path} have tables of version ${version}, and this program knows versions up to ${migrations.length}. Update @agentscope-ts/memory.`
    throw memoryError("unsupported_version", message, { details: { file: path, version } })
  }
  for (const migration of migrations.slice(version)) database.exec(migration)
  const note =
    "INSERT INTO agentscope_schema VALUES ('memories', ?) ON CONFLICT (part) DO UPDATE SET version = excluded.version"
  if (version < migrations.length) database.prepare(note).run(migrations.length)
}

/** All of the work, or none of it. */
export function transaction<T>(database: Database, work: () => T): T {
  database.exec("BEGIN IMMEDIATE")
  try {
    const result = work()
    database.exec("COMMIT")
    return result
  } catch (error) {
    // SQLite itself gives up the transaction on some failures
    if (database.isTransaction) database.exec("ROLLBACK")
    throw error
  }
}

/** Tries again for about six seconds while another process holds the database. */
export async function whenFree<T>(work: () => T, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || attempt === mostAttempts) throw error
      await ambient().sleep(Math.min(2 * attempt, 50), signal)
    }
  }
}

// the upper bits say more
const resultCode = (error: unknown): number => Number((error as { errcode?: unknown } | null)?.errcode) & 0xff

// SQLITE_BUSY and SQLITE_LOCKED
const isBusy = (error: unknown): boolean => [5, 6].includes(resultCode(error))

/** Whether the file is no database, or a broken one: SQLITE_CORRUPT and SQLITE_NOTADB. */
export const isDamaged = (error: unknown): boolean => [11, 26].includes(resultCode(error))
