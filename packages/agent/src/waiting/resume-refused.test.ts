import {
  approve,
  deny,
  type JsonObject,
  type PendingCall,
  toolResult,
  toolResultMsg,
  toolResultsOf,
  userMsg,
} from "@agentscope-ts/message"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, test } from "vitest"
import { memoryOf } from "../fixtures/runs.ts"
import { ask, refunds, stopped } from "../fixtures/stopped.ts"
import { ReActAgent } from "../index.ts"

describe("answers that do not fit change nothing", () => {
  const cases: [string, (first: PendingCall, second: PendingCall) => Parameters<ReActAgent["resume"]>[0]][] = [
    ["an unknown id", (first) => ({ results: [toolResult({ ...first.toolUse, id: "nope" }, "x")] })],
    ["the same id twice", (first) => ({ results: [toolResult(first.toolUse, "x"), toolResult(first.toolUse, "y")] })],
    [
      "a good answer beside an unknown one",
      (first) => ({
        results: [toolResult(first.toolUse, "x")],
        approvals: [{ toolUseId: "nope", digest: "", decision: "approve" }],
      }),
    ],
    ["an approval of another input", (_, second) => ({ approvals: [{ ...approve(second), digest: "other" }] })],
    ["a result where an approval is wanted", (_, second) => ({ results: [toolResult(second.toolUse, "x")] })],
    ["an approval where a result is wanted", (first) => ({ approvals: [approve(first)] })],
  ]
  test.each(cases)("%s", async (_, answers) => {
    const { agent, first, second, refunded } = await stopped([ask("Why?"), refunds(5).toolUses[0]!])
    const before = JSON.stringify(agent.stateDict())
    await expect(agent.resume(answers(first, second))).rejects.toMatchObject({ code: "unknown_pending" })
    expect(JSON.stringify(agent.stateDict())).toBe(before)
    expect(refunded).toEqual([])
    expect(agent.pending).toEqual([first, second])
  })

  const written = (parts: JsonObject) => (first: PendingCall) =>
    ({ results: [{ ...toolResult(first.toolUse, "x"), ...parts }] }) as never
  const said = (parts: JsonObject) => () => ({ ...userMsg("x"), ...parts }) as never
  test.each<[string, (first: PendingCall, second: PendingCall) => never, string]>([
    ["a result with a block of no kind", written({ output: [{ type: "bogus" }] }), "results[0].output[0]"],
    ["a result with no block", written({ output: [null] }), "results[0].output[0]"],
    ["a result with a text block without text", written({ output: [{ type: "text" }] }), "results[0].output[0]"],
    ["a result with a picture from nowhere", written({ output: [{ type: "image" }] }), "results[0].output[0]"],
    ["a result of no tool", written({ name: 7 }), "results[0]"],
    ["a message with no role", said({ role: "bogus" }), "messages[0]"],
    ["a message with a block of no kind", said({ content: [{ type: "bogus" }] }), "messages[0].content[0]"],
    ["a message with a text for a block", said({ content: ["hi"] }), "messages[0].content[0]"],
    [
      "a message without a name",
      () => ({ role: "user", content: [{ type: "text", text: "hi" }] }) as never,
      "has no name",
    ],
    [
      "a reason that is no text",
      (_, second) => ({ approvals: [{ ...deny(second), reason: {} }] }) as never,
      "a decision",
    ],
  ])("%s, which would spoil every request to come", async (_, answers, place) => {
    const { agent, first, second } = await stopped([ask("Why?"), refunds(5).toolUses[0]!])
    const before = JSON.stringify(agent.stateDict())
    const refused = expect.objectContaining({ code: "invalid_argument", message: expect.stringContaining(place) })
    await expect(agent.resume(answers(first, second))).rejects.toEqual(refused)
    expect(JSON.stringify(agent.stateDict())).toBe(before)
    expect((await agent.reply("Never mind.")).finishReason).toBe("completed")
  })

  test("answers when nothing waits, also as a tool message", async () => {
    using model = new ScriptedModel([])
    const agent = new ReActAgent({ name: "Friday", systemPrompt: "Help.", model })
    const result = { type: "tool_result", id: "c1", name: "x", output: [], state: "success" } as const
    await expect(agent.resume({ results: [result] })).rejects.toMatchObject({ code: "unknown_pending" })
    await expect(agent.reply(toolResultMsg([result]))).rejects.toMatchObject({ code: "unknown_pending" })
    expect(memoryOf(agent)).toEqual([])
  })

  test("FR-15 a client that sends the same result again is refused; memory holds one", async () => {
    const { agent, first } = await stopped([ask("Why?")])
    const results = [toolResult(first.toolUse, "Because.")]
    await agent.resume({ results })
    await expect(agent.resume({ results })).rejects.toMatchObject({ code: "unknown_pending" })
    expect(memoryOf(agent).flatMap(toolResultsOf)).toHaveLength(1)
  })
})
