import { join } from "node:path"
import ignore, { type Ignore } from "ignore"
import type { FileRoot, Located } from "../files/file-root.ts"
import { readFileBytes } from "../files/read-text.ts"

/** The `.gitignore` rules that apply in a folder: its own, then those of the folders above. */
export interface IgnoreRules {
  /** Relative to the root, "" for the root. */
  readonly folder: string
  readonly rules: Ignore
  readonly above: IgnoreRules | undefined
}

const maxBytes = 256 * 1024

/** Whether a path relative to the root (folders end with "/") is ignored; the nearest file that says something decides. */
export function isIgnored(path: string, rules: IgnoreRules | undefined): boolean {
  for (let at = rules; at !== undefined; at = at.above) {
    const result = at.rules.test(at.folder === "" ? path : path.slice(at.folder.length + 1))
    if (result.ignored) return true
    if (result.unignored) return false
  }
  return false
}

/** The rules for a folder, with its `.gitignore` if it has a readable one. */
export async function rulesIn(
  root: FileRoot,
  folder: Located,
  above: IgnoreRules | undefined,
): Promise<IgnoreRules | undefined> {
  const file: Located = {
    path: join(folder.path, ".gitignore"),
    shown: folder.shown === "." ? ".gitignore" : `${folder.shown}/.gitignore`,
    exists: true,
  }
  try {
    const { bytes } = await readFileBytes(root, file, maxBytes)
    return { folder: folder.shown === "." ? "" : folder.shown, rules: ignore().add(bytes.toString("utf8")), above }
  } catch {
    return above // none, too large, or no file: nothing is ignored by it
  }
}

/** The rules of the folders from the root down to (without) `folder`; none when they ignore `folder` itself. */
export async function rulesAbove(root: FileRoot, folder: Located): Promise<IgnoreRules | undefined> {
  if (folder.shown === ".") return undefined
  let rules: IgnoreRules | undefined
  const names = folder.shown.split("/")
  for (let depth = 0; depth < names.length; depth++) {
    const shown = names.slice(0, depth).join("/") || "."
    rules = await rulesIn(root, { path: join(root.real, ...names.slice(0, depth)), shown, exists: true }, rules)
    // asked for by name: then it is wanted, whatever is ignored
    if (isIgnored(`${names.slice(0, depth + 1).join("/")}/`, rules)) return undefined
  }
  return rules
}
