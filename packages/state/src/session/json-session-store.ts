import { stateError } from "../error.ts"
import { AtMost } from "./at-most.ts"
import { needFiles, nodeBuiltin } from "./node-builtin.ts"
import { appendLine, codeOf, patiently, removeLeftovers, replaceFile, revisionOf, syncFolder } from "./replace-file.ts"
import { fileNameOf, idOf } from "./session-file-name.ts"
import { idIn } from "./snapshot.ts"
import type { LoggedText, SessionLog } from "./session-log.ts"
import { type SnapshotOptions, SnapshotStore } from "./snapshot-store.ts"

// every one holds a file open, and a process may open only so many
const files = new AtMost(32)

/**
 * Sessions as JSON files in a folder, one each, named after the session's id. Any number of processes may share the folder:
 * a file is replaced as a whole, so that a reader, also one after a crash, finds the last complete save; of two saves at
 * once the later one stays. The folder is made when it is first needed. A session that is open grows by lines at the end of its
 * file, each brought to the disk (`fdatasync`) before its save resolves; a line that a crash has torn is passed over.
 */
export class JsonSessionStore extends SnapshotStore {
  readonly #dir: string
  #tidied = false

  /** @throws AgentScopeError `invalid_argument` without a folder. */
  constructor(options: { dir: string } & SnapshotOptions) {
    super(options)
    const dir = (options as { readonly dir?: unknown } | undefined)?.dir
    if (typeof dir !== "string" || dir === "") {
      throw stateError("invalid_argument", "JsonSessionStore needs the folder of its files: { dir }.")
    }
    // the folder of the program may change before the first save
    const path = nodeBuiltin("node:path") as typeof import("node:path") | undefined
    this.#dir = path?.resolve(dir) ?? dir
  }

  protected override async read(id: string): Promise<string | undefined> {
    const { fs } = needFiles()
    try {
      return await files.run(() => patiently(() => fs.readFile(this.#file(id), "utf8")))
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined
      throw this.#failed(`The session "${id}" could not be read`, this.#file(id), error)
    }
  }

  protected override async write(id: string, text: string): Promise<void> {
    const file = this.#file(id)
    try {
      if (!this.#tidied) {
        this.#tidied = true
        await removeLeftovers(this.#dir)
      }
      await files.run(() => replaceFile(file, text))
    } catch (error) {
      throw this.#failed(`The session "${id}" could not be saved`, file, error)
    }
  }

  protected override get log(): SessionLog {
    return {
      read: (id) => this.#readLogged(id),
      replace: async (id, text, revision) => {
        if ((await this.#revision(id)) !== revision) return undefined
        await this.write(id, text)
        return this.#revision(id)
      },
      append: async (id, line, revision) => {
        const file = this.#file(id)
        try {
          return await files.run(() => appendLine(file, line, revision))
        } catch (error) {
          if (codeOf(error) === "ENOENT") return undefined
          throw this.#failed(`The session "${id}" could not be saved`, file, error)
        }
      },
    }
  }

  async #readLogged(id: string): Promise<LoggedText | undefined> {
    const { fs } = needFiles()
    const file = this.#file(id)
    try {
      return await files.run(async () => {
        const handle = await patiently(() => fs.open(file, "r"))
        try {
          const bytes = await handle.readFile()
          // what came after it was read is somebody else's, and found out by the first write
          return { text: bytes.toString("utf8"), revision: revisionOf(await handle.stat(), bytes.length) }
        } finally {
          await handle.close()
        }
      })
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined
      throw this.#failed(`The session "${id}" could not be read`, file, error)
    }
  }

  async #revision(id: string): Promise<string | undefined> {
    const { fs } = needFiles()
    const file = this.#file(id)
    try {
      const stat = await patiently(() => fs.stat(file))
      return revisionOf(stat, stat.size)
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined
      throw this.#failed(`The session "${id}" could not be read`, file, error)
    }
  }

  protected override async erase(id: string): Promise<boolean> {
    const { fs } = needFiles()
    try {
      await files.run(async () => {
        await patiently(() => fs.unlink(this.#file(id)))
        await syncFolder(this.#dir)
      })
      return true
    } catch (error) {
      if (codeOf(error) === "ENOENT") return false
      throw this.#failed(`The session "${id}" could not be deleted`, this.#file(id), error)
    }
  }

  protected override async ids(): Promise<Iterable<string>> {
    const { fs, path } = needFiles()
    try {
      const found: string[] = []
      for (const name of await fs.readdir(this.#dir)) {
        const known = idOf(name)
        const id = known === "long" ? await this.#idInside(path.join(this.#dir, name), name) : known?.id
        if (id !== undefined) found.push(id)
      }
      return found
    } catch (error) {
      if (codeOf(error) === "ENOENT") return []
      throw this.#failed("The sessions could not be listed", this.#dir, error)
    }
  }

  protected override whereIs(id: string): string {
    return `file ${this.#file(id)}`
  }

  async #idInside(file: string, name: string): Promise<string | undefined> {
    try {
      const id = idIn(await needFiles().fs.readFile(file, "utf8"))
      return id !== undefined && fileNameOf(id) === name ? id : undefined
    } catch (error) {
      // deleted meanwhile
      if (codeOf(error) === "ENOENT") return undefined
      throw error
    }
  }

  #file(id: string): string {
    return needFiles().path.join(this.#dir, fileNameOf(id))
  }

  #failed(what: string, file: string, cause: unknown): Error {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return stateError("session_failed", `${what} (${file}): ${reason}`, { cause, details: { file } })
  }
}
