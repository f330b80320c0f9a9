import { lstatSync, realpathSync } from "node:fs"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import { errnoOf, ioError, systemError } from "../error.ts"
import { encodingNamed } from "./named-encoding.ts"
import { contains, isProtected, pathProblem } from "./containment.ts"

/** A path that was found to be inside the root. */
export interface Located {
  /** The real absolute path: no links, also where the end of it does not exist yet. */
  readonly path: string
  /** Relative to the root, with `/`; "." for the root itself. For messages. */
  readonly shown: string
  readonly exists: boolean
}

const withSlashes = (path: string): string => (sep === "/" ? path : path.replaceAll(sep, "/"))

/**
 * The folder that file tools may see. Every path a model gives goes through {@link FileRoot.locate}: it is resolved against
 * the root, the real path of its nearest existing parent is taken, and that must be inside the root's real path. The look
 * at the disk is synchronous, so that nothing of this process runs between the check and the use.
 */
export class FileRoot {
  /** Absolute, as it was given; it may be a link and need not exist yet. */
  readonly given: string

  /** How files are stored that are not Unicode, by its standard name (`gbk`); they are not read as text without it. */
  readonly encoding: string | undefined

  /** Throws `invalid_argument` for an encoding that there is not. */
  constructor(root: string, encoding?: string) {
    this.given = resolve(root)
    this.encoding = encoding === undefined ? undefined : encodingNamed(encoding)
  }

  /** The root's real path. */
  get real(): string {
    try {
      return realpathSync.native(this.given)
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw ioError("open", "the root folder", error)
      throw systemError("not_found", "The root folder of the file tools does not exist. Create it before using them.")
    }
  }

  /**
   * Where a path of the model leads. Throws `outside_root` for whatever is not inside, `invalid_argument` for what is no
   * path, `not_a_folder` when a file stands where a folder is needed.
   */
  locate(path: string): Located {
    const problem = pathProblem(path)
    if (problem !== undefined)
      throw systemError("invalid_argument", `${JSON.stringify(path.slice(0, 200))}: ${problem}.`)
    const root = this.real
    const absolute = resolve(this.given, path)
    const found = this.#follow(absolute, path, root)
    if (!contains(root, found.path)) throw this.outside(path)
    return { ...found, shown: withSlashes(relative(root, found.path)) || "." }
  }

  /** Like {@link locate}, for what is to be written: also refuses `.git` and `.ssh`. */
  locateForWriting(path: string): Located {
    const located = this.locate(path)
    if (located.shown === ".") throw systemError("not_a_file", `"${path}" is the root folder, not a file.`)
    if (isProtected(located.shown) || isProtected(this.lexical(path) ?? "")) {
      throw systemError(
        "protected_path",
        `Access denied: "${located.shown}" is inside a protected folder (.git, .ssh), which file tools never change. Use the program it belongs to.`,
      )
    }
    return located
  }

  /** The path relative to the root as it is written, links not followed; `undefined` outside of it. */
  lexical(path: string): string | undefined {
    const absolute = resolve(this.given, path)
    if (contains(this.given, absolute)) return withSlashes(relative(this.given, absolute)) || "."
    const root = this.real
    return contains(root, absolute) ? withSlashes(relative(root, absolute)) || "." : undefined
  }

  outside(path: string): Error {
    const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path
    return systemError(
      "outside_root",
      `Access denied: "${shown}" is outside the root folder of the file tools. Use a path inside it, relative to it, such as "src/index.ts".`,
    )
  }

  #follow(absolute: string, path: string, root: string): { path: string; exists: boolean } {
    const missing: string[] = []
    for (let at = absolute; ; at = dirname(at)) {
      try {
        return { path: join(realpathSync.native(at), ...missing), exists: missing.length === 0 }
      } catch (error) {
        const errno = errnoOf(error)
        // a link to nothing: writing to it would create its target, wherever that is
        if (errno !== "ENOENT" || isLink(at) || dirname(at) === at) {
          // what is outside is said to be outside, whatever is there
          if (errno === "ENOENT" || !(contains(this.given, at) || contains(root, at))) throw this.outside(path)
          if (errno !== "ENOTDIR") throw ioError("open", path, error)
          throw systemError("not_a_folder", `"${path}": a file stands where the path needs a folder.`)
        }
      }
      missing.unshift(basename(at))
    }
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}
