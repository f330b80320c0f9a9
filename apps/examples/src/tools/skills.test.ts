import { expect, it } from "vitest"
import { run } from "../fixtures/run-program.ts"

it("skills lists and reads folders that come and go", async () => {
  const { output, status } = await run("tools/skills.ts", "http://127.0.0.1:9")
  expect(output.trimEnd().split("\n")).toEqual([
    "off: none",
    "on: pdf | elsewhere: none",
    "later: letters pdf",
    "Use the blue pen. The fields are in fields.md.",
    "Name, date, signature",
    "gone: none",
  ])
  expect(status).toBe(0)
})
