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
      begin: (block) =>
        block.type === "json" ? block.start(String(block.fields["id"]), String(block.fields["name"])) : block.add("a"),
      goesOn: ({ type }) => type === "json",
      end: (block) => {
        const { signature } = block.fields
        if (signature !== undefined) block.end({ provider: "acme", data: { signature: signature as string } })
      },
    },
  )
  const call = (index: number, id: string, name = "x") => blocks.start(index, { type: "call", id, name })
  return { blocks, call, types: () => deltas.map(({ type, index }) => `${type} ${index}`) }
}

test("a start that comes twice goes on with its block, and so does what comes after an end that was too soon", () => {
  const { blocks, types } = setup()
  blocks.start(0, { type: "thinking" })
  blocks.start(0, { type: "thinking" })
  blocks.end(0)
  blocks.at(0)?.add("b")
  blocks.at(0)?.grow({ signature: "s" })
  blocks.end(0)
  expect(types()).toEqual(["thinking_delta 0", "thinking_delta 0", "block_end 0"])
})

test("what has ended, or is of another type, is another block", () => {
  const { blocks, call, types } = setup()
  blocks.start(0, { type: "thinking", signature: "s" })
  blocks.start(0, { type: "thinking" })
  blocks.end(0)
  blocks.start(0, { type: "thinking", signature: "s" })
  call(0, "1")
  expect(types()).toEqual([
    "thinking_delta 0",
    "block_end 0",
    "thinking_delta 1",
    "thinking_delta 2",
    "block_end 2",
    "tool_use_start 3",
  ])
  expect(blocks.nameless).toBe(false)
  call(1, "", "")
  call(1, "2")
  expect(blocks.nameless).toBe(true)
})

test("calls of one index are told apart by their ids, and where they have none by their ends and names", () => {
  const { blocks, call, types } = setup()
  call(0, "1")
  call(0, "2")
  blocks.end(0)
  // told twice
  call(0, "2")
  call(0, "")
  blocks.end(0)
  call(0, "")
  call(0, "", "y")
  expect(types()).toEqual([0, 1, 2, 3, 4].map((index) => `tool_use_start ${index}`))
})

test("blocks that come side by side each get their own, and only their own end ends a call", () => {
  const { blocks, call, types } = setup()
  call(0, "1")
  call(1, "2")
  blocks.at(0)?.add("{")
  blocks.at(1)?.grow({ signature: "s" })
  blocks.at(0)?.add("}")
  expect(types().slice(2)).toEqual(["tool_use_delta 0", "tool_use_delta 0"])
  blocks.endAll()
  expect(types().at(-1)).toBe("block_end 1")
})

test("without an index it is the block that was last spoken of", () => {
  const { blocks, types } = setup()
  expect(blocks.at(Number.NaN)).toBeUndefined()
  blocks.start(Number.NaN, { type: "thinking" })
  blocks.at(Number.NaN)?.grow({ signature: "s" })
  blocks.end(Number.NaN)
  blocks.start(Number.NaN, { type: "thinking" })
  blocks.start(7, { type: "thinking" })
  blocks.at(Number.NaN)?.add("b")
  expect(types()).toEqual([
    "thinking_delta 0",
    "block_end 0",
    "thinking_delta 1",
    "thinking_delta 2",
    "thinking_delta 2",
  ])
})

test("what is said goes to a block that can hear it, and a text or thinking without a start begins one", () => {
  const { blocks, call, types } = setup()
  call(0, "1")
  blocks.say(0, "json", "{}")
  blocks.say(1, "thinking", "x")
  blocks.say(1, "json", "{}")
  blocks.say(1, "thinking", "")
  blocks.say(2, "thinking", "")
  expect(types()).toEqual(["tool_use_start 0", "tool_use_delta 0", "thinking_delta 1", "thinking_delta 1"])
})
