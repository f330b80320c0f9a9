import { expect, expectTypeOf, test } from "vitest"
import {
  assistantMsg,
  blocksOf,
  hasBlocks,
  textOf,
  type ThinkingBlock,
  type ToolUseBlock,
  toolResult,
  toolResultMsg,
  toolResultsOf,
  toolUsesOf,
} from "./index.ts"

const [a, b]: ToolUseBlock[] = ["a", "b"].map((id) => ({ type: "tool_use", id, name: "t", input: {} }))
const msg = assistantMsg([
  { type: "thinking", thinking: "hm" },
  { type: "text", text: "one" },
  a as ToolUseBlock,
  { type: "text", text: "two" },
  b as ToolUseBlock,
])

test("textOf joins the text blocks, of messages and of results", () => {
  expect(textOf(msg)).toBe("one\ntwo")
  expect(textOf(msg, "")).toBe("onetwo")
  expect(textOf({ content: [] })).toBe("")
  expect(textOf(assistantMsg("only"), " ")).toBe("only")
  expect(textOf(assistantMsg([{ type: "thinking", thinking: "hm" }]))).toBe("")
  expect(textOf(toolResult(a as ToolUseBlock, "said"))).toBe("said")
})

test("blocks are found by type, with that type", () => {
  expect(blocksOf(msg)).toBe(msg.content)
  expect(blocksOf(msg, "text").map((block) => block.text)).toEqual(["one", "two"])
  expectTypeOf(blocksOf(msg, "thinking")).toEqualTypeOf<readonly ThinkingBlock[]>()
  expect(hasBlocks(msg, "thinking")).toBe(true)
  expect(hasBlocks(msg, "image")).toBe(false)
  expect(toolUsesOf(msg)).toEqual([a, b])
  const results = [toolResult(a as ToolUseBlock, "1"), toolResult(b as ToolUseBlock, "2")]
  expect(toolResultsOf(toolResultMsg(results))).toEqual(results)
  expect(toolResultsOf(msg)).toEqual([])
})
