import type { ChatDelta } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { GrowingBlock, type GrowingType, OpenBlocks } from "./growing-block.ts"

function setup(...types: readonly GrowingType[]) {
  const deltas: ChatDelta[] = []
  const blocks = new OpenBlocks({ emit: (delta) => void deltas.push(delta) })
  return { deltas, blocks: types.map((type) => new GrowingBlock(blocks, type)) }
}
const opaque = { provider: "acme", data: { signature: "s" } }

test("a text that goes on after another is a new block, whose data go with that alone", () => {
  const { deltas, blocks } = setup("thinking", "text")
  const [thinking, text] = blocks as [GrowingBlock, GrowingBlock]
  thinking.add("a")
  text.add("x")
  thinking.add("b")
  thinking.upTo("abc")
  expect(thinking.end(opaque)).toBe(true)
  thinking.add("late")
  expect(deltas).toEqual([
    { type: "thinking_delta", index: 0, text: "a" },
    { type: "text_delta", index: 1, text: "x" },
    { type: "thinking_delta", index: 2, text: "b" },
    { type: "thinking_delta", index: 2, text: "c" },
    { type: "block_end", index: 2, block: { type: "thinking", thinking: "bc", opaque } },
  ])
})

test("data for a text that others have closed cannot be told", () => {
  const { deltas, blocks } = setup("text", "text")
  for (const block of blocks) block.add("a")
  expect(blocks[0]?.end(opaque)).toBe(false)
  expect(deltas).toHaveLength(2)
})

test("what has no words is told by its data", () => {
  const { deltas, blocks } = setup("thinking", "own")
  blocks[1]?.add('{"query":')
  expect(blocks[1]?.text).toBe('{"query":')
  expect(blocks.map((block) => block.end(opaque))).toEqual([true, true])
  const block = { type: "thinking", thinking: "", opaque }
  expect(deltas).toEqual([0, 1].map((index) => ({ type: "block_end", index, block })))
})

test("a call waits for its name; its data need an input that can be read", () => {
  const { deltas, blocks } = setup("json", "free_text", "json")
  const [call, free, broken] = blocks as [GrowingBlock, GrowingBlock, GrowingBlock]
  call.add('{"a":1}')
  expect([call.started, call.end(opaque), deltas]).toEqual([false, false, []])
  call.start("c1", "search")
  expect(call.end(opaque)).toBe(true)
  free.start("c2", "run")
  free.add('say "hi"')
  free.end(undefined)
  broken.start("", "x")
  broken.add('{"a":')
  expect(broken.end(opaque)).toBe(false)
  const input = { a: 1 }
  expect(deltas.slice(0, 3)).toEqual([
    { type: "tool_use_start", index: 0, id: "c1", name: "search" },
    { type: "tool_use_delta", index: 0, id: "c1", json: '{"a":1}' },
    { type: "block_end", index: 0, block: { type: "tool_use", id: "c1", name: "search", input, opaque } },
  ])
  const json = deltas.flatMap((delta) => (delta.type === "tool_use_delta" && delta.id === "c2" ? [delta.json] : []))
  expect(JSON.parse(json.join(""))).toEqual({ input: 'say "hi"' })
  expect(deltas.at(-2)).toMatchObject({ type: "tool_use_start", id: expect.stringMatching(/^call_/), name: "x" })
})
