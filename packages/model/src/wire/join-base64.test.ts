import { expect, it } from "vitest"
import { joinBase64 } from "./join-base64.ts"

it("puts the bytes of pieces together, whether they end in padding or within three bytes", () => {
  const text = "what was said, in pieces of odd lengths"
  for (let size = 1; size < 8; size++) {
    const pieces: string[] = []
    for (let at = 0; at < text.length; at += size) pieces.push(btoa(text.slice(at, at + size)))
    expect(atob(joinBase64(pieces))).toBe(text)
    expect(atob(joinBase64(btoa(text).match(new RegExp(`.{1,${size}}`, "g")) ?? []))).toBe(text)
  }
  expect(joinBase64([])).toBe("")
})
