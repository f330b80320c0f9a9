import { describe, expect, it } from "vitest"
import { Frame } from "./frame.ts"

interface Chunk {
  readonly type: string
  readonly delta: string
}
const chunkOf = (delta: string, sequence = 1, tokens = 5) =>
  JSON.stringify({ type: "text", sequence_number: sequence, delta, usage: { total_tokens: tokens }, seen: "no" })
const read = (chunk: unknown) => (chunk as Chunk).delta
const varying = String.raw`"(?:sequence_number|total_tokens)":\d+`

describe("a frame", () => {
  it("reads texts between the same bytes, whatever the text", () => {
    const frame = Frame.of(chunkOf("a"), '"delta":', read) as Frame
    for (const text of ["", "b", 'say "hi"', "\\", '\\"', "\n\u0001", "é😀", '","seen":"no"}']) {
      const event = `data: ${chunkOf(text)}\n\n`
      expect(frame.match(`xx${event}yy`, 2)).toBe(text)
      expect(frame.end).toBe(2 + event.length)
    }
    expect(frame.match(`data: ${chunkOf("b", 2)}\n\n`, 0)).toBeUndefined()
    expect(frame.match(`data: ${chunkOf("b")}\n`, 0)).toBeUndefined()
  })

  it("lets counters change on both sides of the text, and nothing else", () => {
    const frame = Frame.of(chunkOf("a"), '"delta":', read, { varying }) as Frame
    for (const text of ["b", 'say "hi"', "\\", '\\\\"', "", '"total_tokens":7']) {
      const event = `data: ${chunkOf(text, 123, 4567)}\n\n`
      expect(frame.match(`${event}data: {}`, 0)).toBe(text)
      expect(frame.end).toBe(event.length)
    }
    expect(frame.match(`data: ${chunkOf("b", 2).replace('"text"', '"other"')}\n\n`, 0)).toBeUndefined()
    expect(frame.match(`data: ${chunkOf("b", 2).replace('"no"', '"yes"')}\n\n`, 0)).toBeUndefined()
  })

  it("is as its wire has it: lines before the data, or lines alone", () => {
    const named = Frame.of(chunkOf("a"), '"delta":', read, { before: String.raw`id:\d+\nevent:result\ndata:`, varying })
    expect(named?.match(`id:17\nevent:result\ndata:${chunkOf("b", 2)}\n\n`, 0)).toBe("b")
    const line = Frame.of(chunkOf("a"), '"delta":', read, { before: "", after: "\n", varying })
    expect(line?.match(`${chunkOf("b", 3)}\n`, 0)).toBe("b")
  })

  it("allows blanks before the last brace where a server pads its events", () => {
    const padded = (delta: string, blanks: string) => `data: ${chunkOf(delta).replace(/\}$/, `${blanks}}`)}\n\n`
    for (const learned of ["", "   "]) {
      const line = padded("a", learned).slice("data: ".length, -2)
      const frame = Frame.of(line, '"delta":', read, { padded: true })
      for (const blanks of ["", " ", "       "]) {
        expect(frame?.match(padded('b"', blanks), 0)).toBe('b"')
        expect(frame?.end).toBe(padded('b"', blanks).length)
      }
    }
    expect(Frame.of(chunkOf("a"), '"delta":', read)?.match(padded("b", " "), 0)).toBeUndefined()
  })

  it("is none where the string is not the text", () => {
    expect(Frame.of(chunkOf("a"), '"seen":', read)).toBeUndefined()
    expect(Frame.of('{"n":1,"delta":"a"}', '"none":', read)).toBeUndefined()
  })

  it("takes the text for what it is though what stands before it stands there twice", () => {
    const twice = (n: number, text: string) => `{"a":{"n":1,"delta":"x"},"n":${n},"delta":"${text}"}`
    const frame = Frame.of(twice(2, "a"), ',"n":2,"delta":', read, { varying: String.raw`"n":\d+` })
    expect(frame?.match(`data: ${twice(3, "b")}\n\n`, 0)).toBe("b")
  })

  it("leaves alone what is no JSON, or has not all come", () => {
    const frame = Frame.of(chunkOf("a"), '"delta":', read) as Frame
    const event = `data: ${chunkOf("b")}\n\n`
    for (let cut = 0; cut < event.length; cut++) expect(frame.match(event.slice(0, cut), 0)).toBeUndefined()
    for (const wrong of ["\u0001", "\t", "\\x", "\\"]) {
      expect(frame.match(event.replace('"b"', `"${wrong}"`), 0)).toBeUndefined()
    }
    expect(frame.match(event, 0)).toBe("b")
  })
})
