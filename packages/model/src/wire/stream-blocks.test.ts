import type { ChatDelta } from "@agentscope-ts/message"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { StreamBlocks } from "./stream-blocks.ts"
import type { CallPiece } from "./tool-calls.ts"

/** The calls that the events of a stream come to: id, name, arguments. */
function callsOf(events: readonly (readonly Partial<CallPiece>[])[]): readonly (readonly string[])[] {
  const calls = new Map<number, string[]>()
  const emit = (delta: ChatDelta): void => {
    if (delta.type === "tool_use_start") calls.set(delta.index, [delta.id, delta.name, ""])
    const call = calls.get(delta.index)
    if (delta.type === "tool_use_delta" && call) call[2] += delta.json
  }
  const blocks = new StreamBlocks({ streaming: true, begin: () => {}, warn: () => {}, emit, finish: () => {} })
  for (const pieces of events) {
    const calls = pieces.map((piece, i) => ({ index: i, id: "", name: "", json: "", ...piece }))
    blocks.said("", "", calls)
  }
  blocks.ended("stop")
  return [...calls.values()]
}

describe("tool calls of a stream", () => {
  const json = '{"path":{"path":"a"},"n":[1,2]}'
  const whole = [["c1", "f", json]]
  const cuts = [0, 1, 9, 20, json.length]

  it("are the same in pieces and in totals", () => {
    const pieces = cuts.slice(1).map((cut, i) => json.slice(cuts[i], cut))
    expect(callsOf(pieces.map((json, i) => [i === 0 ? { id: "c1", name: "f", json } : { json }]))).toEqual(whole)
    expect(callsOf(pieces.map((json, i) => [{ id: i === 0 ? "c1" : "", name: i === 0 ? "f" : "", json }]))).toEqual(
      whole,
    )
    const totals = cuts.map((cut) => [{ id: "c1", name: "f", json: json.slice(0, cut) }])
    expect(callsOf(totals)).toEqual(whole)
    expect(callsOf([...totals, totals.at(-1) ?? []])).toEqual(whole)
    const [[id, ...rest] = []] = callsOf(totals.map((calls) => calls.map((call) => ({ ...call, id: "" }))))
    expect(id).toMatch(/^call_/)
    expect(rest).toEqual(["f", json])
  })

  it("FR-02 are told apart by ids that repeat, in totals of several calls", () => {
    const totals = [1, 4, 9, 31].map((cut) => [
      { id: "c1", name: "f", json },
      { id: "c2", name: "f", json: json.slice(0, cut) },
    ])
    const expected = [...whole, ["c2", "f", json]]
    expect(callsOf([[{ id: "c1", name: "f", json }], ...totals])).toEqual(expected)
    // and where all have the same index
    expect(callsOf(totals.map((calls) => calls.map((call) => ({ ...call, index: 0 }))))).toEqual(expected)
  })

  it("FR-03 stay two calls where they say the same with two ids", () => {
    expect(callsOf([[{ id: "c1", name: "f", json }], [{ index: 0, id: "c2", name: "f", json }]])).toEqual([
      ...whole,
      ["c2", "f", json],
    ])
  })
})

/** Thinking, text and the arguments of a call, each in pieces. */
interface Told {
  readonly thinking: readonly string[]
  readonly text: readonly string[]
  readonly json: readonly string[]
}

/** What the events of a stream come to. */
function saidBy(events: readonly (readonly [thinking: string, text: string, calls: readonly CallPiece[]])[]) {
  const said = { thinking: "", text: "", json: "" }
  const emit = (delta: ChatDelta): void => {
    if (delta.type === "thinking_delta") said.thinking += delta.text
    else if (delta.type === "text_delta") said.text += delta.text
    else if (delta.type === "tool_use_delta") said.json += delta.json
  }
  const blocks = new StreamBlocks({ streaming: true, begin: () => {}, warn: () => {}, emit, finish: () => {} })
  for (const [thinking, text, calls] of events) blocks.said(thinking, text, calls)
  blocks.ended("stop")
  return said
}

describe("a stream of thinking, text and a call", () => {
  const call = (json: string, first = true): CallPiece[] => [
    { index: 0, id: first ? "c1" : "", name: first ? "f" : "", json },
  ]
  const inPieces = ({ thinking, text, json }: Told) => [
    ...thinking.map((piece) => [piece, "", []] as const),
    ...text.map((piece) => ["", piece, []] as const),
    ...json.map((piece, i) => ["", "", call(piece, i === 0)] as const),
    ["", "", []] as const,
  ]
  const inTotals = ({ thinking, text, json }: Told) => {
    const so = (pieces: readonly string[], i: number) => pieces.slice(0, i + 1).join("")
    const [thought, said, whole] = [thinking, text, json].map((pieces) => pieces.join(""))
    return [
      ...thinking.map((_, i) => [so(thinking, i), "", []] as const),
      ...text.map((_, i) => [thought ?? "", so(text, i), []] as const),
      ...json.map((_, i) => [thought ?? "", said ?? "", call(so(json, i))] as const),
      [thought ?? "", said ?? "", json.length > 0 ? call(whole ?? "") : []] as const,
    ]
  }
  const word = fc.oneof(
    fc.constantFrom("1", "0", "\n", "\n\n", "ha", "haha", " a", "**", "#", "##"),
    fc.string({ minLength: 1, maxLength: 12 }),
  )
  const json = fc.constantFrom<readonly string[]>([], ['{"', "a", '":', " 1", "}"], ['{"a":', '{"b":2}}'], ["", "{}"])
  const told = fc.record({ thinking: fc.array(word, { maxLength: 6 }), text: fc.array(word, { maxLength: 8 }), json })

  it("is the same in totals, whatever stands still while another grows", () => {
    fc.assert(
      fc.property(told, (pieces) => {
        expect(saidBy(inTotals(pieces))).toEqual(saidOf(pieces))
      }),
      { seed: 5, numRuns: 5000 },
    )
  })

  it("is the same in pieces, where not each begins with all of the one before by chance", () => {
    fc.assert(
      fc.property(told, (pieces) => {
        // that is what totals look like, and nobody can tell
        const grows = (words: readonly string[], n: number) => words[n]?.startsWith(words[n - 1] ?? "-") ?? false
        for (const words of [pieces.thinking, pieces.text]) {
          fc.pre(!(grows(words, 1) && (grows(words, 2) || (words[0]?.length ?? 0) >= 8)))
        }
        expect(saidBy(inPieces(pieces))).toEqual(saidOf(pieces))
      }),
      { seed: 6, numRuns: 5000 },
    )
  })

  const saidOf = (pieces: Told) => ({
    thinking: pieces.thinking.join(""),
    text: pieces.text.join(""),
    json: pieces.json.join(""),
  })
})
