import { randomUUID } from "node:crypto"
import type { Stats } from "node:fs"
import { type FileHandle, lstat, rename, unlink } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { errnoOf, ioError, systemError } from "../error.ts"
import type { FileRoot, Located } from "./file-root.ts"
import { checkRegular, createNew, inNewFolder } from "./open-file.ts"

/** The file as it stands; `undefined` when there is none. */
async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined
    throw error
  }
}

/** The version of a file that exists; throws for what is no regular file. */
export async function statFile(file: Located): Promise<Stats> {
  try {
    const stat = await lstat(file.path)
    checkRegular(stat, file.shown)
    return stat
  } catch (error) {
    throw ioError("open", file.shown, error)
  }
}

/** Whether a file was changed since `before` was seen. */
export function sameVersion(before: Stats, now: Stats): boolean {
  // the time of the last change, unlike that of the last writing, cannot be set back
  return (
    before.mtimeMs === now.mtimeMs &&
    before.ctimeMs === now.ctimeMs &&
    before.size === now.size &&
    before.ino === now.ino
  )
}

async function checkTarget(path: string, shown: string, expected: Stats | undefined): Promise<Stats | undefined> {
  const now = await statOf(path)
  if (now !== undefined) {
    checkRegular(now, shown)
    // replacing needs only the folder's permission: the file's own says that it should stay
    if ((now.mode & 0o222) === 0) throw systemError("io_error", `"${shown}" is read-only. Make it writable first.`)
  }
  if (expected !== undefined && (now === undefined || !sameVersion(expected, now))) {
    throw systemError(
      "changed_on_disk",
      `"${shown}" was changed by something else meanwhile. View it again and repeat the change.`,
    )
  }
  return now
}

async function fill(handle: FileHandle, bytes: Uint8Array, before: Stats | undefined): Promise<void> {
  try {
    await handle.writeFile(bytes)
    if (before !== undefined) {
      // as root a rename would make the file ours; others may not give files away, and need not
      if (process.getuid?.() === 0) await handle.chown(before.uid, before.gid)
      await handle.chmod(before.mode & 0o7777)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Replaces or creates a file in one step: a new file beside it is written, given the old one's mode, and renamed over it, so
 * that a reader sees the old bytes or the new ones. Missing folders are made. `expected` is the version the new content was
 * made from: `changed_on_disk` when the file is another one by now.
 */
export async function writeBytes(root: FileRoot, file: Located, bytes: Uint8Array, expected?: Stats): Promise<Stats> {
  const { shown } = file
  try {
    return await inNewFolder(root, dirname(file.path), shown, async (base) => {
      const target = join(base, basename(file.path))
      const before = await checkTarget(target, shown, expected)
      const draft = join(base, `.agentscope-${randomUUID()}.tmp`)
      try {
        await fill(await createNew(draft, before === undefined ? 0o666 : before.mode & 0o777), bytes, before)
        await checkTarget(target, shown, expected)
        await rename(draft, target)
      } catch (error) {
        await unlink(draft).catch(() => {})
        throw error
      }
      return await lstat(target)
    })
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR" || errnoOf(error) === "EEXIST") {
      throw systemError("not_a_folder", `"${shown}": a file stands where the path needs a folder.`)
    }
    throw ioError("write", shown, error)
  }
}
