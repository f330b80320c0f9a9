import { constants, readlinkSync, realpathSync, type Stats, statSync } from "node:fs"
import { type FileHandle, lstat, mkdir, open } from "node:fs/promises"
import { dirname, join, relative, sep } from "node:path"
import { errnoOf, ioError, systemError } from "../error.ts"
import { contains } from "./containment.ts"
import type { FileRoot, Located } from "./file-root.ts"

// absent on Windows: 0 changes nothing
const noFollow = constants.O_NOFOLLOW ?? 0
const nonBlocking = constants.O_NONBLOCK ?? 0
const directory = constants.O_DIRECTORY ?? 0
const exclusive = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY

/** Whether open files show their real path (Linux); elsewhere the path is looked up a second time instead. */
const openFiles = process.platform === "linux" ? "/proc/self/fd" : undefined

/** Refuses a file that is open but not inside the root: a link was put into its path after the check. */
async function checkOpened(root: FileRoot, handle: FileHandle, file: Located): Promise<Stats> {
  const stat = await handle.stat()
  const real = realPathOf(handle, file, stat)
  if (real === undefined || !contains(root.real, real)) throw root.outside(file.shown)
  return stat
}

function realPathOf(handle: FileHandle, file: Located, stat: Stats): string | undefined {
  if (openFiles !== undefined) {
    try {
      return readlinkSync(`${openFiles}/${handle.fd}`)
    } catch {
      // no /proc here
    }
  }
  try {
    const again = realpathSync.native(file.path)
    const there = statSync(again)
    return there.ino === stat.ino && there.dev === stat.dev ? again : undefined
  } catch {
    return undefined
  }
}

/** Throws unless this is a regular file: a folder, a pipe, a device or a socket has nothing to read, or no end. */
export function checkRegular(stat: Stats, shown: string): void {
  if (stat.isFile()) return
  if (stat.isDirectory()) throw systemError("not_a_file", `"${shown}" is a folder, not a file.`)
  throw systemError("special_file", `"${shown}" is not a regular file (a pipe, socket or device) and is not opened.`)
}

/** An open file and what is known about it. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly stat: Stats
}

/**
 * Opens a regular file for reading, without following a link and without waiting for the other end of a pipe. The caller
 * closes it.
 */
export async function openToRead(root: FileRoot, file: Located): Promise<OpenFile> {
  try {
    // looked at first: opening alone can already act on a device
    checkRegular(await lstat(file.path), file.shown)
    const handle = await open(file.path, constants.O_RDONLY | noFollow | nonBlocking)
    try {
      const stat = await checkOpened(root, handle, file)
      checkRegular(stat, file.shown)
      return { handle, stat }
    } catch (error) {
      await handle.close()
      throw error
    }
  } catch (error) {
    if (errnoOf(error) === "ENOENT") throw systemError("not_found", `The file "${file.shown}" does not exist.`)
    throw ioError("open", file.shown, error)
  }
}

/**
 * Holds a folder open while `use` works in it and gives a path that stays this folder: on Linux the one through the open
 * handle, so that a folder swapped for a link meanwhile leads nowhere.
 */
export async function inFolder<T>(root: FileRoot, folder: Located, use: (base: string) => Promise<T>): Promise<T> {
  if (process.platform === "win32") return use(folder.path)
  const handle = await open(folder.path, constants.O_RDONLY | directory | noFollow)
  try {
    await checkOpened(root, handle, folder)
    return await use(openFiles === undefined ? folder.path : `${openFiles}/${handle.fd}`)
  } finally {
    await handle.close()
  }
}

/** Whether an error says that a link, or a file, stands where a folder was. */
const isSwapped = (error: unknown): boolean => ["ELOOP", "ENOTDIR"].includes(errnoOf(error))

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error
  }
}

/**
 * Makes a folder and those above it, and holds it open while `use` works in it. On Linux one folder is entered after the
 * other by its open handle: one that became a link meanwhile is not followed, so that nothing is made elsewhere.
 */
export async function inNewFolder<T>(
  root: FileRoot,
  folder: string,
  shown: string,
  use: (base: string) => Promise<T>,
): Promise<T> {
  const real = root.real
  const names = relative(real, folder).split(sep).filter(Boolean)
  if (openFiles === undefined) {
    for (let at = real, i = 0; i < names.length; i++) {
      if (root.locate(at).path !== at) throw root.outside(shown)
      at = join(at, names[i] as string)
      await makeFolder(at)
    }
    return inFolder(root, { path: folder, shown, exists: true }, use)
  }
  let handle = await open(real, constants.O_RDONLY | directory)
  try {
    for (const name of names) {
      const path = `${openFiles}/${handle.fd}/${name}`
      await makeFolder(path)
      const next = await open(path, constants.O_RDONLY | directory | noFollow)
      const last = handle
      handle = next
      await last.close()
    }
    await checkOpened(root, handle, { path: folder, shown, exists: true })
    return await use(`${openFiles}/${handle.fd}`)
  } catch (error) {
    if (isSwapped(error) && (await isLink(folder, real))) throw root.outside(shown)
    throw error
  } finally {
    await handle.close()
  }
}

/** Whether a part of a path below the root is a link now. */
async function isLink(folder: string, real: string): Promise<boolean> {
  for (let at = folder; at.length > real.length; at = dirname(at)) {
    if ((await lstat(at).catch(() => undefined))?.isSymbolicLink() === true) return true
  }
  return false
}

/** Creates a file that must not exist yet. */
export function createNew(path: string, mode: number): Promise<FileHandle> {
  return open(path, exclusive | noFollow, mode)
}
