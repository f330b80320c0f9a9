import { type Tool, tool, toolResponse } from "@agentscope-ts/tool"
import { systemError } from "../error.ts"
import { isPlainEdit, pathRules } from "../files/path-rules.ts"
import { readText } from "../files/read-text.ts"
import { encode } from "../files/text-encoding.ts"
import { writeBytes } from "../files/write-text.ts"
import { diffText } from "../files/diff-text.ts"
import { rootOf } from "../files/root-of.ts"
import { type ClaudeFileOptions, ledgerOf } from "./read-ledger.ts"
import type { FileChange } from "./write.ts"

interface Replacement {
  readonly old_string: string
  readonly new_string: string
  readonly replace_all?: boolean
}

/** The text with the replacement made, and how often; throws `no_match` and `not_unique`. */
export function replaceIn(text: string, { old_string, new_string, replace_all = false }: Replacement, shown: string) {
  if (old_string === "") throw systemError("invalid_argument", "old_string is empty. Give the text to replace.")
  if (old_string === new_string)
    throw systemError("invalid_argument", "old_string and new_string are the same: there is nothing to change.")
  // the model sees lines without their CR
  const isWindows = !text.includes(old_string) && text.includes(old_string.replaceAll(/\r?\n/g, "\r\n"))
  const wanted = isWindows ? old_string.replaceAll(/\r?\n/g, "\r\n") : old_string
  const breaks = isWindows || (text.includes("\r\n") && !/[^\r]\n/.test(text))
  const replacement = breaks ? new_string.replaceAll(/\r?\n/g, "\r\n") : new_string
  const pieces = text.split(wanted)
  const occurrences = pieces.length - 1
  if (occurrences === 0) {
    throw systemError(
      "no_match",
      `old_string was not found in ${shown}. It must be exactly what the file holds, with its blanks, and without the line numbers.`,
    )
  }
  if (occurrences > 1 && !replace_all) {
    throw systemError(
      "not_unique",
      `old_string appears ${occurrences} times in ${shown}. Add lines around it until it is unique, or set replace_all.`,
    )
  }
  return { text: pieces.join(replacement), occurrences }
}

/** `Edit`: replaces a text in a file that was read before; it must be unique, or all of it is replaced. Asks for approval. */
export function editTool(
  options: ClaudeFileOptions,
): Tool<{ file_path: string; old_string: string; new_string: string; replace_all?: boolean }, FileChange> {
  const root = rootOf("editTool()", options)
  const ledger = options.ledger ?? ledgerOf(root)
  return tool({
    name: "Edit",
    description:
      "Replace a text in a file. The file must have been read with Read before. old_string must be exactly what the file holds, without the line numbers that Read shows, and appear once unless replace_all is set.",
    input: {
      type: "object",
      properties: {
        file_path: { type: "string", description: "The path of the file, absolute or relative to the root folder." },
        old_string: { type: "string", description: "The text to replace." },
        new_string: { type: "string", description: "The text to put in its place." },
        replace_all: { type: "boolean", description: "Whether all occurrences are replaced. False if not given." },
      },
      required: ["file_path", "old_string", "new_string"],
    },
    effects: "once",
    concurrencySafe: false,
    needsApproval: true,
    edits: ({ file_path }) => isPlainEdit(root, file_path),
    rules: pathRules(root, ({ file_path }: { file_path: string }) => file_path),
    execute: async (input, context) => {
      const file = root.locateForWriting(input.file_path)
      if (!file.exists) throw systemError("not_found", `The file "${file.shown}" does not exist. Create it with Write.`)
      const before = await readText(root, file)
      ledger.check(file, before.stat, context)
      const { text, occurrences } = replaceIn(before.text, input, file.shown)
      ledger.note(file, await writeBytes(root, file, encode(text, before), before.stat), context)
      const what = occurrences === 1 ? "1 occurrence" : `all ${occurrences} occurrences`
      return toolResponse(`Replaced ${what} in ${file.shown}.`, {
        structured: { file_path: file.shown, occurrences },
        metadata: { file_path: file.shown, diff: diffText(file.shown, before.text, text) },
      })
    },
  })
}
