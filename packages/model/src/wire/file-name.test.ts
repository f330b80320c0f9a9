import { expect, test } from "vitest"
import { fileNameOf } from "./file-name.ts"

test("a file is called by its name, else by the last of its path, else as usual", () => {
  const nameOf = (url: string, name?: string) =>
    fileNameOf({ type: "file", source: { type: "url", url }, ...(name && { name }) }, "file.pdf")
  expect(nameOf("https://h/a.pdf", "paper.pdf")).toBe("paper.pdf")
  expect(nameOf("https://h/dir/a.pdf?x=1#y")).toBe("a.pdf")
  expect(nameOf("C:\\docs\\a.pdf")).toBe("a.pdf")
  expect(nameOf("data:application/pdf;base64,AA==")).toBe("file.pdf")
  expect(nameOf("https://h/dir/")).toBe("file.pdf")
})
