import { type Tool, type ToolContext, tool, toolResponse } from "@agentscope-ts/tool"
import { systemError } from "../error.ts"
import type { FileRoot, Located } from "../files/file-root.ts"
import { imageType } from "../files/image-type.ts"
import { openToRead } from "../files/open-file.ts"
import { pathRules } from "../files/path-rules.ts"
import { readFileBytes, readLines } from "../files/read-text.ts"
import { rootOf } from "../files/root-of.ts"
import { isPdf, readPdf } from "./read-pdf.ts"
import { type ClaudeFileOptions, ledgerOf, type ReadLedger } from "./read-ledger.ts"

const mostLines = 2000
const maxLineChars = 2000
const maxChars = 90_000
const maxImageBytes = 5 * 1024 * 1024
const maxPdfBytes = 20 * 1024 * 1024

async function startOf(root: FileRoot, file: Located): Promise<Buffer> {
  const { handle } = await openToRead(root, file)
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(16), position: 0 })
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function readText(
  root: FileRoot,
  file: Located,
  input: { offset: number; limit: number },
  ledger: ReadLedger,
  context: ToolContext,
): Promise<string> {
  const window = { from: input.offset, to: input.offset + input.limit - 1, maxChars, maxLineChars }
  const { lines, total, damaged, stat } = await readLines(root, file, window, context.signal)
  ledger.note(file, stat, context)
  if (lines.length === 0) {
    if (total === 0) return `(The file ${file.shown} is empty.)`
    throw systemError(
      "invalid_argument",
      `The offset ${input.offset} is beyond the end: ${file.shown} has only ${total ?? "fewer"} lines.`,
    )
  }
  const shown = lines.map((line, i) => `${String(input.offset + i).padStart(6)}\t${line}`)
  const next = input.offset + lines.length
  if (total === undefined) shown.push(`(The file goes on; read it with offset ${next}.)`)
  if (damaged) shown.push("(Bytes that are no valid text are shown as \ufffd.)")
  return shown.join("\n")
}

/** The input of {@link readTool}. */
export type ReadInput = { file_path: string; offset?: number; limit?: number; pages?: string }

/**
 * `Read`: a text file by lines (2000, of 2000 characters each, at most), an image up to 5 MiB, or the text of a PDF up to
 * 20 MiB by pages (20 at most; needs the package unpdf).
 */
export function readTool(options: ClaudeFileOptions): Tool<ReadInput, string | undefined> {
  const root = rootOf("readTool()", options)
  const ledger = options.ledger ?? ledgerOf(root)
  return tool({
    name: "Read",
    description: `Read a file. Text comes with line numbers, as "     1\ttext"; up to ${mostLines} lines from the start unless offset and limit say otherwise, and lines longer than ${maxLineChars} characters are cut. Images (PNG, JPEG, GIF, WebP) are shown, of a PDF the text of its pages.`,
    input: {
      type: "object",
      properties: {
        file_path: { type: "string", description: "The path of the file, absolute or relative to the root folder." },
        offset: {
          type: "integer",
          minimum: 1,
          description: "The line to start at, counted from 1, which is the default.",
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: mostLines,
          description: `The most lines to read; ${mostLines} if not given.`,
        },
        pages: {
          type: "string",
          description: 'The pages of a PDF to read, such as "3" or "1-5"; the first 20 if not given.',
        },
      },
      required: ["file_path"],
    },
    effects: "none",
    rules: pathRules(root, ({ file_path }: { file_path: string }) => file_path),
    execute: async ({ file_path, offset = 1, limit = mostLines, pages }, context) => {
      const file = root.locate(file_path)
      const head = await startOf(root, file)
      if (isPdf(head)) {
        const { bytes, stat } = await readFileBytes(root, file, maxPdfBytes)
        ledger.note(file, stat, context)
        return readPdf(bytes, file.shown, pages)
      }
      const mediaType = imageType(head)
      if (mediaType === undefined) return readText(root, file, { offset, limit }, ledger, context)
      const { bytes, stat } = await readFileBytes(root, file, maxImageBytes)
      ledger.note(file, stat, context)
      const source = { type: "base64", mediaType, data: bytes.toString("base64") } as const
      return toolResponse([{ type: "image", source, name: file.shown }])
    },
  }) as Tool<ReadInput, string | undefined>
}
