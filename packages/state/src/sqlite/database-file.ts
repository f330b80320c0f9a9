import { ambient } from "@agentscope-ts/message"
import { nodeBuiltin } from "../session/node-builtin.ts"
import { type Database, type DatabasePart, openDatabase, patienceMs, whenFree } from "./open-database.ts"

interface Opened {
  readonly database: Database
  /** Which file it was; undefined in memory. */
  readonly file: string | undefined
}

/**
 * A database that is opened with the first work, and anew when its file was deleted or has another in its place: what is
 * written to a file that has no name any more is gone with the process, though SQLite says that it is on the disk.
 */
export class DatabaseFile {
  readonly #path: string
  readonly #part: DatabasePart
  #opening: Promise<Opened> | undefined

  /** @param path absolute, or `":memory:"`. */
  constructor(path: string, part: DatabasePart) {
    this.#path = path
    this.#part = part
  }

  /**
   * Does work on the database, and tries for about ten seconds, opening included, while somebody else holds it.
   * @throws what {@link openDatabase} and the work throw.
   */
  async run<T>(work: (database: Database) => T, signal?: AbortSignal): Promise<T> {
    const until = ambient().now() + patienceMs
    for (;;) {
      const opening = this.#open(until)
      const opened = await opening
      signal?.throwIfAborted()
      // looked at with each attempt, in the same moment as the work: some microseconds, where a write takes milliseconds
      const attempt = () => (this.#isInPlace(opened) ? { value: work(opened.database) } : undefined)
      const done = await whenFree(attempt, signal, until)
      if (done) return done.value
      if (this.#opening === opening) await this.close()
    }
  }

  /** Closes the database; the next work opens it again. */
  async close(): Promise<void> {
    const opening = this.#opening
    this.#opening = undefined
    const opened = await opening
    if (opened?.database.isOpen) opened.database.close()
  }

  #open(until: number): Promise<Opened> {
    this.#opening ??= openDatabase(this.#path, this.#part, until).then(
      (database) => ({ database, file: fileAt(this.#path) }),
      (error: unknown) => {
        // the next call may have more luck
        this.#opening = undefined
        throw error
      },
    )
    return this.#opening
  }

  #isInPlace({ database, file }: Opened): boolean {
    return database.isOpen && (this.#path === ":memory:" || file === fileAt(this.#path))
  }
}

/** What tells the file at a path from others; undefined where there is none. */
function fileAt(path: string): string | undefined {
  if (path === ":memory:") return undefined
  const fs = nodeBuiltin("node:fs") as typeof import("node:fs")
  const stat = fs.statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}
