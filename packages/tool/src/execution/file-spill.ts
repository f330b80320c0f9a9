import { newId } from "@agentscope-ts/message"
import { toolError } from "../error.ts"
import type { Spill, SpilledCall } from "./spill.ts"

/** The options of {@link fileSpill}. */
export interface FileSpillOptions {
  /**
   * The folder of the files, made when the first text is kept; a new one of the system's folder for temporary files unless
   * given. Give one inside the root of the file tools, and the agent can read on by itself.
   */
  dir?: string | undefined
  /** The most bytes of all files together; 256 MB unless given. The oldest go first; a text longer than that is not kept. */
  maxBytes?: number | undefined
}

/** A {@link Spill} into files, which takes what it wrote away when it is disposed. */
export type FileSpill = Spill & AsyncDisposable

interface Kept {
  readonly path: string
  readonly bytes: number
}

/**
 * Keeps texts that are too long for a result as files which only their owner can read (mode 0600): one folder for each agent,
 * one file for each call. The words for the model are the file's path. For Node, Bun and Deno.
 */
export function fileSpill(options: FileSpillOptions = {}): FileSpill {
  const { dir, maxBytes = 256 * 2 ** 20 } = options ?? {}
  if (dir !== undefined && (typeof dir !== "string" || dir === "")) {
    throw toolError("invalid_argument", `fileSpill: dir is ${JSON.stringify(dir)}: give the path of a folder.`)
  }
  if (!(maxBytes > 0)) {
    throw toolError("invalid_argument", `fileSpill: maxBytes is ${maxBytes}: it has to be more than 0.`)
  }
  const kept: Kept[] = []
  let total = 0
  let folder: string | undefined
  // one at a time: two that make room would both count the same files
  let queue: Promise<unknown> = Promise.resolve()

  const keep = async (text: string, call: SpilledCall): Promise<string | undefined> => {
    const { fs, path, os } = node()
    const data = new TextEncoder().encode(text)
    if (data.length > maxBytes) return undefined
    for (let oldest = kept[0]; oldest && total + data.length > maxBytes; oldest = kept[0]) {
      kept.shift()
      total -= oldest.bytes
      await fs.rm(oldest.path, { force: true })
    }
    folder ??= dir === undefined ? await fs.mkdtemp(path.join(os.tmpdir(), "agentscope-")) : path.resolve(dir)
    const own = path.join(folder, named(call.agent?.id ?? "calls"))
    await fs.mkdir(own, { recursive: true, mode: 0o700 })
    const file = path.join(own, `${named(call.toolUse.name)}-${newId().slice(-12)}.txt`)
    // never through a link that lies there already
    const handle = await fs.open(file, "wx", 0o600)
    try {
      await handle.writeFile(data)
    } catch (error) {
      // half a text is of no use, least of all on a disk that is full
      await fs.rm(file, { force: true })
      throw error
    } finally {
      await handle.close()
    }
    kept.push({ path: file, bytes: data.length })
    total += data.length
    return file
  }
  const spill = (text: string, call: SpilledCall): Promise<string | undefined> => {
    const done = queue.then(() => keep(text, call))
    queue = done.catch(() => {})
    return done
  }
  return Object.assign(spill, {
    async [Symbol.asyncDispose](): Promise<void> {
      await queue
      if (folder === undefined) return
      const { fs } = node()
      const files = kept.splice(0)
      total = 0
      await Promise.all(files.map(({ path }) => fs.rm(path, { force: true })))
      if (dir === undefined) await fs.rm(folder, { recursive: true, force: true })
      folder = undefined
    },
  })
}

/** A name that is no path and no link to one, on any file system. */
const named = (text: string): string => text.replaceAll(/[^\w-]/g, "_").slice(0, 64) || "_"

function node(): {
  readonly fs: typeof import("node:fs/promises")
  readonly path: typeof import("node:path")
  readonly os: typeof import("node:os")
} {
  const load = globalThis.process?.getBuiltinModule?.bind(process)
  if (load === undefined) {
    throw toolError(
      "invalid_argument",
      "fileSpill needs files, which this runtime has not: give the toolkit a spill of your own.",
    )
  }
  return { fs: load("node:fs/promises"), path: load("node:path"), os: load("node:os") }
}
