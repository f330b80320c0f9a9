import { ambient } from "@agentscope-ts/message"
import { needFiles } from "./node-builtin.ts"

const leftover = /^\.session-[A-Za-z0-9_-]+\.tmp$/
// a write takes milliseconds; a clock of another machine may be minutes off
const abandonedMs = 3_600_000

type Files = typeof import("node:fs/promises")

/**
 * Puts a text in the place of a file: written beside it, brought to the disk, and renamed. Whoever reads meanwhile gets the
 * old text or the new one, also after a crash or a power cut in between.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const { fs, path } = needFiles()
  const folder = path.dirname(file)
  // conversations are nobody else's business
  const first = await fs.mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = path.join(folder, `.session-${globalThis.crypto.randomUUID()}.tmp`)
  try {
    await writeThrough(draft, text)
    await patiently(() => fs.rename(draft, file))
  } catch (error) {
    await fs.rm(draft, { force: true }).catch(() => {})
    throw error
  }
  await syncFolder(folder)
  if (first !== undefined) await syncFolder(path.dirname(first))
}

/** What tells one state of a file from the others: which file it is, as each replacement is another one, and how long. */
export const revisionOf = ({ ino }: { readonly ino: number }, size: number): string => `${ino}:${size}`

/**
 * Appends a line to a file that has this revision, and brings it to the disk; answers the new revision, or `undefined` when
 * the file has another. When the write fails, what was written of it is cut off again.
 */
export async function appendLine(file: string, line: string, revision: string): Promise<string | undefined> {
  // not "a": a file that was deleted must not come back
  const handle = await patiently(() => needFiles().fs.open(file, "r+"))
  try {
    const stat = await handle.stat()
    if (revisionOf(stat, stat.size) !== revision) return undefined
    try {
      const bytes = Buffer.from(`\n${line}`, "utf8")
      await writeAll(handle, bytes, stat.size)
      await handle.datasync()
      return revisionOf(stat, stat.size + bytes.length)
    } catch (error) {
      await handle.truncate(stat.size).catch(() => {})
      throw error
    }
  } finally {
    await handle.close()
  }
}

async function writeAll(handle: Awaited<ReturnType<Files["open"]>>, bytes: Uint8Array, from: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, from + written)
    written += bytesWritten
  }
}

async function writeThrough(file: string, text: string): Promise<void> {
  const handle = await needFiles().fs.open(file, "wx", 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Brings a folder's list of names to the disk, where the system can. */
export async function syncFolder(folder: string): Promise<void> {
  // on Windows a folder cannot be opened, and names are kept in a journal
  if (process.platform === "win32") return
  const handle = await needFiles().fs.open(folder, "r")
  try {
    await handle.sync()
  } catch (error) {
    // some network file systems know nothing like it
    if (!["EINVAL", "ENOTSUP", "ENOSYS"].includes(codeOf(error))) throw error
  } finally {
    await handle.close()
  }
}

/** Tries again for a moment what Windows refuses while another process has the file open. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const passes = process.platform === "win32" && ["EPERM", "EACCES", "EBUSY"].includes(codeOf(error))
      if (!passes || attempt === 7) throw error
      await ambient().sleep(5 * 2 ** attempt)
    }
  }
}

/** Removes what writers left behind that were killed: drafts older than an hour. Never fails. */
export async function removeLeftovers(folder: string): Promise<void> {
  const { fs, path } = needFiles()
  const names = await fs.readdir(folder).catch(() => [])
  for (const name of names) {
    if (!leftover.test(name)) continue
    const file = path.join(folder, name)
    const stat = await fs.stat(file).catch(() => undefined)
    if (stat && Date.now() - stat.mtimeMs > abandonedMs) await fs.rm(file, { force: true }).catch(() => {})
  }
}

export const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code)
