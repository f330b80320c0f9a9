import { AgentScopeError } from "@agentscope-ts/message"
import { toolError } from "../error.ts"

/** The largest file of a skill that is read, in bytes. */
export const maxSkillFile = 256 * 1024

/** Node's modules, where there are some; else throws `invalid_skill`. */
export function nodeModules(): NodeJS.Process["getBuiltinModule"] {
  const load = globalThis.process?.getBuiltinModule?.bind(process)
  if (load) return load
  const message =
    'This runtime has no files: give skills as { name, description, dir: "", markdown }, or a SkillLoader.'
  throw toolError("invalid_skill", message)
}

/**
 * A text file of a skill's folder. The real path has to be inside the real folder, before and after the file is opened, so
 * that neither `..` nor a link leads out. Throws `invalid_skill` for what is no readable text of at most 256 KiB.
 */
export async function readSkillFile(dir: string, file: string): Promise<string> {
  const shown = JSON.stringify(file.slice(0, 200))
  const node = nodeModules()
  const fs = node("node:fs/promises")
  const path = node("node:path")
  const { constants } = node("node:fs")
  const refused = (why: string, cause?: unknown) =>
    toolError("invalid_skill", `The file ${shown} of the skill cannot be read: ${why}.`, { cause })
  if (file.includes("\0")) throw refused("there is a NUL character in its name")
  try {
    const root = await fs.realpath(dir)
    const inside = async (): Promise<string> => {
      const real = await fs.realpath(path.resolve(root, file))
      const way = path.relative(root, real)
      if (way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way)) {
        throw refused("it is outside of the skill's folder")
      }
      return real
    }
    const real = await inside()
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
    const handle = await fs.open(real, flags)
    try {
      const opened = await handle.stat()
      if (!opened.isFile()) throw refused("it is no file")
      if (opened.size > maxSkillFile) throw refused(`it is larger than ${maxSkillFile} bytes`)
      // a folder on the way may have become a link meanwhile
      const now = await fs.stat(await inside())
      if (now.ino !== opened.ino || now.dev !== opened.dev) throw refused("it was replaced while it was read")
      const bytes = new Uint8Array(opened.size)
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
      return decoded(bytes.subarray(0, bytesRead), refused)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (AgentScopeError.is(error)) throw error
    throw refused(reasons[(error as NodeJS.ErrnoException).code ?? ""] ?? (error as Error).message, error)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "reading it is not allowed",
  ELOOP: "its links lead in a circle",
}

function decoded(bytes: Uint8Array, refused: (why: string) => Error): string {
  if (bytes.includes(0)) throw refused("it is no text")
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    throw refused("it is no UTF-8 text")
  }
}
