import { describe, expect, it } from "vitest"
import { NdjsonReader } from "./ndjson.ts"

function valuesOf(pieces: Iterable<string>, maxLine?: number): readonly unknown[] {
  const values: unknown[] = []
  const reader = new NdjsonReader((value) => values.push(value), maxLine)
  for (const piece of pieces) reader.push(piece)
  reader.end()
  return values
}

describe("NdjsonReader", () => {
  it("reads the same values wherever the text is cut", () => {
    const text = '\ufeff{"a":"你\\n"}\n\n  \r\n[1]\r"x"\r\nnull'
    const expected = [{ a: "你\n" }, [1], "x", null]
    for (let cut = 0; cut <= text.length; cut++)
      expect(valuesOf([text.slice(0, cut), text.slice(cut)])).toEqual(expected)
    expect(valuesOf(text.split(""))).toEqual(expected)
  })

  it("leaves lines to a shortcut that knows them, wherever the text is cut", () => {
    const text = '{"t":"a"}\n{"t":"b"}\n{"n":1}\r\n{"t":"c"}\n{"t":"d"}'
    for (let cut = 0; cut <= text.length; cut++) {
      const seen: unknown[] = []
      const known = /\{"t":"(.)"\}\n/y
      const reader = new NdjsonReader(
        (value, line) => seen.push([value, line]),
        undefined,
        (text, at) => {
          let from = at
          known.lastIndex = at
          for (let found = known.exec(text); found; found = known.exec(text)) {
            seen.push(found[1])
            from = known.lastIndex
          }
          return from
        },
      )
      reader.push(text.slice(0, cut))
      reader.push(text.slice(cut))
      reader.end()
      expect(seen).toEqual(["a", "b", [{ n: 1 }, '{"n":1}'], "c", [{ t: "d" }, '{"t":"d"}']])
    }
  })

  it("reads nothing from nothing", () => {
    expect(valuesOf([])).toEqual([])
    expect(valuesOf(["", "\n"])).toEqual([])
  })

  it("shows a line that is no JSON, after the ones before it", () => {
    const values: unknown[] = []
    const reader = new NdjsonReader((value) => values.push(value))
    expect(() => reader.push('{"a":1}\noops\n')).toThrow(
      expect.objectContaining({ code: "malformed_response" }) as Error,
    )
    expect(values).toEqual([{ a: 1 }])
    expect(() => valuesOf(['{"cut":'])).toThrow('A line of the stream is not JSON: "{\\"cut\\":"')
  })

  it("gives up a line that never ends", () => {
    const pieces = Array.from({ length: 20 }, () => "1".repeat(10))
    expect(() => valuesOf(pieces, 100)).toThrow(expect.objectContaining({ code: "malformed_response" }) as Error)
  })
})
