import { expect, it } from "vitest"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { statEntry } from "./stat-entry.ts"

it("says what is gone since it was located, without the machine's own paths", async () => {
  const folder = new TempFolder({ a: "" })
  expect((await statEntry({ path: folder.at("a"), shown: "a", exists: true })).isFile()).toBe(true)
  for (const [shown, code] of [
    ["gone", "not_found"],
    ["a/gone", "io_error"],
  ] as const) {
    const error: unknown = await statEntry({ path: folder.at(shown), shown, exists: true }).catch((reason) => reason)
    expect(error).toMatchObject({ code, message: expect.not.stringContaining(folder.path) })
  }
})
