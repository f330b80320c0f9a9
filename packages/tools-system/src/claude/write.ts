import { type Tool, tool, toolResponse } from "@agentscope-ts/tool"
import { overwriteText } from "../agentscope/write-text-file.ts"
import { splitLines } from "../files/lines.ts"
import { isPlainEdit, pathRules } from "../files/path-rules.ts"
import { statFile, writeBytes } from "../files/write-text.ts"
import { diffText } from "../files/diff-text.ts"
import { rootOf } from "../files/root-of.ts"
import { type ClaudeFileOptions, ledgerOf } from "./read-ledger.ts"

/** What `Write` and `Edit` did, for programs. */
export type FileChange = { file_path: string; occurrences: number }

/** `Write`: creates a file, or replaces one that was read before and has not changed since. Asks for approval. */
export function writeTool(options: ClaudeFileOptions): Tool<{ file_path: string; content: string }, FileChange> {
  const root = rootOf("writeTool()", options)
  const ledger = options.ledger ?? ledgerOf(root)
  return tool({
    name: "Write",
    description:
      "Write a file, with the folders it needs. A file that exists is replaced and must have been read with Read before. Prefer Edit for changes.",
    input: {
      type: "object",
      properties: {
        file_path: { type: "string", description: "The path of the file, absolute or relative to the root folder." },
        content: { type: "string", description: "The whole new content." },
      },
      required: ["file_path", "content"],
    },
    effects: "once",
    concurrencySafe: false,
    needsApproval: true,
    edits: ({ file_path }) => isPlainEdit(root, file_path),
    rules: pathRules(root, ({ file_path }: { file_path: string }) => file_path),
    execute: async ({ file_path, content }, context) => {
      const file = root.locateForWriting(file_path)
      if (file.exists) ledger.check(file, await statFile(file), context)
      const { before, after, stat } = file.exists
        ? await overwriteText(root, file, content)
        : { before: undefined, after: content, stat: await writeBytes(root, file, Buffer.from(content)) }
      ledger.note(file, stat, context)
      return toolResponse(`The file ${file.shown} has been written (${splitLines(content).length} lines).`, {
        structured: { file_path: file.shown, occurrences: 1 },
        metadata: { file_path: file.shown, diff: diffText(file.shown, before, after) },
      })
    },
  })
}
