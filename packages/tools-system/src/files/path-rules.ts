import picomatch from "picomatch"
import { isProtected, isSensitive } from "./containment.ts"
import type { FileRoot } from "./file-root.ts"

const special = /[*?{}()[\]!+@\\]/g

/** Whether a call does no more than edit a plain file inside the root: what the mode `accept_edits` lets run. */
export function isPlainEdit(root: FileRoot, path: string): boolean {
  const paths = pathsOf(root, path)
  return paths.length === 2 && !paths.some((each) => each === "." || isProtected(each) || isSensitive(each))
}

/** A path as it is written and where it really leads, relative to the root; fewer than two when it leads outside. */
function pathsOf(root: FileRoot, path: string): string[] {
  const paths: string[] = []
  const lexical = root.lexical(path)
  if (lexical !== undefined) paths.push(lexical)
  try {
    const { shown } = root.locate(path)
    paths.push(shown)
    // another way to write the root leads inside as well
    if (lexical === undefined) paths.push(shown)
  } catch {
    // outside: no rule allows it
  }
  return paths
}

/**
 * The pattern language of file tools: a glob over the path relative to the root, as in `write_text_file(src/**)`. Links are
 * looked through: what allows must fit the path as written and the real one, what denies or asks need fit only one.
 */
export function pathRules<In>(root: FileRoot, pathOf: (input: In) => string) {
  return {
    match(pattern: string, input: In, allows = true): boolean {
      const glob = pattern.startsWith(`${root.given}/`)
        ? pattern.slice(root.given.length + 1)
        : pattern.replace(/^\.\//, "")
      const fits = picomatch(glob, { dot: true })
      const paths = pathsOf(root, pathOf(input))
      return allows ? paths.length === 2 && paths.every((path) => fits(path)) : paths.some((path) => fits(path))
    },
    suggest(input: In): readonly string[] {
      const path = pathsOf(root, pathOf(input))[1]
      if (path === undefined) return []
      const folder = path.slice(0, Math.max(0, path.lastIndexOf("/"))).replaceAll(special, String.raw`\$&`)
      return [folder === "" ? path.replaceAll(special, String.raw`\$&`) : `${folder}/**`]
    },
  }
}
