import { describe, expect, it } from "vitest"
import { pairingProblems, sentCalls } from "./sent-history.ts"

const chatCall = (id: string, name = "look") => ({
  id,
  type: "function",
  function: { name, arguments: `{"at":"${id}"}` },
})
const asking = (...ids: readonly string[]) => ({ role: "assistant", tool_calls: ids.map((id) => chatCall(id)) })
const answering = (id: string) => ({ role: "tool", tool_call_id: id, content: `seen ${id}` })
const problemsOf = (...messages: readonly object[]) => pairingProblems(sentCalls({ messages }))

describe("the reader of sent histories", () => {
  it("finds nothing wrong with calls that are answered in their order", () => {
    expect(problemsOf({ role: "user", content: "hi" }, asking("a", "b"), answering("a"), answering("b"))).toEqual([])
    expect(problemsOf(asking("a"), answering("a"), asking("b"), answering("b"))).toEqual([])
  })

  it.each([
    ["a call without a result", [asking("a", "b"), answering("a")], "2 calls, 1 results after them"],
    ["results in another order", [asking("a", "b"), answering("b"), answering("a")], "the result of call a is for b"],
    ["a result without a call", [answering("a")], "a result without a call: seen a"],
    ["an id that occurs twice", [asking("a"), answering("a"), asking("a"), answering("a")], "ids occur twice: a, a"],
    [
      "words between a call and its result",
      [asking("a"), { role: "user", content: "x" }, answering("a")],
      "something stands between call a and its result",
    ],
  ])("finds %s", (_, messages, problem) => {
    expect(problemsOf(...messages)).toContain(problem)
  })

  it("reads every wire", () => {
    const found = [
      { kind: "call", id: "a", name: "look" },
      { kind: "result", id: "a" },
    ]
    const bodies = [
      { messages: [asking("a"), answering("a")] },
      { input: { messages: [asking("a"), answering("a")] } },
      {
        messages: [
          { role: "assistant", content: [{ type: "tool_use", id: "a", name: "look", input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "seen" }] },
        ],
      },
      {
        contents: [
          { role: "model", parts: [{ functionCall: { id: "a", name: "look", args: {} } }] },
          { role: "user", parts: [{ functionResponse: { id: "a", name: "look", response: {} } }] },
        ],
      },
      {
        input: [
          { type: "function_call", call_id: "a", name: "look", arguments: "{}" },
          { type: "function_call_output", call_id: "a", output: "seen" },
        ],
      },
    ]
    for (const body of bodies) expect(sentCalls(body)).toMatchObject(found)
  })
})
