import { describe, expect, it, vi } from "vitest"
import { textOf } from "@agentscope-ts/message"
import { callTool, textOfCall } from "../fixtures/call-tool.ts"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { pageRange } from "./read-pdf.ts"
import { readTool } from "./read.ts"

/** A PDF with one line of text on each page. */
function pdf(lines: readonly string[]): Buffer {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${lines.length} /Kids [${lines.map((_, i) => `${4 + i * 2} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ]
  for (const [i, line] of lines.entries()) {
    const content = `BT /F1 12 Tf 20 100 Td (${line}) Tj ET`
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents ${5 + i * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    )
  }
  let text = "%PDF-1.4\n"
  const places = objects.map((object, i) => {
    const at = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const start = text.length
  const table = places.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("")
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(text, "latin1")
}

describe("Read of a PDF", () => {
  it("gives the text of its pages, 20 at most", async () => {
    const lines = Array.from({ length: 25 }, (_, i) => `Line ${i + 1}`)
    const folder = new TempFolder({ "a.pdf": pdf(lines) })
    const read = readTool({ root: folder.path })
    expect(await textOfCall(read, { file_path: "a.pdf", pages: "2-3" })).toBe(
      "[Page 2 of 25]\nLine 2\n\n[Page 3 of 25]\nLine 3",
    )
    const all = await textOfCall(read, { file_path: "a.pdf" })
    expect(all).toContain('[Page 20 of 25]\nLine 20\n\n(The file goes on; read it with pages "21-25".)')
    expect(all).not.toContain("Line 21")
    for (const pages of ["0", "26", "1-21", "3-2", "x"])
      expect(await textOfCall(read, { file_path: "a.pdf", pages })).toContain("the file has 25")
  })

  it("says what is wrong with a broken one, and what is to be installed", async () => {
    const folder = new TempFolder({ "a.pdf": "%PDF-1.7\nnothing" })
    const broken = await callTool(readTool({ root: folder.path }), { file_path: "a.pdf" })
    expect([broken.state, textOf(broken)]).toEqual(["error", expect.stringContaining("cannot be read as a PDF")])
    vi.doMock("unpdf", () => {
      throw new TypeError("Cannot find package")
    })
    expect(await textOfCall(readTool({ root: folder.path }), { file_path: "a.pdf" })).toContain("npm install unpdf")
    vi.doUnmock("unpdf")
  })

  it("reads ranges to the last page", () => {
    expect(pageRange("3-9", 5)).toEqual({ from: 3, to: 5 })
    expect(pageRange(undefined, 40)).toEqual({ from: 1, to: 20 })
    expect(pageRange(" 2 - 4 ", 5)).toEqual({ from: 2, to: 4 })
  })
})
