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

const device = /^(?:con|prn|aux|nul|clock\$|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$) *(?:[.:].*)?$/i
const drive = /^[a-z]:/i
/** Forms of a path that only Windows knows, and that would be odd file names anywhere else. */
const windowsForm = /^[a-z]:[\\/]|^\\\\|^[\\/]{2}[?.][\\/]|^\\\?\?\\|(?:^|[\\/])\.\.\\|\\\.\.(?:[\\/]|$)/i

/** What is wrong with a path before anything looks at the disk; `undefined` when nothing is. */
export function pathProblem(path: string, flavour: PlatformPath = nodePath): string | undefined {
  if (path === "") return "the path is empty"
  if (path.includes("\0")) return "the path contains a NUL character"
  if (path.length > 4096) return "the path is longer than 4096 characters"
  if (/[\ud800-\udfff]/u.test(path)) return "the path holds half a character"
  return flavour.sep === "\\" ? windowsProblem(path) : posixProblem(path)
}

function posixProblem(path: string): string | undefined {
  return windowsForm.test(path) ? 'it is a path of Windows, and this system divides folders by "/"' : undefined
}

function windowsProblem(path: string): string | undefined {
  if (/^[\\/]{2}[?.](?:[\\/]|$)|^[\\/]\?\?[\\/]/.test(path)) return "device paths are not taken"
  if (/^[\\/]{2}/.test(path) && !/^[\\/]{2}[^\\/]+[\\/][^\\/]+/.test(path))
    return "a network path names a server and a share"
  const letter = drive.exec(path)
  if (letter && !/^[\\/]/.test(path.slice(2))) return "a path relative to a drive is not taken"
  for (const name of path.slice(letter ? 2 : 0).split(/[\\/]+/)) {
    if (device.test(name)) return `"${name}" is a device`
    if (name.includes(":")) return "alternate data streams are not taken"
    // the system does not keep them in a name, and some programs read them as wildcards
    // oxlint-disable-next-line no-control-regex
    if (/[<>"|?*\u0001-\u001f]/.test(name)) return "a name holds a character that Windows does not take"
    if (/[. ]$/.test(name) && !/^\.{1,2}$/.test(name)) return "a name ends with a dot or a blank"
    // a short name stands for a long one that nothing shows: GIT~1 for .git
    if (/^[^.]{1,8}~\d+(?:\.[^.]{0,3})?$/.test(name)) return "a short (8.3) name is not taken"
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
  return relative
    .split(/[\\/]+/)
    .some((name) => /^(?:\.git|\.ssh|git~\d+|ssh~\d+)(?:::?\$.*)?$/.test(plainName(name).replace(/[. ]+$/, "")))
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
