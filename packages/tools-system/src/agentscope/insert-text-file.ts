import { type Tool, tool } from "@agentscope-ts/tool"
import { systemError } from "../error.ts"
import { lineBreakOf, snippet, spliceLines, splitLines } from "../files/lines.ts"
import { isPlainEdit, pathRules } from "../files/path-rules.ts"
import { readText } from "../files/read-text.ts"
import { encode } from "../files/text-encoding.ts"
import { writeBytes } from "../files/write-text.ts"
import { rootOf } from "../files/root-of.ts"
import type { FileOptions } from "./view-text-file.ts"
import { changed } from "./write-text-file.ts"

/**
 * `insert_text_file`: inserts lines before line `line_number` of a file of n lines, 1 to n + 1 (the end), and shows them
 * with five lines around. Asks for approval.
 */
export function insertTextFile(
  options: FileOptions,
): Tool<{ file_path: string; content: string; line_number: number }, string> {
  const root = rootOf("insertTextFile()", options)
  return tool({
    name: "insert_text_file",
    description: "Insert content into a text file at a line number; what stood there moves down.",
    input: {
      type: "object",
      properties: {
        file_path: { type: "string", description: "The path of the file, relative to the root folder." },
        content: { type: "string", description: "The content to insert." },
        line_number: {
          type: "integer",
          description: "The line number that the content begins at, counted from 1; the number of lines + 1 appends.",
        },
      },
      required: ["file_path", "content", "line_number"],
    },
    effects: "once",
    concurrencySafe: false,
    needsApproval: true,
    edits: ({ file_path }) => isPlainEdit(root, file_path),
    rules: pathRules(root, ({ file_path }: { file_path: string }) => file_path),
    execute: async ({ file_path, content, line_number }) => {
      const file = root.locateForWriting(file_path)
      if (!file.exists) {
        throw systemError("not_found", `The file "${file.shown}" does not exist. Create it with write_text_file.`)
      }
      const before = await readText(root, file)
      const lines = splitLines(before.text)
      if (line_number < 1 || line_number > lines.length + 1) {
        throw systemError(
          "invalid_argument",
          `InvalidArgumentsError: The line number ${line_number} is not in the valid range [1, ${lines.length + 1}].`,
        )
      }
      // an empty text still is an empty line
      const spliced = spliceLines(
        lines,
        line_number,
        line_number - 1,
        content === "" ? "\n" : content,
        lineBreakOf(before.text),
      )
      const after = spliced.lines.join("")
      await writeBytes(root, file, encode(after, before), before.stat)
      const view = snippet(spliced.lines, line_number, line_number + spliced.added - 1)
      const text = `Inserted the content into ${file.shown} at line ${line_number}. The new content of lines ${view.from}-${view.to}:\n\`\`\`\n${view.text}\n\`\`\``
      return changed(file, before.text, after, text)
    },
  })
}
