import { type ContentBlock, type Msg, type Role, type ToolResultState, toolResultsOf } from "@agentscope-ts/message"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import type { Dialect } from "./dialect.ts"
import { guardHistory, HistoryGuard } from "./history-guard.ts"
import { validateHistory } from "./validate-history.ts"

const runs = { seed: 20_261_201, numRuns: process.env["AGENTSCOPE_SOAK"] ? 20_000 : 1000 }

const dialects: readonly Dialect[] = [
  { provider: "a" },
  {
    provider: "a",
    toolCallId: { pattern: /^[a-zA-Z0-9_-]+$/ },
    toolName: /^[a-zA-Z0-9_-]{1,64}$/,
    thinking: "signed",
    toolUses: "last",
    trailingBlanks: false,
  },
  { provider: "b", toolCallId: { pattern: /^\S+$/, maxLength: 64 }, toolName: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/ },
  { provider: "c", toolCallId: { pattern: /^[a-zA-Z0-9]{9}$/ }, thinking: "none" },
]
// few ids, so that they meet; good, bad, long, alike
const ids = ["a", "b", "call_0", "functions.Bash:0", "", "x y", "\ud83d", `l${"o".repeat(80)}1`, `l${"o".repeat(80)}2`]
const id = fc.constantFrom(...ids)
const name = fc.constantFrom("bash", "files.read", "", "7 up", "\udc00", "n".repeat(70))
const text = fc.constantFrom("hello", "", " \n", "half \ud83d", "whole 😀", "tail\udc00", "done \n")
const opaque = fc.option(fc.record({ provider: fc.constantFrom("a", "b"), data: fc.constantFrom("sig", "\ud83d") }), {
  nil: undefined,
})
const textBlock = fc.record({ type: fc.constant("text" as const), text, opaque }, { requiredKeys: ["type", "text"] })
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
  fc.record(
    {
      type: fc.constant("image" as const),
      source: fc.record({ type: fc.constant("url" as const), url: text }),
      opaque,
    },
    { requiredKeys: ["type", "source"] },
  ),
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

test("each call has the first final result that follows it, else what waits, else it is closed; no call is lost", () => {
  fc.assert(
    fc.property(history, fc.array(fc.nat(5), { minLength: 1 }), (messages, picks) => {
      const numbered = withUniqueCalls(messages, picks)
      const given = numbered.filter(({ role }) => role === "assistant").flatMap(({ content }) => content)
      const callIds = given.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
      const expected = callIds.map((id) => {
        const isCall = (block: ContentBlock) => block.type === "tool_use" && block.id === id
        const at = numbered.findIndex(({ role, content }) => role === "assistant" && content.some(isCall))
        const own = numbered[at]?.content ?? []
        // in the message itself from its first call on, then in all that follow
        const later = [
          ...own.slice(own.findIndex(({ type }) => type === "tool_use")),
          ...numbered.slice(at + 1).flatMap(({ content }) => content),
        ]
        const results = later.flatMap((block) => (block.type === "tool_result" && block.id === id ? [block] : []))
        return [id, (results.find(({ state }) => state !== "suspended") ?? results[0])?.state ?? "interrupted"]
      })
      const results = guardHistory(numbered).flatMap(toolResultsOf)
      expect(results.map(({ id, state }) => [id, state])).toEqual(expected)
    }),
    runs,
  )
})

/** The same history with the calls numbered, and results for some of them. */
function withUniqueCalls(messages: readonly Msg[], picks: readonly number[]): Msg[] {
  let calls = 0
  let results = 0
  return messages.map((msg) => ({
    ...msg,
    content: msg.content.map((block) => {
      if (block.type === "tool_use") return { ...block, id: `c${calls++}` }
      return block.type === "tool_result" ? { ...block, id: `c${picks[results++ % picks.length] ?? 0}` } : block
    }),
  }))
}

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

test("nothing that a model said is lost or told in another order because its calls stand last", () => {
  fc.assert(
    fc.property(history, (messages) => {
      const last = guardHistory(messages, { provider: "a", toolUses: "last" })
      const anywhere = guardHistory(messages, { provider: "a" })
      expect(last).toHaveLength(anywhere.length)
      for (const [i, { content }] of anywhere.entries()) {
        for (const calls of [true, false]) {
          const ofKind = (blocks: readonly ContentBlock[]) =>
            blocks.filter(({ type }) => (type === "tool_use") === calls)
          expect(ofKind(last[i]?.content ?? [])).toEqual(ofKind(content))
        }
      }
    }),
    runs,
  )
})
