import { randomUUID } from "node:crypto"
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs"
import { join, resolve } from "node:path"

/** Bytes of one command's output that are kept in a file, at most: 100 MiB. */
const longest = 100 * 1024 * 1024

/** All output of a command in a file of its own, for what is too long for an answer. */
export class OutputFile {
  readonly path: string
  readonly #folder: string
  #descriptor: number | undefined
  #left = longest
  #failed = false

  constructor(folder: string) {
    this.#folder = resolve(folder)
    this.path = join(this.#folder, `command-${randomUUID()}.log`)
  }

  /** Adds bytes; at once, so that no more wait in memory than the command has just written. */
  write(chunk: Buffer): void {
    if (this.#left <= 0 || this.#failed) return
    try {
      if (this.#descriptor === undefined) {
        mkdirSync(this.#folder, { recursive: true })
        this.#descriptor = openSync(this.path, "wx", 0o600)
      }
      writeSync(this.#descriptor, chunk.subarray(0, this.#left))
      this.#left -= chunk.length
    } catch {
      this.#failed = true // a full disk is no failure of the command
    }
  }

  /** Closes it, and removes it unless it is wanted. A sentence that names it, for the model. */
  close(isWanted: boolean): string | undefined {
    if (this.#descriptor === undefined) return undefined
    closeSync(this.#descriptor)
    this.#descriptor = undefined
    if (isWanted && !this.#failed) {
      const which = this.#left < 0 ? `The first ${longest / 1024 / 1024} MiB` : "All"
      return `Note: ${which} of the output is in ${this.path}.`
    }
    rmSync(this.path, { force: true })
    return undefined
  }
}
