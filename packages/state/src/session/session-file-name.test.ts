import { expect, test } from "vitest"
import { fileNameOf, idOf } from "./session-file-name.ts"

test.each([
  ["a-b_c.1", "a-b_c.1.json"],
  ["3f2b0c1e-8d1a-4f7e-9a57-0b5f7c2f9d10", "3f2b0c1e-8d1a-4f7e-9a57-0b5f7c2f9d10.json"],
  ["Ann", "%41nn.json"],
  ["user/42", "user%2f42.json"],
  [".hidden", "%2ehidden.json"],
  ["..", "%2e..json"],
  ["con", "%63on.json"],
  ["nul.x", "%6eul.x.json"],
  ["com1", "%63om1.json"],
  ["console", "console.json"],
  ["é", "%c3%a9.json"],
  ["x".repeat(200), `${"x".repeat(200)}.json`],
  ["x".repeat(201), expect.stringMatching(/^x{100}=[0-9a-f]{64}\.json$/)],
  [`${"x".repeat(99)}${"É".repeat(40)}`, expect.stringMatching(/^x{99}=[0-9a-f]{64}\.json$/)],
])("%s lies in %s", (id, file) => {
  expect(fileNameOf(id)).toEqual(file)
})

test("a name is no longer than file systems take, plain everywhere, and one id's alone", () => {
  const pieces = [
    "a",
    "A",
    ".",
    "%",
    "/",
    "\\",
    "con",
    "é",
    "E\u0301",
    "😀",
    " ",
    "=",
    "\u0001",
    "x".repeat(150),
    "Y".repeat(70),
  ]
  const names = new Map<string, string>()
  for (const a of pieces) {
    for (const b of ["", ...pieces]) {
      for (const c of ["", ...pieces]) {
        const id = a + b + c
        const name = fileNameOf(id)
        expect(name.length).toBeLessThanOrEqual(210)
        expect(name).toMatch(/^[a-z0-9_%-][a-z0-9._%=-]*\.json$/)
        expect(names.get(name) ?? id).toBe(id)
        names.set(name, id)
        const known = idOf(name)
        if (known !== "long") expect(known).toEqual({ id })
      }
    }
  }
})

test.each(["notes.txt", ".session-x.tmp", ".json", "A.json", "%2.json", "%ff.json", "%61.json", "a b.json", "é.json"])(
  "%s is no session's",
  (file) => {
    expect(idOf(file)).toBeUndefined()
  },
)
