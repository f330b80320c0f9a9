import { AgentScopeError, isoNow } from "@agentscope-ts/message"
import { stateError } from "../error.ts"
import { nodeBuiltin } from "./node-builtin.ts"
import { SnapshotStore } from "./snapshot-store.ts"
import { type Database, type DatabasePart, isDamaged, openDatabase, whenFree } from "../sqlite/open-database.ts"

const sessions: DatabasePart = {
  name: "sessions",
  migrations: [
    "CREATE TABLE agentscope_sessions (id TEXT PRIMARY KEY NOT NULL, snapshot TEXT NOT NULL, saved_at TEXT NOT NULL)",
  ],
  keeper: "SqliteSessionStore",
  packageName: "@agentscope-ts/state",
}

/**
 * Sessions in an SQLite database, with `node:sqlite`. Any number of processes may share the file. It is opened with the first
 * call; `":memory:"` lives as long as the store. `await using`, or `close()`, closes it.
 */
export class SqliteSessionStore extends SnapshotStore {
  readonly #path: string
  #database: Promise<Database> | undefined
  #closed = false

  /** @throws AgentScopeError `invalid_argument` without a path. */
  constructor(options: { path: string }) {
    super()
    const path = (options as { readonly path?: unknown } | undefined)?.path
    if (typeof path !== "string" || path === "") {
      throw stateError(
        "invalid_argument",
        'SqliteSessionStore needs the file of its database: { path }, or ":memory:".',
      )
    }
    const paths = nodeBuiltin("node:path") as typeof import("node:path") | undefined
    this.#path = path === ":memory:" ? path : (paths?.resolve(path) ?? path)
  }

  protected override async read(id: string): Promise<string | undefined> {
    const row = await this.#ask(`The session "${id}" could not be read`, (database) =>
      database.prepare("SELECT snapshot FROM agentscope_sessions WHERE id = ?").get(id),
    )
    return row?.["snapshot"] as string | undefined
  }

  protected override async write(id: string, text: string): Promise<void> {
    await this.#ask(`The session "${id}" could not be saved`, (database) =>
      database
        .prepare(
          "INSERT INTO agentscope_sessions VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET snapshot = excluded.snapshot, saved_at = excluded.saved_at",
        )
        .run(id, text, isoNow()),
    )
  }

  protected override async erase(id: string): Promise<boolean> {
    const { changes } = await this.#ask(`The session "${id}" could not be deleted`, (database) =>
      database.prepare("DELETE FROM agentscope_sessions WHERE id = ?").run(id),
    )
    return Number(changes) > 0
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
    const opening = this.#database
    this.#database = undefined
    const database = await opening
    database?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #ask<T>(what: string, work: (database: Database) => T): Promise<T> {
    try {
      const database = await this.#open()
      return await whenFree(() => work(database))
    } catch (cause) {
      if (AgentScopeError.is(cause)) throw cause
      const reason = cause instanceof Error ? cause.message : String(cause)
      const message = `${what} (database ${this.#path}): ${reason}`
      throw stateError(isDamaged(cause) ? "corrupted_session" : "session_failed", message, {
        cause,
        details: { file: this.#path },
      })
    }
  }

  protected override checkOpen(): void {
    if (this.#closed)
      throw stateError("store_closed", `The session store of ${this.#path} is closed: make another one.`)
  }

  #open(): Promise<Database> {
    this.#database ??= openDatabase(this.#path, sessions).catch((error: unknown) => {
      // the next call may have more luck
      this.#database = undefined
      throw error
    })
    return this.#database
  }
}
