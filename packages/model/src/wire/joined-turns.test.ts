import { assistantMsg, type Msg, userMsg } from "@agentscope-ts/message"
import { expect, it } from "vitest"
import { joinedTurns } from "./joined-turns.ts"

const calls = ({ content }: Msg): boolean => content.some(({ type }) => type === "tool_use")
const joins = (before: Msg, run: readonly Msg[]): boolean => before.role === "assistant" && run.some(calls)
const call = { type: "tool_use", id: "c", name: "f", input: {} } as const
const text = (said: string) => ({ type: "text", text: said }) as const

it("makes one message of a run that ends as it must, and the same one again as the history grows", () => {
  const messages = [userMsg("go"), assistantMsg("a"), assistantMsg("b"), assistantMsg([call])]
  const [user, run, ...rest] = joinedTurns(messages, joins)
  expect(rest).toEqual([])
  expect(user).toBe(messages[0])
  expect(run).toMatchObject({ id: messages[3]?.id, content: [text("a"), text("b"), call] })
  const grown = joinedTurns([...messages, userMsg("on"), assistantMsg("c"), assistantMsg("d")], joins)
  expect(grown.length).toBe(5)
  expect(grown[1]).toBe(run)
})

it("leaves a history alone that needs nothing", () => {
  const messages = [userMsg("go"), assistantMsg([text("a"), call]), userMsg("on"), assistantMsg("b")]
  expect(joinedTurns(messages, joins)).toBe(messages)
})
