import nodePath, { type PlatformPath } from "node:path"

/**
 * Whether `path` is `root` or below it, compared component by component: `/w/p-evil` is not in `/w/p`. Both are absolute
 * and free of links. On Windows (`path.win32`) case and the kind of slash do not count.
 */
export function contains(root: string, path: string, flavour: PlatformPath = nodePath): boolean {
  const relative = flavour.relative(root, path)
  if (relative === "") return true
  if (relative === ".." || relative.startsWith(`..${flavour.sep}`)) return false
  return !flavour.isAbsolute(relative) // another drive
}

const device = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\..*)?$/i

/** What is wrong with a path before anything looks at the disk; `undefined` when nothing is. */
export function pathProblem(path: string, flavour: PlatformPath = nodePath): string | undefined {
  if (path === "") return "the path is empty"
  if (path.includes("\0")) return "the path contains a NUL character"
  if (path.length > 4096) return "the path is longer than 4096 characters"
  if (flavour.sep !== "\\") return undefined
  if (/^[\\/]{2}[?.]/.test(path)) return "device paths are not taken"
  const drive = /^[a-z]:/i.exec(path)
  if (drive && !/^[\\/]/.test(path.slice(2))) return "a path relative to a drive is not taken"
  for (const name of path.slice(drive ? 2 : 0).split(/[\\/]+/)) {
    if (name.includes(":")) return "alternate data streams are not taken"
    if (device.test(name)) return `"${name}" is a device`
    if (/[. ]$/.test(name) && !/^\.{1,2}$/.test(name)) return "a name ends with a dot or a blank"
  }
  return undefined
}

// names that some file systems take for others: letter case, and characters that HFS+ ignores
const plainName = (name: string): string =>
  name.toLowerCase().replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")

/**
 * Whether a relative path leads into a folder that decides what other programs run: `.git` (hooks, drivers), `.ssh`. Tools
 * never write there.
 */
export function isProtected(relative: string): boolean {
  return relative.split(/[\\/]+/).some((name) => [".git", ".ssh"].includes(plainName(name)))
}

const sensitiveFile =
  /^\.(?:gitconfig|gitmodules|bashrc|bash_profile|bash_login|profile|zshrc|zprofile|zshenv|netrc|npmrc|pypirc|envrc|env(?:\..*)?)$/

/**
 * Whether a relative path names something that other programs run or that holds credentials: start-up files of shells,
 * `.env`, settings of editors. Writing there is asked for even where edits are accepted.
 */
export function isSensitive(relative: string): boolean {
  const names = relative.split(/[\\/]+/).map(plainName)
  return sensitiveFile.test(names.at(-1) ?? "") || names.some((name) => [".vscode", ".idea"].includes(name))
}
