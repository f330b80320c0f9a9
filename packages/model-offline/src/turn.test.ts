import { assistantMsg, systemMsg, toolResult, toolResultMsg, type ToolUseBlock, userMsg } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { turnsOf } from "./turn.ts"

const use = (id: string, name = "x"): ToolUseBlock => ({ type: "tool_use", id, name, input: {} })

describe("turns of a history", () => {
  it("end with a plain answer", () => {
    const [a, b] = [use("a"), use("b")]
    const turns = turnsOf([
      systemMsg("s"),
      userMsg("one"),
      assistantMsg([a]),
      toolResultMsg([toolResult(a, "r")]),
      assistantMsg("done"),
      userMsg("two"),
      assistantMsg([b]),
    ])
    expect(
      turns.map(({ requests, done }) => [requests, done.map((call) => [call.use.id, call.result?.state])]),
    ).toEqual([
      [["one"], [["a", "success"]]],
      [["two"], [["b", undefined]]],
    ])
  })

  it("hold a message that comes while calls go on", () => {
    const a = use("a")
    expect(
      turnsOf([userMsg("one"), assistantMsg([a]), toolResultMsg([toolResult(a, "r")]), userMsg("also")]),
    ).toHaveLength(1)
  })

  it("end with a call that was interrupted, and with the finish tool", () => {
    const a = use("a")
    const cut = toolResultMsg([toolResult(a, "r", { state: "interrupted" })])
    expect(turnsOf([userMsg("one"), assistantMsg([a]), cut, userMsg("two")]).map(({ requests }) => requests)).toEqual([
      ["one"],
      ["two"],
    ])
    const finish = use("f", "generate_response")
    expect(
      turnsOf([userMsg("one"), assistantMsg([finish]), toolResultMsg([toolResult(finish, "ok")]), userMsg("two")]),
    ).toHaveLength(2)
  })

  it("take two results for one id as one: the first", () => {
    const a = use("a")
    const results = toolResultMsg([toolResult(a, "first", { state: "error" }), toolResult(a, "second")])
    expect(turnsOf([userMsg("one"), assistantMsg([a]), results])[0]?.done[0]?.result?.state).toBe("error")
  })

  it("are one empty turn when nothing was said", () => {
    expect(turnsOf([])).toEqual([{ requests: [], done: [] }])
  })
})
