import { assistantMsg, toolResult, toolResultMsg, userMsg } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { turnBeginsWithout } from "./turn-begins-without.ts"

const call = { type: "tool_use", id: "c", name: "look", input: {} } as const
const results = toolResultMsg([toolResult(call, "x")])
const thought = { type: "thinking", thinking: "t" } as const

test("only a turn under way may have begun without", () => {
  const without = (...messages: Parameters<typeof turnBeginsWithout>[0]) =>
    turnBeginsWithout(messages, ({ type }) => type === "thinking")
  expect(without(userMsg("a"), assistantMsg([call]), results)).toBe(true)
  expect(without(userMsg("a"), results)).toBe(true)
  expect(without(userMsg("a"), assistantMsg([thought, call]), results)).toBe(false)
  expect(without(userMsg("a"), assistantMsg([call]), results, userMsg("b"))).toBe(false)
  expect(without()).toBe(false)
})
