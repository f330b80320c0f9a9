import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type Chunking, splitBody } from "./split-body.ts"

const chunkings: readonly Chunking[] = ["whole", "event", "byte", "lines", "random"]
const split = (text: string, chunking: Chunking, more?: { seed?: number; maxChunk?: number; ndjson?: boolean }) =>
  splitBody(Buffer.from(text), { chunking, seed: 1, maxChunk: 40, ndjson: false, ...more })
const texts = (pieces: readonly Buffer[]) => pieces.map((piece) => piece.toString("latin1"))

describe("splitBody", () => {
  test("any body in any pieces is the body again, and no piece is empty", () => {
    const text = fc
      .array(fc.constantFrom("data: ", "x", "你好", "🌍", "\n", "\r\n", "\n\n", "\r\n\r\n", "\r\r"))
      .map((a) => a.join(""))
    const seed = fc.integer({ min: 0, max: 2 ** 31 })
    fc.assert(
      fc.property(
        text,
        fc.constantFrom(...chunkings),
        seed,
        fc.integer({ min: 1, max: 50 }),
        (body, how, seed, maxChunk) => {
          const pieces = split(body, how, { seed, maxChunk })
          expect(Buffer.concat(pieces).toString()).toBe(body)
          expect(pieces.every((piece) => piece.length > 0)).toBe(true)
        },
      ),
      { seed: 7 },
    )
  })

  test("an event ends at a blank line, whatever the line ends are", () => {
    expect(texts(split("a\nb\n\nc\r\n\r\nd\r\re", "event"))).toEqual(["a\nb\n\n", "c\r\n\r\n", "d\r\r", "e"])
  })

  test("with NDJSON an event is a line", () => {
    expect(texts(split("{}\n{}\n", "event", { ndjson: true }))).toEqual(["{}\n", "{}\n"])
  })

  test("lines, bytes and the whole", () => {
    expect(texts(split("a\r\nb\nc", "lines"))).toEqual(["a\r\n", "b\n", "c"])
    expect(split("你a", "byte").map((piece) => [...piece])).toEqual([[0xe4], [0xbd], [0xa0], [0x61]])
    expect(texts(split("a\n\nb", "whole"))).toEqual(["a\n\nb"])
    for (const chunking of chunkings) expect(split("", chunking)).toEqual([])
  })

  test("random pieces depend on the seed alone, stay under maxChunk and cut inside characters and line ends", () => {
    const body = "data: 你好🌍 und weiter\r\n\r\n".repeat(40)
    const of = (seed: number) => split(body, "random", { seed, maxChunk: 12 })
    expect(of(3)).toEqual(of(3))
    expect(of(3)).not.toEqual(of(4))
    expect(Math.max(...of(3).map((piece) => piece.length))).toBeLessThanOrEqual(12)
    const long = split(body, "random", { seed: 3, maxChunk: 100_000 })
    const insideCharacters = long.filter((piece) => ((piece[0] ?? 0) & 0xc0) === 0x80)
    const insideLineEnds = long.filter((piece, i, all) => piece[0] === 10 && all[i - 1]?.at(-1) === 13)
    expect(insideCharacters.length).toBeGreaterThan(100)
    expect(insideLineEnds.length).toBeGreaterThan(20)
  })

  test("an unknown chunking names the known ones", () => {
    expect(() => split("a", "words" as Chunking)).toThrow(/"words".*whole, event, byte, lines, random/)
  })
})
