import { systemMsg, userMsg } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { leadingSystem } from "./leading-system.ts"

test("system messages at the head are taken off, their texts told as JSON", () => {
  const [a, b, late, user] = [systemMsg('a"'), systemMsg("b"), systemMsg("late"), userMsg("u")]
  expect(leadingSystem([a, b, user, late])).toEqual(['["a\\"","b"]', [user, late]])
  expect(leadingSystem([a, user])).toEqual(['["a\\""]', [user]])
  expect(leadingSystem([a])).toEqual(['["a\\""]', []])
  expect(leadingSystem([systemMsg(" "), user])).toEqual(["[]", [user]])
  const messages = [user]
  expect(leadingSystem(messages)[1]).toBe(messages)
})
