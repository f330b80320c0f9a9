import { type ChatDelta, userMsg } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import type { CallEnd, CallHead } from "../stream/call-sink.ts"
import { PausedTurns } from "./paused-turns.ts"

function setup() {
  const deltas: ChatDelta[] = []
  const ends: CallEnd[] = []
  const heads: CallHead[] = []
  const warnings: string[] = []
  const turns = new PausedTurns({
    streaming: true,
    begin: (head) => void heads.push(head),
    warn: (code) => void warnings.push(code),
    emit: (delta) => void deltas.push(delta),
    finish: (end) => void ends.push(end),
  })
  return { turns, deltas, ends, heads, warnings }
}
const request = { messages: [userMsg("hi")], conversation: {} }
const usage = { inputTokens: 10, outputTokens: 2, cacheWriteTokens: undefined }

test("a paused answer is sent back and goes on: one answer with all blocks and all figures, and each warning once", async () => {
  const { turns, deltas, ends, heads, warnings } = setup()
  const sent: unknown[] = []
  await turns.run(request, { provider: "acme" }, async ({ messages, conversation }) => {
    sent.push([messages.slice(1).map(({ content }) => content), conversation])
    turns.warn("unsupported_param", "seed")
    turns.begin({ id: "r", usage })
    turns.emit({ type: "text_delta", index: 0, text: `${sent.length}` })
    if (sent.length < 3) turns.warn("turn_paused", "paused")
    turns.finish({ stopReason: "stop", usage })
  })
  const text = (text: string) => ({ type: "text", text })
  expect(sent).toEqual([
    [[], request.conversation],
    [[[text("1")]], undefined],
    [[[text("1"), text("2")]], undefined],
  ])
  expect(deltas).toEqual([0, 1, 2].map((index) => ({ type: "text_delta", index, text: `${index + 1}` })))
  expect(ends).toEqual([{ stopReason: "stop", usage: { inputTokens: 30, outputTokens: 6 } }])
  expect(heads.map((head) => head.usage?.inputTokens)).toEqual([10, 20, 30])
  expect(warnings).toEqual(["unsupported_param"])
})

test.each<[string, number, ChatDelta[]]>([
  ["pauses again and again", 5, [{ type: "text_delta", index: 0, text: "a" }]],
  ["waits for a call", 1, [{ type: "tool_use_start", index: 0, id: "c", name: "look" }]],
  ["said nothing", 1, []],
])("a turn that %s ends with a warning", async (_, requests, said) => {
  const { turns, ends, warnings } = setup()
  let count = 0
  await turns.run(request, { provider: "acme" }, async () => {
    count++
    for (const delta of said) turns.emit(delta)
    turns.warn("turn_paused", "paused")
    turns.finish({ stopReason: "stop" })
  })
  expect([count, ends.length, warnings]).toEqual([requests, 1, ["turn_paused"]])
})
