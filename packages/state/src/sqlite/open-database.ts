import { ambient } from "@agentscope-ts/message"
import { stateError } from "../error.ts"
import { nodeBuiltin } from "../session/node-builtin.ts"

export type Database = import("node:sqlite").DatabaseSync

/** Tables that a part of the system keeps; other parts may have theirs in the same file. */
export interface DatabasePart {
  /** The name of the part, under which the version of its tables is kept: `sessions`. */
  readonly name: string
  /** Statements that make the tables of one version out of those of the version before. */
  readonly migrations: readonly string[]
  /** Who keeps the tables, and in which package: for messages. */
  readonly keeper: string
  readonly packageName: string
}

// how long a call of SQLite itself waits for another process: short, for the event loop waits with it
const busyMs = 2
/** How long a database that another process holds is waited for. */
export const patienceMs = 10_000

/**
 * Opens a database (`:memory:`, or a file that is made for this user of the machine alone, with its folders), and brings the
 * tables of `part` up to date. Readers and a writer do not wait for each other, and what was written is on the disk.
 * @throws AgentScopeError `unsupported_runtime` where there is no `node:sqlite`, `unsupported_version` when a newer program
 * wrote the tables; what SQLite itself throws.
 */
export async function openDatabase(
  path: string,
  part: DatabasePart,
  until = ambient().now() + patienceMs,
): Promise<Database> {
  const sqlite = nodeBuiltin("node:sqlite") as typeof import("node:sqlite") | undefined
  if (sqlite === undefined) {
    const message = `${part.keeper} needs node:sqlite, which this runtime lacks: use Node 22.13 or newer, or a store of another kind.`
    throw stateError("unsupported_runtime", message)
  }
  if (path !== ":memory:") makeFile(path)
  const database = new sqlite.DatabaseSync(path)
  try {
    database.exec(`PRAGMA busy_timeout = ${busyMs}`)
    await whenFree(() => database.exec("PRAGMA journal_mode = WAL"), undefined, until)
    database.exec("PRAGMA synchronous = FULL")
    await whenFree(() => transaction(database, () => migrate(database, path, part)), undefined, until)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function makeFile(file: string): void {
  const fs = nodeBuiltin("node:fs") as typeof import("node:fs")
  const path = nodeBuiltin("node:path") as typeof import("node:path")
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  fs.closeSync(fs.openSync(file, "a", 0o600))
}

/** A version of our own and not `user_version`, which is one for all parts. */
function migrate(database: Database, path: string, { name, migrations, packageName }: DatabasePart): void {
  database.exec(
    "CREATE TABLE IF NOT EXISTS agentscope_schema (part TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL)",
  )
  const row = database.prepare("SELECT version FROM agentscope_schema WHERE part = ?").get(name)
  const version = Number(row?.["version"] ?? 0)
  if (version > migrations.length) {
    const message = `The ${name} in ${path} have tables of version ${version}, and this program knows versions up to ${migrations.length}. Update ${packageName}.`
    throw stateError("unsupported_version", message, { details: { file: path, version } })
  }
  for (const migration of migrations.slice(version)) database.exec(migration)
  const note = "INSERT INTO agentscope_schema VALUES (?, ?) ON CONFLICT (part) DO UPDATE SET version = excluded.version"
  if (version < migrations.length) database.prepare(note).run(name, migrations.length)
}

/** All of the work, or none of it; `DEFERRED` for work that only reads, which no writer keeps waiting. */
export function transaction<T>(database: Database, work: () => T, kind: "IMMEDIATE" | "DEFERRED" = "IMMEDIATE"): T {
  database.exec(`BEGIN ${kind}`)
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

/** Tries again until then (ten seconds from now) while another process holds the database. */
export async function whenFree<T>(
  work: () => T,
  signal?: AbortSignal,
  until = ambient().now() + patienceMs,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return work()
    } catch (error) {
      const left = until - ambient().now()
      if (!isBusy(error) || left <= 0) throw error
      await ambient().sleep(Math.min(2 * attempt, 25, left), signal)
    }
  }
}

// the upper bits say more
const resultCode = (error: unknown): number => Number((error as { errcode?: unknown } | null)?.errcode) & 0xff

/** Whether another process held the database: SQLITE_BUSY and SQLITE_LOCKED. */
export const isBusy = (error: unknown): boolean => [5, 6].includes(resultCode(error))

/** Whether the file is no database, or a broken one: SQLITE_CORRUPT and SQLITE_NOTADB. */
export const isDamaged = (error: unknown): boolean => [11, 26].includes(resultCode(error))

/** What to do about a failure: for the end of a message. */
export const adviceFor = (error: unknown): string =>
  isBusy(error)
    ? ". Another connection has held the database for ten seconds: try again, and look for a transaction that was left open."
    : ""
