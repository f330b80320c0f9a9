import { AgentScopeError, isoNow } from "@agentscope-ts/message"
import { stateError } from "../error.ts"
import { nodeBuiltin } from "./node-builtin.ts"
import type { LoggedText, SessionLog } from "./session-log.ts"
import { type SnapshotOptions, SnapshotStore } from "./snapshot-store.ts"
import { DatabaseFile } from "../sqlite/database-file.ts"
import { adviceFor, type Database, type DatabasePart, isBusy, isDamaged, transaction } from "../sqlite/open-database.ts"

const sessions: DatabasePart = {
  name: "sessions",
  migrations: [
    "CREATE TABLE agentscope_sessions (id TEXT PRIMARY KEY NOT NULL, snapshot TEXT NOT NULL, saved_at TEXT NOT NULL)",
    `ALTER TABLE agentscope_sessions ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
     CREATE TABLE agentscope_session_lines (
       id TEXT NOT NULL, revision INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (id, revision))`,
  ],
  keeper: "SqliteSessionStore",
  packageName: "@agentscope-ts/state",
}

// as it was when the program began: tests put their own clocks in its place
const later = globalThis.setImmediate

/** A write, which says whom to tell of what came of it. */
interface Write {
  readonly id: string
  readonly work: (database: Database) => readonly [resolve: (value: unknown) => void, value: unknown]
  readonly reject: (error: unknown) => void
}

const put = `INSERT INTO agentscope_sessions (id, snapshot, saved_at, revision) VALUES (?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET snapshot = excluded.snapshot, saved_at = excluded.saved_at, revision = excluded.revision`

/**
 * Sessions in an SQLite database, with `node:sqlite`. Any number of processes may share the file. It is opened with the first
 * call; `":memory:"` lives as long as the store. `await using`, or `close()`, closes it.
 */
export class SqliteSessionStore extends SnapshotStore {
  readonly #path: string
  readonly #database: DatabaseFile
  #closed = false
  /** What is to be written next. */
  #writes: Write[] | undefined

  /** @throws AgentScopeError `invalid_argument` without a path. */
  constructor(options: { path: string } & SnapshotOptions) {
    super(options)
    const path = (options as { readonly path?: unknown } | undefined)?.path
    if (typeof path !== "string" || path === "") {
      throw stateError(
        "invalid_argument",
        'SqliteSessionStore needs the file of its database: { path }, or ":memory:".',
      )
    }
    const paths = nodeBuiltin("node:path") as typeof import("node:path") | undefined
    this.#path = path === ":memory:" ? path : (paths?.resolve(path) ?? path)
    this.#database = new DatabaseFile(this.#path, sessions)
  }

  protected override async read(id: string): Promise<string | undefined> {
    return (await this.#read(id))?.text
  }

  protected override async write(id: string, text: string): Promise<void> {
    await this.#write(id, (database) => replace(database, id, text))
  }

  protected override async erase(id: string): Promise<boolean> {
    const { changes } = await this.#ask(`The session "${id}" could not be deleted`, (database) =>
      transaction(database, () => {
        database.prepare("DELETE FROM agentscope_session_lines WHERE id = ?").run(id)
        return database.prepare("DELETE FROM agentscope_sessions WHERE id = ?").run(id)
      }),
    )
    return Number(changes) > 0
  }

  protected override get log(): SessionLog {
    return {
      read: (id) => this.#read(id),
      replace: (id, text, revision) =>
        this.#write(id, (database) =>
          revisionOf(database, id) === revision ? replace(database, id, text) : undefined,
        ),
      append: (id, line, revision) =>
        this.#write(id, (database) => (revisionOf(database, id) === revision ? append(database, id, line) : undefined)),
    }
  }

  #read(id: string): Promise<LoggedText | undefined> {
    return this.#ask(`The session "${id}" could not be read`, (database) =>
      // the snapshot and its lines as they are at one moment
      transaction(
        database,
        () => {
          const row = database.prepare("SELECT snapshot FROM agentscope_sessions WHERE id = ?").get(id)
          if (row === undefined) return undefined
          const of = "SELECT line FROM agentscope_session_lines WHERE id = ? AND line <> '' ORDER BY revision"
          const lines = database.prepare(of).all(id)
          const text = [row["snapshot"], ...lines.map(({ line }) => line)].join("\n")
          return { text, revision: revisionOf(database, id) as string }
        },
        "DEFERRED",
      ),
    )
  }

  /** Writes that are asked for in one go share a transaction, as bringing it to the disk is what takes time. */
  #write<T>(id: string, work: (database: Database) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const entry = { id, work: (database: Database) => [resolve, work(database)] as const, reject }
      if (this.#writes) this.#writes.push(entry as unknown as Write)
      else void this.#writeAll((this.#writes = [entry as unknown as Write]))
    })
  }

  async #writeAll(writes: readonly Write[]): Promise<void> {
    // until whoever else is about to write has asked, too
    await new Promise<void>((resolve) => later(resolve))
    this.#writes = undefined
    try {
      const [first] = writes
      const what = writes.length > 1 ? "Sessions could not be saved" : `The session "${first?.id}" could not be saved`
      const done = await this.#ask(what, (database) =>
        transaction(database, () => writes.map(({ work }) => work(database))),
      )
      for (const [resolve, value] of done) resolve(value)
    } catch (error) {
      // one of them may have spoilt it for the others
      if (writes.length > 1 && !isRetryable(error)) for (const write of writes) await this.#writeAll([write])
      else for (const { reject } of writes) reject(error)
    }
  }

  protected override async ids(): Promise<Iterable<string>> {
    const rows = await this.#ask("The sessions could not be listed", (database) =>
      database.prepare("SELECT id FROM agentscope_sessions").all(),
    )
    return rows.map((row) => row["id"] as string)
  }

  protected override whereIs(): string {
    return `database ${this.#path}`
  }

  /** Closes the database once what was asked for is done. Later calls reject with `store_closed`. */
  async close(): Promise<void> {
    this.#closed = true
    await this.settled()
    await this.#database.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #ask<T>(what: string, work: (database: Database) => T): Promise<T> {
    try {
      return await this.#database.run(work)
    } catch (cause) {
      if (AgentScopeError.is(cause)) throw cause
      const reason = cause instanceof Error ? cause.message : String(cause)
      const message = `${what} (database ${this.#path}): ${reason}${adviceFor(cause)}`
      throw stateError(isDamaged(cause) ? "corrupted_session" : "session_failed", message, {
        cause,
        details: { file: this.#path },
        retryable: isBusy(cause),
      })
    }
  }

  protected override checkOpen(): void {
    if (this.#closed)
      throw stateError("store_closed", `The session store of ${this.#path} is closed: make another one.`)
  }
}

const isRetryable = (error: unknown): boolean => AgentScopeError.is(error) && error.retryable

/** In the last line, as whatever stands in the row of a long snapshot takes time in proportion to that. */
function revisionOf(database: Database, id: string): string | undefined {
  const last = "SELECT revision FROM agentscope_session_lines WHERE id = ? ORDER BY revision DESC LIMIT 1"
  const row =
    database.prepare(last).get(id) ?? database.prepare("SELECT revision FROM agentscope_sessions WHERE id = ?").get(id)
  return row && String(row["revision"])
}

function replace(database: Database, id: string, text: string): string {
  // by chance, so that a session that was deleted and made anew has none of the revisions that it had
  const revision = Math.floor(Math.random() * 2 ** 48)
  database.prepare("DELETE FROM agentscope_session_lines WHERE id = ?").run(id)
  database.prepare(put).run(id, text, isoNow(), revision)
  return addLine(database, id, revision, "")
}

const append = (database: Database, id: string, line: string): string =>
  addLine(database, id, Number(revisionOf(database, id)) + 1, line)

function addLine(database: Database, id: string, revision: number, line: string): string {
  database.prepare("INSERT INTO agentscope_session_lines VALUES (?, ?, ?)").run(id, revision, line)
  return String(revision)
}
