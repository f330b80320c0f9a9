import type { ChatDelta } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { type CallPiece, ToolCalls } from "./tool-calls.ts"

/** The calls that pieces come to: id, name and arguments. */
function callsOf(
  pieces: readonly Partial<CallPiece>[],
): readonly (readonly [id: string, name: string, json: string])[] {
  const calls = new Map<number, [string, string, string]>()
  let count = 0
  const toolCalls = new ToolCalls({
    next: () => count++,
    emit: (delta: ChatDelta) => {
      if (delta.type === "tool_use_start") calls.set(delta.index, [delta.id, delta.name, ""])
      const call = calls.get(delta.index)
      if (delta.type === "tool_use_delta" && call) call[2] += delta.json
    },
  })
  for (const piece of pieces) toolCalls.add({ index: 0, id: "", name: "", json: "", ...piece })
  toolCalls.end()
  return [...calls.values()]
}

describe("ToolCalls", () => {
  it("FR-02 takes only an id or a name that is not empty for a start", () => {
    const expected = [["call_a", "f", '{"city":"北京"}']]
    expect(callsOf([{ id: "call_a", name: "f", json: '{"ci' }, { json: 'ty":"北京"}' }])).toEqual(expected)
    expect(callsOf([{ id: "call_a" }, { name: "f" }, { json: '{"city":"北京"}' }])).toEqual(expected)
    expect(
      callsOf([
        { id: "call_a", name: "f", json: "{" },
        { id: "call_a", name: "f", json: '"city":"北京"}' },
      ]),
    ).toEqual(expected)
  })

  it("FR-03 tells calls on one index apart by their ids, or by a new object behind one that is complete", () => {
    const [a, b] = ['{"path":"a"}', '{"path":"b"}']
    const ids = callsOf([
      { id: "c1", name: "write", json: a },
      { id: "c2", name: "write", json: b },
    ])
    expect(ids).toEqual([
      ["c1", "write", a],
      ["c2", "write", b],
    ])
    const objects = callsOf([{ name: "write", json: a }, { json: b }])
    expect(objects.map(([, name, json]) => [name, json])).toEqual([
      ["write", a],
      ["write", b],
    ])
    expect(new Set(objects.map(([id]) => id)).size).toBe(2)
  })

  it("takes arguments that are null for none, and null within them for what it is", () => {
    expect(callsOf([{ id: "a", name: "f", json: "null" }])).toEqual([["a", "f", ""]])
    expect(callsOf([{ id: "a", name: "f", json: '{"x":' }, { json: "null" }, { json: "}" }])).toEqual([
      ["a", "f", '{"x":null}'],
    ])
  })

  it("FR-04 gives the last brace to the call that it belongs to, whatever id it comes with", () => {
    for (const id of ["", "call_other"]) {
      expect(
        callsOf([
          { id: "call_28", name: "f", json: '{"k":["品牌"]' },
          { id, json: "}" },
        ]),
      ).toEqual([["call_28", "f", '{"k":["品牌"]}']])
    }
  })
})
