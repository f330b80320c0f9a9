import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { StreamTelling, type Telling } from "./text-so-far.ts"

/** What a stream of these texts comes to, and how it was found to tell them. */
function read(events: readonly string[], told?: Telling): readonly [text: string, telling: Telling | undefined] {
  const stream = new StreamTelling(told)
  let said = ""
  stream.text((piece) => {
    said += piece
  })
  for (const event of events) stream.event([event])
  const { telling } = stream
  stream.end()
  return [said, telling]
}

const totalsOf = (pieces: readonly string[]) => pieces.map((_, i) => pieces.slice(0, i + 1).join(""))

describe("a text that a stream tells", () => {
  it("is the same in pieces and in totals, once it can be told which", () => {
    const pieces = ["The ", "cat ", "sat", " on", " the mat."]
    expect(read([...pieces, ""])).toEqual(["The cat sat on the mat.", "pieces"])
    expect(read(totalsOf(pieces))).toEqual(["The cat sat on the mat.", "totals"])
    expect(read(["", "The cat sat", "The cat sat on", "The cat sat on"])).toEqual(["The cat sat on", "totals"])
  })

  it("may begin with the same again", () => {
    expect(read(["ha", "ha", " ha", ""])).toEqual(["haha ha", "pieces"])
    expect(read(["1", "10", "100", "100x"])).toEqual(["100x", "totals"])
    expect(read(["1", "10", ""])).toEqual(["110", "pieces"])
    expect(read(["1", "1", "2", "2", ""])).toEqual(["1122", "pieces"])
  })

  it("is not held back for long where each piece says the same", () => {
    expect(read(["ha", "ha", "ha"])).toEqual(["hahaha", "pieces"])
  })

  it("is whole at the end although it was never certain", () => {
    expect(read(["Hi"])).toEqual(["Hi", undefined])
    expect(read(["Hi", "Hi there"])[0]).toBe("Hi there")
    expect(read(["Hi", "Hi"])[0]).toBe("Hi")
  })

  it("shares what is known with the other texts of the stream, in order", () => {
    const stream = new StreamTelling()
    const told: string[] = []
    stream.text((piece) => told.push(`t:${piece}`))
    stream.text((piece) => told.push(piece))
    stream.event(["so", ""])
    stream.event(["so so", ""])
    stream.event(["", "Yes"])
    stream.event(["", "Yes"])
    expect(told.filter((piece) => !/^(t:)?$/.test(piece))).toEqual(["t:so", "t:so so", "Yes", "Yes"])
  })

  it("may stand still while something else of its event moves, which totals do", () => {
    const all = (events: readonly (readonly [string, string, moved?: boolean])[]) => {
      const stream = new StreamTelling()
      const said = ["", ""]
      for (const i of [0, 1]) {
        stream.text((piece) => {
          said[i] += piece
        })
      }
      for (const [thinking, text, moved] of events) stream.event([thinking, text], moved)
      const { telling } = stream
      stream.end()
      return [...said, telling]
    }
    // another text that begins, and grows
    expect(
      all([
        ["so", ""],
        ["so", "A"],
        ["so", "AB"],
        ["so", "AB"],
      ]),
    ).toEqual(["so", "AB", "totals"])
    expect(
      all([
        ["a long thought", ""],
        ["a long thought", "A"],
      ]),
    ).toEqual(["a long thought", "A", "totals"])
    // a call
    expect(
      all([
        ["", "A"],
        ["", "A", true],
        ["", "A", true],
        ["", "A"],
      ]),
    ).toEqual(["", "A", "totals"])
    // nothing: either, and pieces when it stays so
    expect(
      all([
        ["", "A"],
        ["", "A"],
      ]),
    ).toEqual(["", "A", undefined])
    expect(
      all([
        ["", "A"],
        ["", "A"],
        ["", "A"],
      ]),
    ).toEqual(["", "AAA", "pieces"])
    // once may be chance
    expect(
      all([
        ["1", ""],
        ["1", "A"],
        ["", "B"],
      ]),
    ).toEqual(["11", "AB", "pieces"])
    expect(
      all([
        ["", "1"],
        ["", "10"],
        ["", "10"],
        ["", "10"],
        ["", ""],
      ]),
    ).toEqual(["", "1101010", "pieces"])
  })

  it("is taken as asked for where that is known", () => {
    expect(read(["a", "ab", "ab", "ab"], "totals")[0]).toBe("ab")
    expect(read(["a", "a", "ab"], "pieces")[0]).toBe("aaab")
    // who ignores what was asked is still read
    expect(read(["a", "b", "c"], "totals")[0]).toBe("abc")
  })

  it("is right for any pieces of some length, told either way", () => {
    const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (pieces) => {
        expect(read(totalsOf(pieces))[0]).toBe(pieces.join(""))
        // three pieces of which each begins with all of the one before are totals
        fc.pre(!pieces.every((piece, i) => i === 0 || piece.startsWith(pieces[i - 1] ?? "")) || pieces.length === 1)
        fc.pre(!(pieces[1]?.startsWith(pieces[0] ?? "") ?? false))
        expect(read([...pieces, ""])[0]).toBe(pieces.join(""))
      }),
      { seed: 3, numRuns: 2000 },
    )
  })
})
