import { readdir } from "node:fs/promises"
import { type Tool, tool } from "@agentscope-ts/tool"
import { ioError } from "../error.ts"
import { inFolder } from "../files/open-file.ts"
import { pathRules } from "../files/path-rules.ts"
import { rootOf } from "../files/root-of.ts"
import { locateFolder } from "../search/glob.ts"
import type { FileOptions } from "./view-text-file.ts"

const maxEntries = 1000

function section(title: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const more = names.length > maxEntries ? [`  … and ${names.length - maxEntries} more`] : []
  return [title, ...names.slice(0, maxEntries).map((name) => `  ${name}`), ...more]
}

/** `list_directory`: the folders and files of a folder, sorted, as paths relative to the root; 1000 of each at most. */
export function listDirectory(options: FileOptions): Tool<{ dir_path?: string }, string> {
  const root = rootOf("listDirectory()", options)
  return tool({
    name: "list_directory",
    description: "List the folders and files in a folder.",
    input: {
      type: "object",
      properties: {
        dir_path: {
          type: "string",
          description: "The path of the folder, relative to the root folder, which is the default.",
        },
      },
    },
    effects: "none",
    rules: pathRules(root, ({ dir_path }: { dir_path?: string }) => dir_path ?? "."),
    execute: async ({ dir_path = "." }) => {
      const folder = await locateFolder(root, dir_path)
      try {
        const entries = await inFolder(root, folder, (base) => readdir(base, { withFileTypes: true }))
        const named = (name: string) => (folder.shown === "." ? name : `${folder.shown}/${name}`)
        const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => `${named(entry.name)}/`)
        const files = entries
          .filter((entry) => !entry.isDirectory())
          .map((entry) => `${named(entry.name)}${entry.isSymbolicLink() ? " (link)" : ""}`)
        if (entries.length === 0) return `The folder ${folder.shown} is empty.`
        return [
          `The content of ${folder.shown}:`,
          ...section("Directories:", folders.toSorted()),
          ...section("Files:", files.toSorted()),
          `Total: ${folders.length} director${folders.length === 1 ? "y" : "ies"}, ${files.length} file${files.length === 1 ? "" : "s"}`,
        ].join("\n")
      } catch (error) {
        throw ioError("list", folder.shown, error)
      }
    },
  })
}
