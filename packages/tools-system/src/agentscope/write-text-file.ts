import { type Tool, tool, type ToolResponse, toolResponse } from "@agentscope-ts/tool"
import { systemError } from "../error.ts"
import { diffText } from "../files/diff-text.ts"
import type { FileRoot, Located } from "../files/file-root.ts"
import { lineBreakOf, snippet, spliceLines, splitLines, withLineBreaks } from "../files/lines.ts"
import { isPlainEdit, pathRules } from "../files/path-rules.ts"
import { readText, type TextFile } from "../files/read-text.ts"
import { encode } from "../files/text-encoding.ts"
import { writeBytes } from "../files/write-text.ts"
import { rootOf } from "../files/root-of.ts"
import type { FileOptions } from "./view-text-file.ts"

type WriteInput = {
  file_path: string
  content: string
  ranges?: [number, number]
}

/** The answer to a change: the text for the model, the diff for people in the metadata. */
export function changed(file: Located, before: string | undefined, after: string, text: string): ToolResponse<string> {
  const metadata = { file_path: file.shown, diff: diffText(file.shown, before, after) }
  return toolResponse(text, { structured: text, metadata })
}

function lineCount(content: string): string {
  const { length } = splitLines(content)
  return length === 1 ? "1 line" : `${length} lines`
}

async function create(
  root: FileRoot,
  file: Located,
  content: string,
  ranges: readonly number[] | undefined,
): Promise<ToolResponse<string>> {
  await writeBytes(root, file, Buffer.from(content))
  const note =
    ranges === undefined ? "" : ` The ranges [${ranges.join(", ")}] are ignored because the file did not exist.`
  return changed(file, undefined, content, `Created ${file.shown} with ${lineCount(content)}.${note}`)
}

/** The old file where it can be read as text; what it is does not matter when all of it is replaced. */
async function readIfText(root: FileRoot, file: Located): Promise<TextFile | undefined> {
  try {
    return await readText(root, file)
  } catch (error) {
    if (
      error instanceof Error &&
      "code" in error &&
      ["binary_file", "bad_encoding", "too_large"].includes(String(error.code))
    )
      return undefined
    throw error
  }
}

/** Replaces all of a file; the kind of line breaks, encoding and mode stay. Gives the old text, where it was text. */
export async function overwriteText(root: FileRoot, file: Located, content: string) {
  const before = await readIfText(root, file)
  // the model sees lines, not line breaks: those of the file stay
  const after = before?.text.includes("\n") === true ? withLineBreaks(content, lineBreakOf(before.text)) : content
  const stat = await writeBytes(root, file, before ? encode(after, before) : Buffer.from(after), before?.stat)
  return { before: before?.text, after, stat }
}

async function overwrite(root: FileRoot, file: Located, content: string): Promise<ToolResponse<string>> {
  const { before = "", after } = await overwriteText(root, file, content)
  return changed(file, before, after, `Overwrote ${file.shown} with ${lineCount(content)}.`)
}

async function replaceLines(
  root: FileRoot,
  file: Located,
  content: string,
  [from, to]: readonly [number, number],
): Promise<ToolResponse<string>> {
  const before = await readText(root, file)
  const lines = splitLines(before.text)
  if (from < 1 || to < from) {
    throw systemError(
      "invalid_argument",
      `The range [${from}, ${to}] is invalid: lines count from 1, and the first comes before the last.`,
    )
  }
  if (from > lines.length) {
    throw systemError(
      "invalid_argument",
      `The start line ${from} is invalid: ${file.shown} has only ${lines.length} lines. To append, use insert_text_file.`,
    )
  }
  const end = Math.min(to, lines.length)
  const spliced = spliceLines(lines, from, end, content, lineBreakOf(before.text))
  const after = spliced.lines.join("")
  await writeBytes(root, file, encode(after, before), before.stat)
  const view = snippet(spliced.lines, from, from + spliced.added - 1)
  const text = `Replaced lines ${from}-${end} of ${file.shown}. The new content of lines ${view.from}-${view.to}:\n\`\`\`\n${view.text}\n\`\`\``
  return changed(file, before.text, after, text)
}

/**
 * `write_text_file`: creates a file (and its folders), overwrites one, or replaces a range of its lines. The encoding, the
 * kind of line breaks and the mode of an existing file stay. Asks for approval.
 */
export function writeTextFile(options: FileOptions): Tool<WriteInput, string> {
  const root = rootOf("writeTextFile()", options)
  return tool({
    name: "write_text_file",
    description:
      "Create or overwrite a text file, or replace a range of its lines. With ranges, only these lines are replaced; without, the whole file.",
    input: {
      type: "object",
      properties: {
        file_path: { type: "string", description: "The path of the file, relative to the root folder." },
        content: { type: "string", description: "The content to write." },
        ranges: {
          type: "array",
          items: { type: "integer" },
          minItems: 2,
          maxItems: 2,
          description:
            "The first and the last line to replace, inclusive, counted from 1. The whole file if not given.",
        },
      },
      required: ["file_path", "content"],
    },
    effects: "once",
    concurrencySafe: false,
    needsApproval: true,
    edits: ({ file_path }) => isPlainEdit(root, file_path),
    rules: pathRules(root, ({ file_path }: { file_path: string }) => file_path),
    execute: async ({ file_path, content, ranges }) => {
      const file = root.locateForWriting(file_path)
      if (!file.exists) return create(root, file, content, ranges)
      return ranges === undefined
        ? overwrite(root, file, content)
        : replaceLines(root, file, content, ranges as [number, number])
    },
  })
}
