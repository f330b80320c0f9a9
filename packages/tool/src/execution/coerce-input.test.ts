import { type JsonObject, type JsonSchema, textOf } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { plain, use } from "../fixtures/calls.ts"
import { Toolkit, tool } from "../index.ts"
import { coercedInput } from "./coerce-input.ts"

const schema: JsonSchema = {
  type: "object",
  properties: {
    n: { type: "number" },
    i: { type: "integer" },
    b: { type: "boolean" },
    s: { type: "string" },
    list: { type: "array", items: { type: "integer" } },
    o: { $ref: "#/$defs/o" },
    either: { type: ["number", "string"] },
    any: { anyOf: [{ type: "number" }, { type: "string" }] },
    free: {},
  },
  $defs: { o: { type: "object", properties: { deep: { type: "boolean" } } } },
}

describe("FR-31 quotes that cannot be meant", () => {
  test.each<[JsonObject, JsonObject]>([
    [{ n: "1.5" }, { n: 1.5 }],
    [{ i: "-3" }, { i: -3 }],
    [{ b: "true" }, { b: true }],
    [{ list: '["1",2]' }, { list: '["1",2]' }],
    [{ list: ["1", 2] }, { list: [1, 2] }],
    [{ o: { deep: "false" } }, { o: { deep: false } }],
    [{ o: '{"deep":true}' }, { o: { deep: true } }],
  ])("%j is read as %j", (sent, meant) => {
    // a list in a string is a list; what is in it is read only once
    const expected = sent["list"] === '["1",2]' ? { list: ["1", 2] } : meant
    expect(coercedInput(sent, schema)).toEqual(expected)
  })

  test.each<JsonObject>([
    { s: "1" },
    { s: 1 },
    { n: "1.50" },
    { n: "0x10" },
    { n: " 1" },
    { n: "1e3" },
    { i: "12345678901234567890" },
    { b: "True" },
    { b: "yes" },
    { b: "1" },
    { list: "[1" },
    { list: "{}" },
    { o: "[]" },
    { either: "1" },
    { any: "1" },
    { free: "1" },
    { unknown: "1" },
  ])("%j stays", (sent) => {
    expect(coercedInput(sent, schema)).toBe(sent)
  })

  test("what fits as it is stays as it is; what does not fit either way is told as it was sent", async () => {
    const kit = new Toolkit({
      tools: [
        plain((input: unknown) => JSON.stringify(input), {
          input: z.object({ n: z.number(), s: z.string().optional() }),
        }),
        tool({ name: "u", description: "A test", input: z.object({ n: z.coerce.string() }), execute: ({ n }) => n }),
      ],
    })
    expect(textOf(await kit.execute(use("t", { n: "5", s: "7" })).result)).toBe('{"n":5,"s":"7"}')
    expect(textOf(await kit.execute(use("u", { n: "5" })).result)).toBe("5")
    const wrong = await kit.execute(use("t", { n: "5", s: 7 })).result
    expect(textOf(wrong)).toMatch(/n: .*expected number, received string/)
  })

  test("rules see what runs, not what was quoted", async () => {
    const t = plain(() => "ran", { input: z.object({ o: z.object({ force: z.boolean() }) }) })
    const approval = { deny: ["t(o.force=true)"] }
    const result = await new Toolkit({ tools: [t] }).execute(use("t", { o: '{"force":true}' }), { approval }).result
    expect(result.state).toBe("denied")
  })

  test("an external tool's call waits with what it means", async () => {
    const kit = new Toolkit()
    kit.registerSchema({ name: "t", parameters: schema })
    const result = await kit.execute(use("t", { n: "5" })).result
    expect(result.metadata?.["pending"]).toMatchObject({ toolUse: { input: { n: 5 } } })
  })
})
