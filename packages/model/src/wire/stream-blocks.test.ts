import type { ChatDelta } from "@agentscope-ts/message"
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
  blocks.end()
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
