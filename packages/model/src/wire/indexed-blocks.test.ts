import type { ChatDelta } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { IndexedBlocks } from "./indexed-blocks.ts"

function setup() {
  const deltas: ChatDelta[] = []
  const sink = { streaming: true, begin: () => {}, warn: () => {}, finish: () => {} }
  const blocks = new IndexedBlocks(
    { ...sink, emit: (delta) => void deltas.push(delta) },
    {
      typeOf: ({ type }) => (type === "call" ? "json" : "thinking"),
      begin: (block) => (block.type === "json" ? block.start("1", String(block.fields["name"])) : block.add("a")),
      end: (block) => {
        const { signature } = block.fields
        if (signature !== undefined) block.end({ provider: "acme", data: { signature: signature as string } })
      },
    },
  )
  return { blocks, types: () => deltas.map(({ type, index }) => `${type} ${index}`) }
}

test("a start that comes twice, or after an end that came too soon, goes on with its block", () => {
  const { blocks, types } = setup()
  blocks.start(0, { type: "thinking" })
  blocks.start(0, { type: "thinking" })
  blocks.end()
  blocks.start(0, { type: "thinking" })
  blocks.open?.add("b")
  blocks.open?.grow({ signature: "s" })
  blocks.end()
  expect(blocks.open).toBeUndefined()
  expect(types()).toEqual(["thinking_delta 0", "thinking_delta 0", "block_end 0"])
})

test("what has ended, or is of another type, is another block", () => {
  const { blocks, types } = setup()
  blocks.start(0, { type: "thinking", signature: "s" })
  blocks.start(0, { type: "thinking" })
  blocks.start(0, { type: "call", name: "x" })
  expect(types()).toEqual(["thinking_delta 0", "block_end 0", "thinking_delta 1", "tool_use_start 2"])
  expect(blocks.nameless).toBe(false)
  blocks.start(1, { type: "call", name: "" })
  expect(blocks.nameless).toBe(true)
})
