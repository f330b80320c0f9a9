import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Utf8Decoder } from "./utf8.ts"

const whole = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)

function inPieces(bytes: Uint8Array, cuts: readonly number[]): string {
  const decoder = new Utf8Decoder()
  const places = [...new Set([0, ...cuts, bytes.length])].filter((cut) => cut <= bytes.length).toSorted((a, b) => a - b)
  let text = ""
  for (let i = 1; i < places.length; i++) text += decoder.write(bytes.subarray(places[i - 1], places[i]))
  return text + decoder.end()
}

const sample = new TextEncoder().encode('data: {"t":"你好🌍 é\u0000\ufeff"}\n\n')

describe("Utf8Decoder", () => {
  it("FR-06 gives the same text wherever multi-byte text is cut", () => {
    for (let cut = 0; cut <= sample.length; cut++) {
      expect(inPieces(sample, [cut])).toBe(whole(sample))
      expect(inPieces(Buffer.from(sample), [cut])).toBe(whole(sample))
    }
    expect(inPieces(sample, [...sample.keys()])).toBe(whole(sample))
  })

  it("decodes any bytes, valid or not, as a decoder of the whole would", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => new TextEncoder().encode(text)),
      // dense in lead and continuation bytes
      fc
        .array(fc.constantFrom(0x41, 0x80, 0xbf, 0xc3, 0xe2, 0xed, 0xf0, 0x9f, 0xff), { maxLength: 24 })
        .map((list) => Uint8Array.from(list)),
    )
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(40)), fc.boolean(), (input, cuts, buffer) => {
        expect(inPieces(buffer ? Buffer.from(input) : input, cuts)).toBe(whole(input))
      }),
      { numRuns: process.env["AGENTSCOPE_SOAK"] === "1" ? 20_000 : 2000, seed: 6 },
    )
  })

  it("tells bytes that end inside a character at the end, once", () => {
    const decoder = new Utf8Decoder()
    expect(decoder.write(Uint8Array.of(0x41, 0xe4, 0xbd))).toBe("A")
    expect(decoder.end()).toBe("\ufffd")
    expect(decoder.end()).toBe("")
  })

  it("does not keep a piece alive for its last bytes", () => {
    const decoder = new Utf8Decoder()
    const piece = Uint8Array.of(0xe4, 0xbd)
    decoder.write(piece)
    piece.fill(0)
    expect(decoder.write(Uint8Array.of(0xa0))).toBe("你")
  })
})
