import { type JsonValue, textOf, type ToolUseBlock } from "@agentscope-ts/message"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { plain } from "../fixtures/calls.ts"
import { Toolkit } from "../index.ts"
import { repairedArguments, repairedCall } from "./repair-arguments.ts"

const call = (rawInput: string): ToolUseBlock => ({ type: "tool_use", id: "call_1", name: "t", input: {}, rawInput })

describe("FR-31 arguments that are no JSON", () => {
  test.each([
    ['{"a":1,}', { a: 1 }],
    ['{"a":[1,2,],"b":{"c":1,},}', { a: [1, 2], b: { c: 1 } }],
    ['{"c":"line1\nline2\tx\r"}', { c: "line1\nline2\tx\r" }],
    ['{"c":"a,}\n,]"}', { c: "a,}\n,]" }],
    ['{{"a":1}}', { a: 1 }],
    ['{ {"a":1,} }', { a: 1 }],
    ['{"a":1}}', { a: 1 }],
    ["{'a': 'say \"hi\"', 'b': True, 'c': None, 'd': [False]}", { a: 'say "hi"', b: true, c: null, d: [false] }],
    ["{a: 1, b_2: 'x'}", { a: 1, b_2: "x" }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['"{\\"a\\":1}"', { a: 1 }],
    ['{"a":"\\u00e9\\n",}', { a: "é\n" }],
    ['\uFEFF{"a":-1.5e3,}', { a: -1500 }],
    ['{"__proto__":{"a":1},}', JSON.parse('{"__proto__":{"a":1}}')],
  ])("that can mean one thing only mean that: %j", (text, meant) => {
    expect(repairedArguments(text)).toEqual(meant)
    expect(Object.keys(repairedArguments(text) ?? {})).toEqual(Object.keys(meant as object))
  })

  test.each([
    '{"c":"\\x00"}', // a zero byte in JavaScript, four characters elsewhere
    '{"c":"\\d+"}',
    '{"c":"it\\\'s",}',
    '{"c":"C:\\Users"}',
    '{"a":1', // cut off: what is missing is not known
    '{"a":"x',
    '{"a":[1,2}',
    '{"a":1,"a":2,}',
    '{"a":1}{"a":1}',
    '{"a":1} and more',
    "{'a': 'don't'}",
    "{'a': 'x\\n'}",
    '{"a":01,}',
    '{"a":+1,}',
    '{"a":NaN}',
    '{"a":undefined}',
    '{"a":,}',
    "{,}",
    '{"a" 1}',
    "[1]",
    '"text"',
    "null",
    "nope",
    "",
    `{"a":${"[".repeat(5000)}`,
  ])("that could mean two things, or lack something, mean nothing: %j", async (text) => {
    expect(repairedArguments(text)).toBeUndefined()
    const broken = call(text)
    expect(repairedCall(broken)).toBe(broken)
    let ran = false
    const kit = new Toolkit({ tools: [plain(() => (ran = true))] })
    const result = await kit.execute(broken).result
    expect(ran).toBe(false)
    expect(result).toMatchObject({ state: "error", metadata: { error: { code: "invalid_input" } } })
    expect(textOf(result)).toContain("Send them again as JSON")
    expect(textOf(result).length).toBeLessThan(600)
  })

  test("the place of the mistake is told", async () => {
    const kit = new Toolkit({ tools: [plain(() => "x")] })
    expect(textOf(await kit.execute(call('{"c":"\\x00"}')).result)).toMatch(/escape.*position 7/)
  })

  test("run with their meaning, validated as ever, and the call is whole again", async () => {
    const heard: unknown[] = []
    const t = plain((input: unknown) => heard.push(input), {
      input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
    })
    const kit = new Toolkit({ tools: [t] })
    expect((await kit.execute(call('{"a":1,}')).result).state).toBe("success")
    expect(heard).toEqual([{ a: 1 }])
    expect((await kit.execute(call('{"a":"x",}')).result).state).toBe("error")
    expect(repairedCall(call('{"a":1,}'))).toEqual({ type: "tool_use", id: "call_1", name: "t", input: { a: 1 } })
  })

  test("any object comes back from each way of writing it badly", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonValue>, { minKeys: 1 })
    const damage = fc.constantFrom<(json: string) => string>(
      (json) => json,
      (json) => json.replace(/\}$/, ",}"),
      (json) => `{${json}}`,
      (json) => `${json}}`,
      (json) => `\`\`\`json\n${json}\n\`\`\``,
      (json) => JSON.stringify(json),
      (json) => json.replaceAll("\\n", "\n").replaceAll("\\t", "\t"),
    )
    fc.assert(
      fc.property(object, damage, (value, worsen) => {
        const json = JSON.stringify(value)
        // an escaped backslash before a letter would be another text
        fc.pre(!json.includes("\\\\"))
        expect(repairedArguments(worsen(json))).toEqual(JSON.parse(json))
      }),
    )
  })

  test("whatever the text, the answer is an object or nothing, soon", () => {
    const piece = fc.constantFrom("{", "}", "[", "]", '"', "'", ":", ",", "\\", "a", "1", " ", "\n", "True", "```")
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
        const found = repairedArguments(pieces.join(""))
        expect(found === undefined || (typeof found === "object" && !Array.isArray(found))).toBe(true)
      }),
      { numRuns: 2000 },
    )
    const start = performance.now()
    for (const text of [
      "{".repeat(200_000),
      "{a:".repeat(100_000),
      `{"a":"${"\\".repeat(200_001)}`,
      `{${" ".repeat(200_000)}x`,
    ]) {
      expect(repairedArguments(text)).toBeUndefined()
    }
    expect(performance.now() - start).toBeLessThan(2000)
  })
})

test.each<[string, string, number]>([
  ["many members", `{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":${i},`).join("")}}`, 50_000],
  ["many small objects", `{"a":[${'{"b":1,},'.repeat(100_000)}]}`, 1],
  ["a fence that does not end", `\`\`\`json\n${" \n".repeat(200_000)}x`, 0],
])("FR-31 %s are read in a time that grows with them, and no faster", (_, text, members) => {
  const start = performance.now()
  expect(Object.keys(repairedArguments(text) ?? {})).toHaveLength(members)
  expect(performance.now() - start).toBeLessThan(3000)
})

test("FR-31 words that every object knows are no values", () => {
  for (const word of ["constructor", "toString", "__proto__"])
    expect(repairedArguments(`{"a":${word}}`)).toBeUndefined()
})
