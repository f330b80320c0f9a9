import { expect, test } from "vitest"
import { OpenBlocks } from "./growing-block.ts"
import { IndexedBlock } from "./indexed-block.ts"

test("texts and lists of a block grow, all else takes the place of what was there", () => {
  const begun = { signature: "a", citations: [1], input: { a: 1 }, data: "x" }
  const block = new IndexedBlock(new OpenBlocks({ emit: () => {} }), "own", 3, begun)
  block.grow({ signature: "b", citations: [2], input: { b: 2 }, data: null, more: true })
  expect(block.fields).toEqual({ signature: "ab", citations: [1, 2], input: { b: 2 }, data: null, more: true })
  expect([block.index, begun.signature]).toEqual([3, "a"])
})
