import type { Schema } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { jsonSchemaOf } from "./json-schema-of.ts"

test("a JSON Schema literal is its own", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } }
  expect(jsonSchemaOf(schema)).toBe(schema)
})

test("a schema of a library is asked once", () => {
  const schema = z.object({ a: z.string() })
  const json = jsonSchemaOf(schema)
  expect(json).toEqual({ type: "object", properties: { a: { type: "string" } }, required: ["a"] })
  expect(jsonSchemaOf(schema)).toBe(json)
})

test("FR-30 it is the input side: what has a default is optional, a transform shows what goes in", () => {
  const json = jsonSchemaOf(z.object({ n: z.string().transform(Number), page: z.number().default(1) }))
  expect(json).toEqual({
    type: "object",
    properties: { n: { type: "string" }, page: { type: "number", default: 1 } },
    required: ["n"],
  })
})

describe("FR-30 what JSON Schema cannot say fails at once, naming the schema and the parameter", () => {
  const tagged = z.discriminatedUnion("k", [
    z.object({ k: z.literal("a") }),
    z.object({ k: z.literal("b"), at: z.date() }),
  ])
  test.each<[string, Schema, string]>([
    ["a date deep inside", z.object({ filter: z.object({ since: z.date() }) }), "filter.since"],
    ["in a list", z.object({ ids: z.array(z.bigint()) }), "ids[]"],
    ["in a tuple", z.object({ pair: z.tuple([z.string(), z.symbol()]) }), "pair[1]"],
    ["in a record", z.object({ by: z.record(z.string(), z.undefined()) }), "by.*"],
    ["optional, nullable, with a default", z.object({ m: z.map(z.string(), z.string()).nullable().optional() }), "m"],
    ["in a union", z.object({ what: tagged }), "what.at"],
    ["in an intersection", z.object({ both: z.object({ a: z.string() }).and(z.object({ b: z.date() })) }), "both.b"],
    ["before a transform", z.object({ t: z.date().transform(String) }), "t"],
  ])("%s", (_, schema, path) => {
    const named = expect.objectContaining({
      code: "invalid_schema",
      message: expect.stringMatching(/^Tool "search" cannot be said in JSON Schema at parameter/),
      details: { path },
    })
    expect(() => jsonSchemaOf(schema, 'Tool "search"')).toThrow(named)
    expect(() => jsonSchemaOf(schema, 'Tool "search"')).toThrow(`"${path}"`)
  })
})

describe("FR-28 what is no usable schema is explained", () => {
  const zod3 = { _def: { typeName: "ZodObject" }, safeParse: () => {}, parse: () => {} }
  const standard = (vendor: string) => ({ "~standard": { version: 1, vendor, validate: () => ({ value: 1 }) } })
  test.each<[string, unknown, RegExp]>([
    ["a parser of one's own", { parse() {} }, /has functions and is no JSON Schema: give a zod 4 schema/],
    [
      "a parser by class",
      new (class Parser {
        type = "object"
        parse() {}
      })(),
      /has functions and is no JSON Schema/,
    ],
    ["a schema of a library without Standard Schema", { type: "object", coercer: () => 1 }, /has functions/],
    [
      "an object of no keyword",
      { city: "string" },
      /has no keyword of JSON Schema: .* \{ type: "object", properties: \{ … \} \}/,
    ],
    ["an object of a class", new Map(), /has no keyword of JSON Schema/],
    ["a list", [], /is a list, no schema/],
    ["zod 3", { ...zod3, ...standard("zod") }, /zod 3.*use zod 4/],
    ["an early zod 3", zod3, /zod 3.*use zod 4/],
    ["an early zod 4", { ...zod3, ...standard("zod"), _zod: {} }, /older zod 4/],
    ["plain Valibot", standard("valibot"), /toStandardJsonSchema/],
    ["another library", standard("acme"), /of acme that cannot say its JSON Schema/],
    ["a string", "object", /is no schema/],
    ["null", null, /is no schema/],
  ])("%s", (_, schema, message) => {
    const explain = () => jsonSchemaOf(schema as Schema, 'Tool "x"')
    expect(explain).toThrow(message)
    expect(explain).toThrow(expect.objectContaining({ code: "invalid_schema" }))
  })
})

test.each<Schema>([
  {},
  Object.create(null) as Schema,
  { $ref: "#/$defs/a" },
  { description: "anything" },
  { "x-order": 1 },
  { unevaluatedProperties: false },
  { allOf: [] },
])("a JSON Schema that says little is one: %j", (schema) => {
  expect(jsonSchemaOf(schema)).toBe(schema)
})
