import type { ChatDelta } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import type { CallEnd, CallSink } from "../stream/call-sink.ts"
import { originalNamesSink } from "./original-names-sink.ts"

const names = new Map([["p1", "名前"]])

/** What a sink hears of these deltas. */
function heard(...deltas: readonly ChatDelta[]) {
  const told: ChatDelta[] = []
  const ends: CallEnd[] = []
  const inner: CallSink = {
    streaming: true,
    begin: () => {},
    warn: () => {},
    emit: (delta) => void told.push(delta),
    finish: (end) => void ends.push(end),
  }
  const sink = originalNamesSink(inner, (tool) => (tool === "odd" ? names : undefined))
  for (const delta of deltas) sink.emit(delta)
  const before = told.length
  sink.finish({ stopReason: "tool_use" })
  return { told, before, ends }
}
const start = (index: number, name: string): ChatDelta => ({ type: "tool_use_start", index, id: `t${index}`, name })
const piece = (index: number, json: string): ChatDelta => ({ type: "tool_use_delta", index, id: `t${index}`, json })
const text: ChatDelta = { type: "text_delta", index: 9, text: "x" }

test("arguments are told under the original names once they are whole, other tools' as they come", () => {
  const deltas = [start(0, "odd"), piece(0, '{"p1":'), piece(0, "1}"), start(1, "even"), piece(1, '{"p1":2}'), text]
  const { told, before, ends } = heard(...deltas)
  expect(told).toEqual([start(0, "odd"), piece(0, '{"名前":1}'), start(1, "even"), piece(1, '{"p1":2}'), text])
  expect([before, ends.length]).toEqual([5, 1])
})

test("calls side by side are told at the end, and what does not parse as it is", () => {
  const deltas = [start(0, "odd"), piece(0, '{"p1"'), start(1, "odd"), piece(1, '{"p1":{"p1":2}}'), piece(0, ":1")]
  expect(heard(...deltas).told.slice(2)).toEqual([piece(0, '{"p1":1'), piece(1, '{"名前":{"名前":2}}')])
})

test("a whole block has its own names, and what was held of it is not told twice", () => {
  const block = (input: object) =>
    ({ type: "block_end", index: 0, block: { type: "tool_use", id: "t0", name: "odd", input } }) as ChatDelta
  const { told } = heard(start(0, "odd"), piece(0, '{"p1":1}'), block({ p1: 1 }))
  expect(told).toEqual([start(0, "odd"), block({ 名前: 1 })])
})
