import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { userMsg } from "@agentscope-ts/message"
import { FakeModel, saying } from "./fixtures/fake-model.ts"
import { jsonCandidates } from "./repair-json.ts"

const schema = {
  type: "object",
  properties: { a: { type: "number" }, text: { type: "string" }, list: { type: "array" } },
  additionalProperties: false,
  minProperties: 1,
} as const
/** The value, or the number of requests that it took to fail. */
const read = async (text: string): Promise<unknown> => {
  const model = new FakeModel(saying(text), { maxReasks: 0 })
  return model.generate({ messages: [userMsg("Hi")], schema }).then(
    ({ structured }) => structured,
    () => "malformed",
  )
}

describe("an answer is mended where that keeps its meaning", () => {
  test.each([
    ["a fence", '```json\n{"a":1}\n```', { a: 1 }],
    ["a fence within words", 'Here you are:\n```\n{"a":1}\n```\nAnything else?', { a: 1 }],
    ["words around it", 'Sure! {"a":1} Is that what you want?', { a: 1 }],
    ["words with a brace of their own", 'The set {x | x > 1} is meant: {"a":1}', { a: 1 }],
    ["an opening brace that never closes", 'As { said: {"a":1}', { a: 1 }],
    ["commas before a bracket", '{"a":1,"list":[1,2,],\n}', { a: 1, list: [1, 2] }],
    ["raw newlines and tabs in a string", '{"text":"one\ntwo\tthree"}', { text: "one\ntwo\tthree" }],
    ["all of it", 'So:\n```json\n{"text":"a\n,}",}\n```', { text: "a\n,}" }],
  ])("%s", async (_, text, value) => {
    expect(await read(text)).toEqual(value)
  })

  test.each([
    ["two that fit: nobody knows which one is meant", 'Either {"a":1} or {"a":2}'],
    ["one that does not fit", 'Sure: {"b":1}'],
    ["doubled braces", '{{"a":1}}'],
    ["an open end", '{"a":1'],
    ["single quotes", "{'a':1}"],
    ["nothing", ""],
  ])("and never otherwise: %s", async (_, text) => {
    expect(await read(text)).toBe("malformed")
  })
})

test("valid JSON is its own first candidate, and nothing that is made of it says anything else", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), (json) => {
      const [first, ...others] = jsonCandidates(json)
      expect(first).toBe(json.trim())
      // what else there is stands inside the text as it is
      for (const other of others) expect(json).toContain(other)
    }),
    { seed: 7, numRuns: 500 },
  )
})

test("long texts full of brackets are looked through in no time", () => {
  const started = performance.now()
  jsonCandidates("{".repeat(200_000))
  jsonCandidates("[{".repeat(100_000) + '"'.repeat(100_001))
  expect(performance.now() - started).toBeLessThan(2000)
})
