import { expect, it } from "vitest"
import { mediaSourceOf } from "./media-source.ts"

it.each([
  ["https://example.com/a.png?x=1", { type: "url", url: "https://example.com/a.png?x=1" }],
  ["oss://bucket/a", { type: "url", url: "oss://bucket/a" }],
  ["data:image/PNG;base64,AAAA", { type: "base64", mediaType: "image/png", data: "AAAA" }],
  ["data:audio/wav;rate=24000;base64,AA==", { type: "base64", mediaType: "audio/wav", data: "AA==" }],
  ["data:;base64,AA==", { type: "base64", mediaType: "application/octet-stream", data: "AA==" }],
  ["", undefined],
  ["AAAA", undefined],
  ["a picture: of a cat", undefined],
])("%s", (url, source) => {
  expect(mediaSourceOf(url)).toEqual(source)
})
