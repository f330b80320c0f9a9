import type { ContentBlock, Msg, Role, ToolResultState } from "@agentscope-ts/message"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import type { Dialect } from "./dialect.ts"
import { guardHistory, HistoryGuard } from "./history-guard.ts"
import { validateHistory } from "./validate-history.ts"

const runs = { seed: 20_261_201, numRuns: process.env["AGENTSCOPE_SOAK"] ? 20_000 : 1000 }

const dialects: readonly Dialect[] = [
  { provider: "a" },
  { provider: "a", toolCallId: { pattern: /^[a-zA-Z0-9_-]+$/ }, toolName: /^[a-zA-Z0-9_-]{1,64}$/, thinking: "signed" },
  { provider: "b", toolCallId: { pattern: /^\S+$/, maxLength: 64 }, toolName: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/ },
  { provider: "c", toolCallId: { pattern: /^[a-zA-Z0-9]{9}$/ }, thinking: "none" },
]
// few ids, so that they meet; good, bad, long, alike
const ids = ["a", "b", "call_0", "functions.Bash:0", "", "x y", "\ud83d", `l${"o".repeat(80)}1`, `l${"o".repeat(80)}2`]
const id = fc.constantFrom(...ids)
const name = fc.constantFrom("bash", "files.read", "", "7 up", "\udc00", "n".repeat(70))
const text = fc.constantFrom("hello", "", " \n", "half \ud83d", "whole 😀", "tail\udc00")
const opaque = fc.option(fc.record({ provider: fc.constantFrom("a", "b"), data: fc.constantFrom("sig", "\ud83d") }), {
  nil: undefined,
})
const textBlock = fc.record({ type: fc.constant("text" as const), text })
const block: fc.Arbitrary<ContentBlock> = fc.oneof(
  textBlock,
  fc.record({ type: fc.constant("thinking" as const), thinking: text, opaque }, { requiredKeys: ["type", "thinking"] }),
  fc.record(
    { type: fc.constant("tool_use" as const), id, name, input: fc.dictionary(text, text), rawInput: text, opaque },
    { requiredKeys: ["type", "id", "name", "input"] },
  ),
  fc.record({
    type: fc.constant("tool_result" as const),
    id,
    name,
    output: fc.array(textBlock, { maxLength: 2 }),
    state: fc.constantFrom<ToolResultState>("success", "error", "interrupted", "denied", "suspended"),
  }),
  fc.record({
    type: fc.constant("image" as const),
    source: fc.record({ type: fc.constant("url" as const), url: text }),
  }),
) as fc.Arbitrary<ContentBlock>
const anyMsg = fc.record({
  id: fc.string({ minLength: 4, maxLength: 4 }),
  name: text,
  role: fc.constantFrom<Role>("user", "assistant", "assistant", "tool", "system"),
  content: fc.array(block, { maxLength: 4 }),
  timestamp: fc.constant("2026-12-01T00:00:00.000Z"),
}) as fc.Arbitrary<Msg>
const history = fc.array(anyMsg, { maxLength: 10 })
const dialect = fc.constantFrom(...dialects)

test("whatever goes in, what comes out is valid", () => {
  fc.assert(
    fc.property(history, dialect, (messages, dialect) => {
      expect(validateHistory(guardHistory(messages, dialect), dialect)).toEqual([])
    }),
    runs,
  )
})

test("a guarded history is guarded already: nothing changes, not even the objects", () => {
  fc.assert(
    fc.property(history, dialect, (messages, dialect) => {
      const once = guardHistory(messages, dialect)
      const twice = guardHistory(once, dialect)
      expect(twice).toHaveLength(once.length)
      expect(twice.every((msg, i) => msg === once[i])).toBe(true)
    }),
    runs,
  )
})

test("no call and no first final result is lost, and none is made up", () => {
  fc.assert(
    fc.property(history, dialect, (messages, dialect) => {
      const blocks = guardHistory(messages, dialect).flatMap(({ content }) => content)
      const given = messages.filter(({ role }) => role === "assistant").flatMap(({ content }) => content)
      const count = (list: readonly ContentBlock[]) => list.filter(({ type }) => type === "tool_use").length
      expect(count(blocks)).toBe(count(given))
    }),
    runs,
  )
})

test("fed in any steps a growing history comes out as from scratch, and its beginning keeps its objects", () => {
  fc.assert(
    fc.property(history, fc.array(fc.nat(10), { maxLength: 5 }), dialect, (messages, steps, dialect) => {
      const guard = new HistoryGuard(dialect)
      for (const at of [...steps.toSorted((a, b) => a - b), messages.length]) {
        const fed = messages.slice(0, at)
        const out = guard.guard(fed)
        expect(out).toEqual(guardHistory(fed, dialect))
        // asked again with the same history: the very same messages
        const again = guard.guard(fed)
        expect(again.every((msg, i) => msg === out[i])).toBe(true)
      }
    }),
    runs,
  )
})
