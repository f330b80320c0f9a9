import { type Tool, tool } from "@agentscope-ts/tool"
import { pathRules } from "../files/path-rules.ts"
import { rootOf } from "../files/root-of.ts"
import { globFiles as findFiles } from "../search/glob.ts"
import { grepFiles as searchFiles } from "../search/grep.ts"
import type { FileOptions } from "./view-text-file.ts"

/** Lines that an answer has at most. */
const maxResults = 250

const pathOf = ({ path }: { path?: string }): string => path ?? "."

/** `glob_files`: the files whose path fits a glob, newest first, 250 at most. */
export function globFiles(options: FileOptions): Tool<{ pattern: string; path?: string }, string> {
  const root = rootOf("globFiles()", options)
  return tool({
    name: "glob_files",
    description:
      'Find files by a glob pattern such as "**/*.ts" or "src/**/*.{js,ts}". Gives their paths, the newest first. Files that .gitignore names are left out.',
    input: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "The glob pattern." },
        path: {
          type: "string",
          description: "The folder to search in, relative to the root folder, which is the default.",
        },
      },
      required: ["pattern"],
    },
    effects: "none",
    rules: pathRules(root, pathOf),
    execute: async ({ pattern, path }, { signal }) => {
      const { files, stopped } = await findFiles(root, { pattern, path }, signal)
      if (files.length === 0) return `No files match the pattern ${pattern}.`
      const shown = files.slice(0, maxResults).map((file) => file.shown)
      if (files.length > maxResults)
        shown.push(`… and ${files.length - maxResults} more; use a narrower pattern or path.`)
      if (stopped !== undefined) shown.push(`… ${stopped}`)
      return shown.join("\n")
    },
  })
}

/** `grep_files`: the lines that match a regular expression, as `path:line: text`, 250 at most. */
export function grepFiles(
  options: FileOptions,
): Tool<{ pattern: string; path?: string; glob?: string; case_insensitive?: boolean }, string> {
  const root = rootOf("grepFiles()", options)
  return tool({
    name: "grep_files",
    description:
      "Search the contents of files for a regular expression. Gives the matching lines as path:line:text. Binary files and files that .gitignore names are left out.",
    input: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "The regular expression (JavaScript syntax)." },
        path: {
          type: "string",
          description: "The file or folder to search, relative to the root folder, which is the default.",
        },
        glob: { type: "string", description: 'Only files that fit this glob, such as "*.ts" or "src/**".' },
        case_insensitive: {
          type: "boolean",
          description: "Whether upper and lower case are the same. False if not given.",
        },
      },
      required: ["pattern"],
    },
    effects: "none",
    rules: pathRules(root, pathOf),
    execute: async ({ pattern, path, glob, case_insensitive }, { signal }) => {
      const request = { pattern, path, glob, ignoreCase: case_insensitive, show: "content", limit: maxResults } as const
      const { lines, more, skipped, stopped } = await searchFiles(root, request, signal)
      const notes = lines.length === 0 ? [`No matches for ${pattern}.`] : []
      if (more) notes.push(`… and more; use a narrower pattern, path or glob.`)
      if (stopped !== undefined) notes.push(`… ${stopped}`)
      if (skipped > 0) notes.push(`${skipped} file(s) were too large or could not be read.`)
      return [...lines, ...notes].join("\n")
    },
  })
}
