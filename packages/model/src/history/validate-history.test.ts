import {
  assistantMsg,
  type Msg,
  type Role,
  systemMsg,
  type ToolUseBlock,
  toolResult,
  toolResultMsg,
  userMsg,
} from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import type { Dialect } from "./dialect.ts"
import { validateHistory } from "./validate-history.ts"

const dialect: Dialect = { provider: "p", toolCallId: { pattern: /^\w+$/, maxLength: 8 }, toolName: /^\w+$/ }
const call = (id: string, extra: Partial<ToolUseBlock> = {}): ToolUseBlock => ({
  type: "tool_use",
  id,
  name: "t",
  input: {},
  ...extra,
})
const calls = (...ids: string[]) => assistantMsg(ids.map((id) => call(id)))
const results = (...ids: string[]) => toolResultMsg(ids.map((id) => toolResult(call(id), "ok")))
const as = (role: Role, content: Msg["content"]): Msg => ({ ...userMsg("x"), role, content })
const text = (text: string) => ({ type: "text", text }) as const

test("a good history has no problem, with results in one message or several, in any order", () => {
  const one = [systemMsg("s"), userMsg("u"), calls("a", "b"), results("b", "a"), assistantMsg("done")]
  const several = [userMsg("u"), calls("a", "b"), results("a"), results("b")]
  expect([...validateHistory(one, dialect), ...validateHistory(several, dialect)]).toEqual([])
})

describe("each problem is told with the index of its message", () => {
  test.each<[string, readonly Msg[], number]>([
    ["the message is empty", [userMsg("u"), assistantMsg([])], 1],
    ["a text block is blank", [userMsg(" \n")], 0],
    ["a thinking block is blank", [assistantMsg([{ type: "thinking", thinking: "" }])], 0],
    ["a text of a result is blank", [calls("a"), toolResultMsg([toolResult(call("a"), "")])], 1],
    ['tool call "t" (a) has no result right after it', [calls("a"), userMsg("u"), results("b")], 0],
    ['tool call "t" (a) has 2 results right after it', [calls("a"), results("a"), results("a")], 0],
    ['the result of "t" (b) answers no call of this message', [calls("a"), results("a", "b")], 0],
    ['the result of "t" (a) answers no call of this message', [userMsg("u"), results("a")], 0],
    ["results without a call", [results("a")], 0],
    ['tool call id "a" occurs twice', [calls("a"), results("a"), calls("a"), results("a")], 2],
    ['tool call id "a:1" is not one that p takes', [calls("a:1"), results("a:1")], 0],
    ['tool call id "aaaaaaaaa" is not one that p takes', [calls("aaaaaaaaa"), results("aaaaaaaaa")], 0],
    ['tool call id "" is not one that p takes', [calls(""), results("")], 0],
    ['tool name "t.x" is not one that p takes', [assistantMsg([call("a", { name: "t.x" })]), results("a")], 0],
    ['the arguments of "t" (a) did not parse', [assistantMsg([call("a", { rawInput: "{" })]), results("a")], 0],
    ['the input of "t" (a) is no object', [assistantMsg([call("a", { input: [] as never })]), results("a")], 0],
    [
      "the tool_use block has opaque data of another",
      [assistantMsg([call("a", { opaque: { provider: "q", data: 1 } })]), results("a")],
      0,
    ],
    ["the text block has a lone surrogate", [userMsg("\ud83d")], 0],
    [
      "the tool_use block has a lone surrogate",
      [assistantMsg([call("a", { input: { "\udc00": 1 } })]), results("a")],
      0,
    ],
    ["the name has a lone surrogate", [userMsg("u", { name: "\ud83d" })], 0],
    ["a tool_use block cannot stand in a user message", [as("user", [call("a")]), results("a")], 0],
    ["a text block cannot stand in a tool message", [userMsg("u"), as("tool", [text("x")])], 1],
    ["a thinking block cannot stand in a system", [as("system", [{ type: "thinking", thinking: "x" }])], 0],
  ])("%s", (problem, history, index) => {
    expect(validateHistory(history, dialect)).toContainEqual({ index, problem: expect.stringContaining(problem) })
  })

  test("thinking by the dialect's rule", () => {
    const history = [assistantMsg([{ type: "thinking", thinking: "x" }, text("y")])]
    expect(validateHistory(history, { provider: "p" })).toEqual([])
    expect(validateHistory(history, { provider: "p", thinking: "signed" })).toHaveLength(1)
    expect(validateHistory(history, { provider: "p", thinking: "none" })).toHaveLength(1)
  })
})
