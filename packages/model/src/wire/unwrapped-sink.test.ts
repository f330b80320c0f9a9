import type { ChatDelta } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { unwrappedSink } from "./unwrapped-sink.ts"

/** What comes of deltas, in short. */
function told(...deltas: readonly ChatDelta[]): readonly string[] {
  const out: string[] = []
  const emit = (delta: ChatDelta) => {
    if (delta.type === "block_end") out.push(`${delta.index} [${delta.block.type === "text" ? delta.block.text : ""}]`)
    else out.push(`${delta.index} ${"text" in delta ? delta.text : delta.type}`)
  }
  const sink = unwrappedSink({ streaming: true, begin: () => {}, warn: () => {}, emit, finish: () => out.push("end") })
  for (const delta of deltas) sink.emit(delta)
  sink.finish({ stopReason: "stop" })
  return out
}

const text = (index: number, text: string): ChatDelta => ({ type: "text_delta", index, text })

describe("unwrappedSink", () => {
  it("tells the value of a wrapped answer, in pieces as it came, between other blocks", () => {
    const thinking = { type: "thinking_delta", index: 0, text: "Hm" } as const
    expect(
      told(thinking, text(1, '{"val'), text(1, 'ue": ["a'), text(1, '", {}'), text(1, "]"), text(1, "}\n")),
    ).toEqual(["0 Hm", '1 ["a', '1 ", {', "1 }]", "end"])
    expect(told(text(0, '{"value":1}'), { type: "thinking_delta", index: 1, text: "Hm" })).toEqual([
      "0 1",
      "1 Hm",
      "end",
    ])
  })

  it("tells a block that came whole with its value", () => {
    const block = { type: "text", text: '{"value":"yes"}', opaque: { provider: "p", data: { n: 1 } } } as const
    expect(told(text(0, '{"value":"yes"}'), { type: "block_end", index: 0, block })).toEqual([
      '0 "yes"',
      '0 ["yes"]',
      "end",
    ])
  })

  it("tells an answer that is not wrapped as it is", () => {
    expect(told(text(0, '["a'), text(0, '"]'))).toEqual(['0 ["a"]', "end"])
  })
})
