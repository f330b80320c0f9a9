import { type Tool, tool } from "@agentscope-ts/tool"
import { pathRules } from "../files/path-rules.ts"
import { rootOf } from "../files/root-of.ts"
import { globFiles } from "../search/glob.ts"
import { grepFiles } from "../search/grep.ts"
import type { ClaudeFileOptions } from "./read-ledger.ts"

const headLimit = 250
/** What "unlimited" means. */
const most = 10_000

const pages = {
  head_limit: {
    type: "integer",
    minimum: 0,
    description: `The most results; ${headLimit} if not given, 0 for ${most}.`,
  },
  offset: { type: "integer", minimum: 0, description: "How many results to leave out before. 0 if not given." },
} as const

const limitOf = (given: number | undefined): number => (given === 0 ? most : Math.min(given ?? headLimit, most))
const pathOf = ({ path }: { path?: string }): string => path ?? "."

function page(limit: number, offset: number): string {
  return `\n[Showing ${limit} results${offset > 0 ? ` after the first ${offset}` : ""}; there are more: use offset, or a narrower search.]`
}

/** The input of {@link globTool}. */
export type GlobInput = { pattern: string; path?: string; head_limit?: number; offset?: number }

/** `Glob`: the files whose path fits a glob, newest first, 250 unless said. */
export function globTool(options: Pick<ClaudeFileOptions, "root" | "encoding">): Tool<GlobInput, string> {
  const root = rootOf("globTool()", options)
  return tool({
    name: "Glob",
    description:
      'Find files by a glob pattern such as "**/*.js" or "src/**/*.ts". Gives their paths, newest first. Files that .gitignore names are left out.',
    input: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "The glob pattern." },
        path: { type: "string", description: "The folder to search in; the root folder if not given." },
        ...pages,
      },
      required: ["pattern"],
    },
    effects: "none",
    rules: pathRules(root, pathOf),
    execute: async ({ pattern, path, head_limit, offset = 0 }, { signal }) => {
      const { files, stopped } = await globFiles(root, { pattern, path }, signal)
      if (files.length === 0) return `No files found matching pattern: ${pattern}`
      const limit = limitOf(head_limit)
      const shown = files.slice(offset, offset + limit).map((file) => file.shown)
      return (
        shown.join("\n") +
        (files.length > offset + limit ? page(limit, offset) : "") +
        (stopped === undefined ? "" : `\n[${stopped}]`)
      )
    },
  })
}

/** The input of {@link grepTool}. */
export type GrepInput = {
  pattern: string
  path?: string
  output_mode?: "content" | "files_with_matches" | "count"
  glob?: string
  type?: string
  "-A"?: number
  "-B"?: number
  "-C"?: number
  context?: number
  n?: boolean
  i?: boolean
  multiline?: boolean
  head_limit?: number
  offset?: number
}

const shows = { content: "content", files_with_matches: "files", count: "count" } as const
const around = (description: string) => ({ type: "integer", minimum: 0, maximum: 100, description }) as const

/** `Grep`: searches file contents by a regular expression, in three output modes, 250 lines unless said. */
export function grepTool(options: Pick<ClaudeFileOptions, "root" | "encoding">): Tool<GrepInput, string> {
  const root = rootOf("grepTool()", options)
  return tool({
    name: "Grep",
    description:
      "Search the contents of files for a regular expression (JavaScript syntax). Gives the paths of matching files, matching lines with context, or counts. Binary files and files that .gitignore names are left out.",
    input: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "The regular expression." },
        path: { type: "string", description: "The file or folder to search; the root folder if not given." },
        output_mode: {
          type: "string",
          enum: ["content", "files_with_matches", "count"],
          description:
            "content: the matching lines. files_with_matches: paths only, the default. count: matching lines per file.",
        },
        glob: { type: "string", description: 'Only files that fit this glob, such as "*.ts" or "*.{ts,tsx}".' },
        type: { type: "string", description: 'Only files of this kind, such as "ts", "py" or "rust".' },
        "-A": around("Lines to show after each match, in mode content."),
        "-B": around("Lines to show before each match, in mode content."),
        "-C": around("Lines to show around each match, in mode content."),
        context: around("The same as -C."),
        n: { type: "boolean", description: "Whether to show line numbers in mode content. True if not given." },
        i: { type: "boolean", description: "Whether upper and lower case are the same. False if not given." },
        multiline: {
          type: "boolean",
          description: "Whether a match may span lines; . then fits a line break too. False if not given.",
        },
        ...pages,
      },
      required: ["pattern"],
    },
    effects: "none",
    rules: pathRules(root, pathOf),
    execute: async (
      {
        pattern,
        path,
        output_mode = "files_with_matches",
        glob,
        type,
        context,
        n,
        i,
        multiline,
        head_limit,
        offset = 0,
        ...rest
      },
      { signal },
    ) => {
      const both = context ?? rest["-C"]
      const limit = limitOf(head_limit)
      const request = {
        pattern,
        path,
        glob,
        type,
        multiline,
        limit,
        offset,
        ignoreCase: i,
        lineNumbers: n,
        show: shows[output_mode],
        before: both ?? rest["-B"],
        after: both ?? rest["-A"],
      }
      const { lines, more, skipped, stopped } = await grepFiles(root, request, signal)
      const text = lines.length === 0 ? `No matches found for pattern: ${pattern}` : lines.join("\n")
      const note = skipped > 0 ? `\n[${skipped} file(s) were too large or could not be read.]` : ""
      return text + (more ? page(limit, offset) : "") + (stopped === undefined ? "" : `\n[${stopped}]`) + note
    },
  })
}
