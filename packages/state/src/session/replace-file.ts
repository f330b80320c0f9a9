import { ambient } from "@agentscope-ts/message"
import { needFiles } from "./node-builtin.ts"

const leftover = /^\.session-[A-Za-z0-9_-]+\.tmp$/
// a write takes milliseconds; a clock of another machine may be minutes off
const abandonedMs = 3_600_000

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
