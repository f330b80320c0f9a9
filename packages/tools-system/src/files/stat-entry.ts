import type { Stats } from "node:fs"
import { lstat } from "node:fs/promises"
import { errnoOf, ioError, systemError } from "../error.ts"
import type { Located } from "./file-root.ts"

/**
 * What stands at a path that was there when it was located. Throws `not_found` when it is gone since, and names it without
 * the machine's own paths.
 */
export async function statEntry(entry: Located): Promise<Stats> {
  try {
    return await lstat(entry.path)
  } catch (error) {
    if (errnoOf(error) === "ENOENT") throw systemError("not_found", `"${entry.shown}" does not exist.`)
    throw ioError("open", entry.shown, error)
  }
}
