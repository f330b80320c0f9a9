import type { IsInside } from "./read-only.ts"

// tests and actions that neither run, write nor delete; -L and -follow would leave the folder through links
const known =
  /^-(?:H|P|maxdepth|mindepth|mount|xdev|depth|name|iname|path|ipath|wholename|iwholename|regex|iregex|regextype|type|xtype|size|empty|newer|anewer|cnewer|mtime|mmin|atime|amin|ctime|cmin|perm|user|group|uid|gid|links|inum|readable|writable|executable|true|false|prune|quit|print|print0|printf|ls|not|a|and|o|or)$/

/** Whether `find` with these arguments only lists what is inside. */
export function isReadOnlyFind(args: readonly string[], isInside: IsInside): boolean {
  const start = args.findIndex((arg) => /^(?:-[^HP]|-[HP].|\(|!)/.test(arg))
  const paths = (start < 0 ? args : args.slice(0, start)).filter((arg) => arg !== "-H" && arg !== "-P")
  const expression = start < 0 ? [] : args.slice(start)
  return (
    paths.every(isInside) && expression.every((arg) => !arg.startsWith("-") || known.test(arg) || /^-\d+$/.test(arg))
  )
}
