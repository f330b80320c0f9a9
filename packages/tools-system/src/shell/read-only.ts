import { existsSync } from "node:fs"
import { join } from "node:path"
import type { FileRoot } from "../files/file-root.ts"
import type { CommandPart } from "./command-line.ts"
import { isReadOnlyFind } from "./read-only-find.ts"
import { isReadOnlyGit } from "./read-only-git.ts"
import type { Argument } from "./words.ts"

/** Tells whether a word of a command leads to something inside the working folder. */
export type IsInside = (path: string) => boolean

/** When a program only reads. */
interface Reader {
  /** What its options may look like; all of a program's options are harmless unless said. */
  readonly options?: RegExp
  /** How many operands there may be. */
  readonly most?: number
  /** Operands that are no paths: all of them, or the first. */
  readonly free?: "all" | "first"
}

// an option without a path in it; `=` gives it a plain value
const plainOption = /^--?[\w-]+(?:=[\w:+,.%@*-]*)?$/

const reads: Reader = {}
const computes: Reader = { free: "all" }
// neither -c nor --check: those read the files that a file names
const sums: Reader = { options: /^(?:-[btz]+|--(?:binary|text|tag|zero))$/ }
const searches: Reader = {
  free: "first",
  // neither -e and -f (then the first operand is a file) nor -R (follows links)
  options:
    /^(?:-[chHiIlLnoqrsvwxzEFGPbUTZABCm\d]+|--(?:include|exclude|exclude-dir|colou?r|context|after-context|before-context|max-count)=[^/~]*|--(?:count|ignore-case|invert-match|word-regexp|line-regexp|line-number|files-with-matches|files-without-match|only-matching|recursive|no-filename|with-filename|fixed-strings|extended-regexp|perl-regexp|quiet|no-messages|text))$/,
}

const readers = new Map<string, Reader>([
  ["[", computes],
  [":", computes],
  ["arch", { most: 0 }],
  ["b2sum", sums],
  ["basename", computes],
  ["cat", reads],
  ["cksum", reads],
  ["cmp", reads],
  ["comm", reads],
  ["command", { free: "all", options: /^-[vV]$/ }],
  ["cut", reads],
  ["date", { free: "all", options: /^(?:-u|-R|--utc|-I\w*|--iso-8601(?:=\w+)?|--rfc-3339=\w+)$/ }],
  ["df", reads],
  [
    "diff",
    {
      options:
        /^(?:-[abBcdEHiNpqstTuwyZU\d]+|--(?:brief|unified(?:=\d+)?|side-by-side|color(?:=\w+)?|ignore-[a-z-]+|text))$/,
    },
  ],
  ["dirname", computes],
  [
    "du",
    { options: /^(?:-[abcDhHklmPsSx0d\d]+|--(?:max-depth=\d+|summarize|human-readable|all|total|apparent-size))$/ },
  ],
  ["egrep", searches],
  ["false", computes],
  ["fgrep", searches],
  ["file", { options: /^(?:-[bikL]+|--mime(?:-type|-encoding)?|--brief)$/ }],
  ["fold", reads],
  ["grep", searches],
  ["groups", { most: 0 }],
  ["head", reads],
  ["hostname", { most: 0, options: /^-[sfdiI]$/ }],
  ["id", { most: 0 }],
  ["ls", reads],
  ["md5sum", sums],
  ["nl", reads],
  ["nproc", { most: 0 }],
  ["od", reads],
  ["paste", reads],
  ["printf", { free: "all", options: /^--$/ }],
  ["pwd", { most: 0 }],
  ["readlink", reads],
  ["realpath", reads],
  ["rev", reads],
  [
    "rg",
    {
      free: "first",
      options:
        /^(?:-[niwcvlFsSoHNIpUABCmgt\d]+|--(?:hidden|no-heading|heading|line-number|ignore-case|smart-case|count|files-with-matches|multiline|word-regexp|fixed-strings|only-matching|json|stats|no-filename))$/,
    },
  ],
  ["seq", computes],
  ["sha1sum", sums],
  ["sha256sum", sums],
  ["sha512sum", sums],
  ["sleep", computes],
  [
    "sort",
    {
      options:
        /^(?:-[bdfghiMnRrVucmsz]+|-k[\d.,bdfgiMnr]*|-t.?|--(?:reverse|unique|numeric-sort|human-numeric-sort|version-sort|check|key=[\d.,]+))$/,
    },
  ],
  ["stat", reads],
  ["tac", reads],
  ["tail", reads],
  ["test", computes],
  ["tr", computes],
  ["tree", { options: /^(?:-[adfipsugDFhNACLIP]+|--(?:gitignore|dirsfirst|noreport))$/ }],
  ["true", computes],
  ["type", computes],
  ["uname", { most: 0 }],
  ["uniq", { most: 1 }],
  ["uptime", { most: 0 }],
  ["wc", { options: /^(?:-[clmwL]+|--(?:bytes|chars|lines|words|max-line-length))$/ }],
  ["which", computes],
  ["whoami", { most: 0 }],
])

/** Whether this is a program of the table: unasked where it is proven to only read, asked about elsewhere. */
export function isReader(name: string): boolean {
  return readers.has(name)
}

/** Programs that may be asked for their version. */
const versioned = new Set(["cargo", "gcc", "git", "go", "java", "make", "node", "npm", "python", "python3", "rustc"])

// a test of a variable by name computes its index
const isSafeTest = (args: readonly string[]): boolean => !args.some((arg) => arg === "-v" || arg === "-R")
const isSafePrint = (args: readonly string[]): boolean => args[0] !== "-v" && !args[0]?.startsWith("-v")

function readsOnly(name: string, args: readonly string[], isInside: IsInside): boolean {
  if (name === "git") return isReadOnlyGit(args, isInside)
  if (name === "find") return isReadOnlyFind(args, isInside)
  // the one form of sed that everybody uses to look at some lines
  if (name === "sed")
    return (
      args[0] === "-n" &&
      /^\d+(?:,(?:\d+|\$))?p$/.test(args[1] ?? "") &&
      args.slice(2).every((arg) => !arg.startsWith("-") && isInside(arg))
    )
  const reader = readers.get(name)
  if (reader === undefined) return false
  if ((name === "test" || name === "[") && !isSafeTest(args)) return false
  if (name === "printf" && !isSafePrint(args)) return false
  const ended = args.indexOf("--")
  // there `--` may be the value of the option before it, and what follows an option again
  if (ended > 0 && reader.free === "first" && /^-.*[a-zA-Z]$/.test(args[ended - 1] as string)) return false
  const isOption = (arg: string, i: number): boolean =>
    arg.startsWith("-") && arg.length > 1 && (ended < 0 || i < ended)
  const operands = args.filter((arg, i) => !isOption(arg, i) && i !== ended)
  if (operands.length > (reader.most ?? Number.POSITIVE_INFINITY)) return false
  const freeOptions = reader.free === "all" && reader.options === undefined
  const options = args.filter(isOption)
  if (!freeOptions && !options.every((arg) => (reader.options ?? plainOption).test(arg))) return false
  if (reader.free === "all") return name !== "date" || operands.every((arg) => arg.startsWith("+"))
  return operands.slice(reader.free === "first" ? 1 : 0).every((arg) => arg === "-" || isInside(arg))
}

/** Variables whose values are no secret. */
export const shownVariables = /\$(?:\?|#|HOME\b|PWD\b|USER\b|SHELL\b|PATH\b|LANG\b)/g

/** Whether `echo` gets nothing but text and variables that everybody may see. */
function echoes(words: readonly Argument[]): boolean {
  return words.every(
    ({ value, text }) => value !== undefined || !/[$`*?[\]{}~<>()]/.test(text.replaceAll(shownVariables, "")),
  )
}

/** Whether git would take the folder itself for a repository, with settings that any file tool could have written. */
function isPlanted(root: FileRoot): boolean {
  return existsSync(join(root.given, "HEAD")) && !existsSync(join(root.given, ".git"))
}

/**
 * Whether a part of a command line is proven to change nothing and to read nothing outside the working folder. A small,
 * careful table: what it does not know is not read-only.
 */
export function isReadOnly(part: CommandPart, root: FileRoot): boolean {
  const isInside: IsInside = (path) => {
    // the system follows a link before it goes up: what looks inside may not be
    if (path.split("/").includes("..")) return false
    try {
      root.locate(path === "" ? "." : path)
      return true
    } catch {
      return false
    }
  }
  const [name, ...rest] = part.words
  if (part.kind === "input") return name?.value !== undefined && isInside(name.value)
  if (part.kind !== "command" || name?.value === undefined || (part.prefixWords ?? 1) > 1) return false
  if (name.value === "git" && isPlanted(root)) return false
  if (name.value === "echo") return echoes(rest)
  const args = rest.map((word) => word.value)
  if (!args.every((arg) => arg !== undefined)) return false
  if (args.length === 1 && versioned.has(name.value) && args[0] === "--version") return true
  return readsOnly(name.value, args, isInside)
}
