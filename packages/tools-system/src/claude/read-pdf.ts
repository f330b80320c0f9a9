import { cutText } from "@agentscope-ts/message"
import { systemError } from "../error.ts"

const mostPages = 20
const maxChars = 90_000

/** The pages that `"3"` or `"2-5"` names, 20 at most; throws `invalid_argument`. */
export function pageRange(pages: string | undefined, total: number): { from: number; to: number } {
  const found = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(pages ?? `1-${Math.min(total, mostPages)}`)
  const from = Number(found?.[1])
  const to = Math.min(Number(found?.[2] ?? from), total)
  if (found === null || from < 1 || to < from || to - from >= mostPages) {
    throw systemError(
      "invalid_argument",
      `The pages "${pages}" cannot be read: the file has ${total}, and "3" or "1-5" names ${mostPages} of them at most.`,
    )
  }
  return { from, to }
}

async function loadReader(): Promise<typeof import("unpdf")> {
  try {
    return await import("unpdf")
  } catch (cause) {
    const message = "Reading a PDF needs the package unpdf, which is not installed here. Install it: npm install unpdf"
    throw systemError("package_missing", message, { cause })
  }
}

/** Whether a file starts as a PDF does. */
export function isPdf(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 5)).toString("latin1") === "%PDF-"
}

/** The text of some pages of a PDF, each under its number. */
export async function readPdf(bytes: Uint8Array, shown: string, pages: string | undefined): Promise<string> {
  const { getDocumentProxy } = await loadReader()
  const pdf = await getDocumentProxy(new Uint8Array(bytes)).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw systemError("bad_encoding", `"${shown}" cannot be read as a PDF: ${cutText(why, 200)}`, { cause })
  })
  try {
    const { from, to } = pageRange(pages, pdf.numPages)
    const texts: string[] = []
    let length = 0
    for (let number = from; number <= to; number++) {
      const { items } = await (await pdf.getPage(number)).getTextContent()
      const words = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""))
      const text = `[Page ${number} of ${pdf.numPages}]\n${words.join("").trim() || "(no text on this page)"}`
      length += text.length
      if (length > maxChars && texts.length > 0) {
        texts.push(`(The rest was cut; read it with pages "${number}-${to}".)`)
        return texts.join("\n\n")
      }
      texts.push(cutText(text, maxChars))
    }
    if (to < pdf.numPages && pages === undefined)
      texts.push(`(The file goes on; read it with pages "${to + 1}-${Math.min(pdf.numPages, to + mostPages)}".)`)
    return texts.join("\n\n")
  } finally {
    await pdf.loadingTask.destroy()
  }
}
