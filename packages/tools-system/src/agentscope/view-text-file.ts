import { type Tool, tool } from "@agentscope-ts/tool"
import { systemError } from "../error.ts"
import { numbered } from "../files/lines.ts"
import { pathRules } from "../files/path-rules.ts"
import { type FileLines, readLines } from "../files/read-text.ts"
import { rootOf } from "../files/root-of.ts"

/** Where file tools may work. */
export interface FileOptions {
  /** The folder that the tools see; nothing outside it can be read or written, through links either. */
  root: string
  /**
   * How files are stored that are neither UTF-8 nor UTF-16, such as `"gbk"` or `"latin1"`: they are read so, and keep it when
   * changed (which needs the package iconv-lite). New files are UTF-8.
   */
  encoding?: string | undefined
}

// below what a toolkit lets through, so that the note about the rest gets through as well
const maxChars = 90_000
const maxLineChars = 10_000

function checkRange(from: number, to: number): void {
  const bothSides = from > 0 === to > 0
  if (from === 0 || to === 0 || (bothSides && from > to)) {
    throw systemError(
      "invalid_argument",
      `The range [${from}, ${to}] is invalid: lines count from 1, or from -1 at the end of the file, and the first comes before the last.`,
    )
  }
}

function describe(shown: string, found: FileLines & { first: number }, ranges: readonly number[] | undefined): string {
  const { lines, first, total, damaged } = found
  if (lines.length === 0) {
    if (total === 0) return `The file ${shown} is empty.`
    const range = ranges === undefined ? "" : ` [${ranges.join(", ")}]`
    throw systemError(
      "invalid_argument",
      `The range${range} has no lines: ${shown} has only ${total ?? "fewer"} lines.`,
    )
  }
  const last = first + lines.length - 1
  const head = `The content of ${shown}${ranges === undefined ? "" : ` in lines [${first}, ${last}]`}:`
  const notes: string[] = []
  if (total === undefined && (ranges === undefined || last < (ranges[1] as number))) {
    notes.push(`The rest was cut. View it with ranges [${last + 1}, …].`)
  }
  if (damaged) notes.push("Bytes that are no valid text are shown as \ufffd.")
  return [head, "```", numbered(lines, first), "```", ...notes].join("\n")
}

/** `view_text_file`: shows a text file with line numbers, whole (up to 90 000 characters) or by a range of lines. */
export function viewTextFile(options: FileOptions): Tool<{ file_path: string; ranges?: [number, number] }, string> {
  const root = rootOf("viewTextFile()", options)
  return tool({
    name: "view_text_file",
    description:
      "View the content of a text file with line numbers. Lines are counted from 1; a range may also count from the end, as in [-100, -1] for the last 100 lines.",
    input: {
      type: "object",
      properties: {
        file_path: { type: "string", description: "The path of the file, relative to the root folder." },
        ranges: {
          type: "array",
          items: { type: "integer" },
          minItems: 2,
          maxItems: 2,
          description: "The first and the last line to view, inclusive, such as [1, 100]. The whole file if not given.",
        },
      },
      required: ["file_path"],
    },
    effects: "none",
    rules: pathRules(root, ({ file_path }: { file_path: string }) => file_path),
    execute: async ({ file_path, ranges }, { signal }) => {
      const [from = 1, to = Number.POSITIVE_INFINITY] = ranges ?? []
      if (ranges !== undefined) checkRange(from, to)
      const file = root.locate(file_path)
      return describe(file.shown, await readLines(root, file, { from, to, maxChars, maxLineChars }, signal), ranges)
    },
  })
}
