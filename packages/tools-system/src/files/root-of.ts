import { checkNames, checkOption, isPath } from "../check-options.ts"
import { systemError } from "../error.ts"
import { FileRoot } from "./file-root.ts"

/** Throws `invalid_argument` for options of file tools without a root, or with others than `names`. */
export function checkFileOptions(where: string, options: unknown, names: readonly string[]): void {
  checkNames(where, options, names)
  const { root, encoding } = options as { readonly root?: unknown; readonly encoding?: unknown }
  if (!isPath(root)) {
    const given = root === undefined ? "none was given" : `${JSON.stringify(root) ?? typeof root} is no path`
    throw systemError(
      "invalid_argument",
      `${where} needs a root, the path of the folder that it may see, and ${given}: ${where.replace("()", "")}({ root: "./workspace" }).`,
    )
  }
  checkOption(where, "encoding", encoding, typeof encoding === "string", 'a name such as "gbk"')
}

/** The root of one file tool, from its options; throws `invalid_argument` for options that are none. */
export function rootOf(
  where: string,
  options: { readonly root: string; readonly encoding?: string | undefined },
): FileRoot {
  // tools that share their options need not have a use for the ledger
  checkFileOptions(where, options, ["root", "encoding", "ledger"])
  return new FileRoot(options.root, options.encoding)
}
