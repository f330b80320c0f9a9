import { expect, test } from "vitest"
import { requireMediaSize } from "./media-size.ts"
import { isText, textOfMedia } from "./text-media.ts"

test("files of text are known by their type or name, and give their text", () => {
  for (const mediaType of ["text/csv", "application/json", "image/svg+xml"])
    expect(isText({ mediaType, data: "" })).toBe(true)
  expect(isText({ mediaType: "application/pdf", data: "" })).toBe(false)
  expect(isText({ type: "url", url: "https://h/a.json?b=c.pdf" })).toBe(true)
  expect(isText({ type: "url", url: "https://h/a.json", mediaType: "application/pdf" })).toBe(false)
  expect(textOfMedia({ mediaType: "text/plain", data: Buffer.from("a,é").toString("base64") })).toBe("a,é")
})

test("media that are too large are named with their size and what to do", () => {
  const media = { mediaType: "image/png", data: "A".repeat(2 * 1024 * 1024) }
  const limits = { kind: "image", where: "Acme" }
  expect(() => requireMediaSize(media, 2, limits)).not.toThrow()
  expect(() => requireMediaSize(media, 1, { ...limits, how: "upload it" })).toThrow(
    "Acme takes no image of more than 1 MB, and one has 1.5 MB: upload it.",
  )
})
