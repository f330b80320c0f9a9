import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { BoundedOutput } from "./bounded-output.ts"

function keep(limit: number, chunks: readonly Uint8Array[]): BoundedOutput {
  const output = new BoundedOutput(limit)
  for (const chunk of chunks) output.push(Buffer.from(chunk))
  return output
}
const split = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}

describe("output in bounded memory", () => {
  it("is kept whole up to the limit", () => {
    expect(keep(10, split("0123456789", 3)).text()).toBe("0123456789")
    expect(keep(10, split("0123456789", 3)).cut).toBe(0)
    expect(keep(10, []).text()).toBe("")
  })

  it("keeps the start and the end beyond it, and says how much is missing", () => {
    const output = keep(10, split(`01234${"x".repeat(100)}56789`, 7))
    expect(output.text()).toBe("01234\n[100 bytes cut here]\n56789")
    expect(output.cut).toBe(100)
  })

  it("is the same however it comes", () => {
    const text = "0123456789".repeat(50)
    const whole = keep(64, [Buffer.from(text)]).text()
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 40 }), (sizes) => {
        const chunks: Buffer[] = []
        for (let at = 0, i = 0; at < text.length; i++) {
          const size = sizes[i % sizes.length] as number
          chunks.push(Buffer.from(text.slice(at, at + size)))
          at += size
        }
        expect(keep(64, chunks).text()).toBe(whole)
      }),
      { seed: 1 },
    )
  })

  it("FR-06 never cuts a character in two, wherever the cut falls", () => {
    for (let limit = 8; limit < 60; limit++) {
      for (const text of ["é", "你", "🌍", "a🌍é你"].map((unit) => unit.repeat(40))) {
        const shown = keep(limit, split(text, 5)).text()
        expect(shown).not.toContain("\ufffd")
        expect(shown.isWellFormed()).toBe(true)
      }
    }
    // but shows what was broken before
    expect(keep(100, [Uint8Array.from([0x61, 0xff, 0x62])]).text()).toBe("a\ufffdb")
  })

  it("does not hold on to the reader's buffers", () => {
    const chunk = Buffer.from("aaaa")
    const output = new BoundedOutput(100)
    output.push(chunk)
    chunk.fill("b")
    expect(output.text()).toBe("aaaa")
  })
})
