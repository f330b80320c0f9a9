import type { Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { systemError } from "../error.ts"
import type { FileRoot, Located } from "../files/file-root.ts"
import { inFolder } from "../files/open-file.ts"
import { type IgnoreRules, isIgnored, rulesAbove, rulesIn } from "./ignore-files.ts"

/** Folders of version control systems: never searched. */
const versionControl = new Set([".git", ".svn", ".hg", ".bzr", ".jj", ".sl"])
/** Files that one search looks at, at most. */
const maxFiles = 200_000

/**
 * The regular files below a folder, one batch a folder, in the order of their names. Links are not followed; what
 * `.gitignore` names and version control keeps is left out, unless `start` itself is inside it. Throws `search_timeout`
 * beyond 200 000 files.
 */
export async function* walkFiles(
  root: FileRoot,
  start: Located,
  signal: AbortSignal,
): AsyncGenerator<readonly Located[]> {
  let seen = 0
  const pending: { folder: Located; above: IgnoreRules | undefined }[] = [
    { folder: start, above: await rulesAbove(root, start) },
  ]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    signal.throwIfAborted()
    const { folder } = next
    const entries = await entriesOf(root, folder)
    const rules = entries.some((entry) => entry.name === ".gitignore")
      ? await rulesIn(root, folder, next.above)
      : next.above
    const files: Located[] = []
    const folders: Located[] = []
    for (const entry of entries) {
      if (!entry.isFile() && !entry.isDirectory()) continue
      const shown = folder.shown === "." ? entry.name : `${folder.shown}/${entry.name}`
      if (versionControl.has(entry.name) || isIgnored(entry.isDirectory() ? `${shown}/` : shown, rules)) continue
      const located: Located = { path: join(folder.path, entry.name), shown, exists: true }
      if (entry.isFile()) files.push(located)
      else folders.push(located)
    }
    for (const below of folders.toReversed()) pending.push({ folder: below, above: rules })
    seen += files.length
    if (seen > maxFiles) {
      throw systemError(
        "search_timeout",
        `The search passed ${maxFiles} files below "${start.shown}". Search in a smaller folder.`,
      )
    }
    if (files.length > 0) yield files
  }
}

/** The entries of a folder, sorted; none where it may not be read or became a link meanwhile. */
async function entriesOf(root: FileRoot, folder: Located): Promise<Dirent[]> {
  try {
    const entries = await inFolder(root, folder, (base) => readdir(base, { withFileTypes: true }))
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}
