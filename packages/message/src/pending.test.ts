import { expect, test } from "vitest"
import { AgentScopeError, approve, deny, type PendingCall, toolResult } from "./index.ts"

const toolUse = { type: "tool_use", id: "c1", name: "pay", input: { amount: 5 } } as const
const pending: PendingCall = { toolUse, kind: "approval", digest: "d1", suggestedRules: ["pay(5)"] }
const head = { type: "tool_result", id: "c1", name: "pay", state: "success" }
const image = { type: "image", source: { type: "url", url: "a.png" } } as const

test("an approval names the call and its digest, and holds only what was given", () => {
  expect(approve(pending)).toEqual({ toolUseId: "c1", digest: "d1", decision: "approve" })
  expect(approve(pending, { input: { amount: 4 }, remember: ["pay(4)"] })).toEqual({
    toolUseId: "c1",
    digest: "d1",
    decision: "approve",
    input: { amount: 4 },
    remember: ["pay(4)"],
  })
  expect(deny(pending)).toEqual({ toolUseId: "c1", digest: "d1", decision: "deny" })
  expect(deny(pending, "too much")).toEqual({ toolUseId: "c1", digest: "d1", decision: "deny", reason: "too much" })
  expect(JSON.parse(JSON.stringify([approve(pending), deny(pending)]))).toEqual([approve(pending), deny(pending)])
})

test("text and blocks are shown as they are", () => {
  expect(toolResult(toolUse, "done")).toEqual({ ...head, output: [{ type: "text", text: "done" }] })
  const output = [{ type: "text", text: "see" } as const, image]
  expect(toolResult(toolUse, output)).toEqual({ ...head, output })
})

test.each([[{ paid: true }], [null], [0], [false], [[]], [[1, 2]], [[{ type: "text" }]], [[{ type: "image", a: 1 }]]])(
  "other JSON is shown as JSON and kept for programs: %j",
  (value) => {
    const output = [{ type: "text", text: JSON.stringify(value) }]
    expect(toolResult(toolUse, value)).toEqual({ ...head, output, structured: value })
  },
)

test("the state is success unless given", () => {
  expect(toolResult(toolUse, "no", { state: "error" }).state).toBe("error")
  expect(toolResult(toolUse, { a: 1 }, { state: "interrupted" }).state).toBe("interrupted")
})

const circular: Record<string, unknown> = {}
circular["self"] = circular
test.each([[undefined], [() => 1], [10n], [circular]])("what is no JSON is refused (%#)", (value) => {
  let caught: unknown
  try {
    toolResult(toolUse, value as unknown as string)
  } catch (error) {
    caught = error
  }
  expect(AgentScopeError.is(caught, "invalid_argument")).toBe(true)
  expect((caught as Error).message).toContain('"pay" (c1)')
})

const wrongCalls: unknown[] = [undefined, null, "c1", 1, {}, [], toolUse, { toolUse: "c1", digest: "d" }, { toolUse }]
test.each(wrongCalls)("an approval of what is no pending call is refused (%#)", (wrong) => {
  for (const answer of [approve, deny]) {
    const act = () => answer(wrong as PendingCall)
    expect(act).toThrow(expect.objectContaining({ code: "invalid_argument" }))
    expect(act).toThrow(/takes one of the pending calls.*reply\.pending\[0\]/)
  }
})

test.each([undefined, null, "c1", 1, {}, { id: "c1" }, pending])(
  "a result of what is no call is refused (%#)",
  (wrong) => {
    const act = () => toolResult(wrong as never, "x")
    expect(act).toThrow(expect.objectContaining({ code: "invalid_argument" }))
    expect(act).toThrow(/toolResult\(pending\.toolUse, output\)/)
  },
)
