import type { ChatDelta } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { BlockWriter } from "./block-writer.ts"

function deltasOf(write: (blocks: BlockWriter) => void): readonly ChatDelta[] {
  const deltas: ChatDelta[] = []
  write(
    new BlockWriter({
      streaming: true,
      begin: () => {},
      warn: () => {},
      emit: (delta) => deltas.push(delta),
      finish: () => {},
    }),
  )
  return deltas
}

describe("BlockWriter", () => {
  it("opens a block where the kind of content changes, and none for nothing", () => {
    const deltas = deltasOf((blocks) => {
      blocks.thinking("a")
      blocks.text("")
      blocks.thinking("b")
      blocks.text("c")
      blocks.call({ index: 0, id: "c1", name: "f", json: "{" })
      blocks.call({ index: 0, id: "", name: "", json: "}" })
      blocks.text("d")
      expect(blocks.end()).toBe(true)
    })
    expect(deltas).toEqual([
      { type: "thinking_delta", index: 0, text: "a" },
      { type: "thinking_delta", index: 0, text: "b" },
      { type: "text_delta", index: 1, text: "c" },
      { type: "tool_use_start", index: 2, id: "c1", name: "f" },
      { type: "tool_use_delta", index: 2, id: "c1", json: "{" },
      { type: "tool_use_delta", index: 2, id: "c1", json: "}" },
      { type: "text_delta", index: 3, text: "d" },
    ])
  })

  it("gives whole calls an id of their own where they have none or another's", () => {
    const starts = deltasOf((blocks) => {
      for (const id of ["", "", "same", "same"]) blocks.call({ index: undefined, id, name: "f", json: "{}" }, true)
    }).filter((delta) => delta.type === "tool_use_start")
    expect(new Set(starts.map(({ id }) => id)).size).toBe(4)
    expect(starts[2]?.id).toBe("same")
  })

  it("says when a call never got a name", () => {
    deltasOf((blocks) => {
      blocks.call({ index: 0, id: "c1", name: "", json: "{}" })
      expect(blocks.end()).toBe(false)
    })
  })
})
