import { lstat } from "node:fs/promises"
import { isAbsolute } from "node:path"
import { AgentScopeError } from "@agentscope-ts/message"
import picomatch from "picomatch"
import { systemError } from "../error.ts"
import type { FileRoot, Located } from "../files/file-root.ts"
import { statEntry } from "../files/stat-entry.ts"
import { TimeLimit } from "./time-limit.ts"
import { walkFiles } from "./walk.ts"

/** What to look for. */
export interface GlobRequest {
  readonly pattern: string
  /** The folder to search, the root unless given. */
  readonly path?: string | undefined
}

/** Time that matching one search's patterns may block, beyond what ordinary ones need for the same paths. */
const matchMs = 500
/** What an ordinary pattern needs at most for a path, and a guarded call (one a folder) for itself. */
const ordinaryMs = { perPath: 0.01, perCall: 0.5 }

/** A test of paths against globs; one without `/` fits a name at any depth, one that starts with `!` takes files away. */
export function globTest(globs: readonly string[], limit: TimeLimit): (paths: readonly string[]) => readonly boolean[] {
  const matcher = (glob: string) => picomatch(glob, { dot: true, matchBase: !glob.includes("/") })
  const wanted = globs.filter((glob) => !glob.startsWith("!")).map(matcher)
  const unwanted = globs.filter((glob) => glob.startsWith("!")).map((glob) => matcher(glob.slice(1)))
  const fits = (path: string): boolean =>
    (wanted.length === 0 || wanted.some((test) => test(path))) && !unwanted.some((test) => test(path))
  return (paths) => limit.run(() => paths.map(fits), ordinaryMs.perCall + paths.length * ordinaryMs.perPath)
}

/** A limit for matching globs. */
export function globLimit(): TimeLimit {
  return new TimeLimit(matchMs, "The glob pattern takes too long to match. Use a simpler one.")
}

/** A path relative to a folder of the same root. */
export function below(folder: Located, file: Located): string {
  return folder.shown === "." ? file.shown : file.shown.slice(folder.shown.length + 1)
}

/** The folder that a search starts in; throws `not_found` and `not_a_folder`. */
export async function locateFolder(root: FileRoot, path: string): Promise<Located> {
  const folder = root.locate(path)
  if (!folder.exists) throw systemError("not_found", `The folder "${folder.shown}" does not exist.`)
  if (!(await statEntry(folder)).isDirectory())
    throw systemError("not_a_folder", `"${folder.shown}" is a file, not a folder.`)
  return folder
}

/** The pattern below its folder, split into the part without wildcards and the rest. */
function splitPattern(pattern: string): { base: string; glob: string } {
  const plain = pattern.replace(/^(?:\.\/)+/, "")
  if (plain === "") throw systemError("invalid_argument", 'The glob pattern is empty. Give one such as "**/*.ts".')
  if (isAbsolute(plain) || plain.split("/").includes("..")) {
    throw systemError(
      "outside_root",
      `Access denied: the pattern "${pattern.slice(0, 200)}" leaves the folder it is searched in. Give "path" for the folder, and a pattern below it.`,
    )
  }
  const { base, glob } = picomatch.scan(plain)
  return { base, glob }
}

/** The files that fit a glob. */
export interface GlobAnswer {
  /** Newest first. */
  readonly files: readonly Located[]
  /** Why the search ended before its last file: a sentence for the model. */
  readonly stopped?: string
}

/**
 * The files that fit a glob, newest first. A search that meets a limit (200 000 files, a glob that takes too long) gives what
 * it found before; throws `search_timeout` when that is nothing.
 */
export async function globFiles(root: FileRoot, request: GlobRequest, signal: AbortSignal): Promise<GlobAnswer> {
  const { base, glob } = splitPattern(request.pattern)
  const folder = await locateFolder(root, request.path ?? ".")
  const start = base === "" ? folder : root.locate(`${folder.path}/${base}`)
  if (!start.exists) return { files: [] }
  const stat = await statEntry(start)
  if (stat.isFile()) return { files: glob === "" ? [start] : [] }
  if (!stat.isDirectory()) return { files: [] }
  const test = globTest([glob === "" ? "**" : glob], globLimit())
  const found: { file: Located; mtimeMs: number }[] = []
  const search = async (): Promise<void> => {
    for await (const files of walkFiles(root, start, signal)) {
      const fits = test(files.map((file) => below(start, file)))
      for (const [i, file] of files.entries()) {
        if (fits[i] !== true) continue
        const { mtimeMs } = await lstat(file.path).catch(() => ({ mtimeMs: Number.NaN }))
        if (!Number.isNaN(mtimeMs)) found.push({ file, mtimeMs })
      }
    }
  }
  const stop = await search().then(
    () => undefined,
    (error: unknown) => {
      if (AgentScopeError.is(error, "search_timeout") && found.length > 0) return error
      throw error
    },
  )
  const files = found
    .toSorted((a, b) => b.mtimeMs - a.mtimeMs || (a.file.shown < b.file.shown ? -1 : 1))
    .map(({ file }) => file)
  return stop === undefined ? { files } : { files, stopped: stop.message }
}
