import { hasCorpus, mcpTools } from "@agentscope-ts/fixtures"
import type { JsonSchema } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { validatorOf } from "./validator.ts"

const value = (result: ReturnType<ReturnType<typeof validatorOf>>) => (result.ok ? result.value : result.issues)

describe("a schema of a library validates itself", () => {
  const schema = z.object({ n: z.string().transform(Number), page: z.number().default(1) })

  test("FR-30 transforms run and defaults are filled in", () => {
    expect(value(validatorOf(schema)({ n: "3" }))).toEqual({ n: 3, page: 1 })
  })

  test("what does not fit is told with its path", () => {
    const lines = z.object({ lines: z.array(z.object({ price: z.number() })) })
    expect(value(validatorOf(lines)({ lines: [{ price: 1 }, { price: "x" }] }))).toEqual([
      { path: "lines[1].price", message: expect.stringContaining("expected number") },
    ])
  })

  test("the validator is made once", () => {
    expect(validatorOf(schema)).toBe(validatorOf(schema))
  })

  test("one that validates asynchronously is an error that says so", () => {
    const slow = z.string().refine(async () => true)
    expect(() => validatorOf(slow)("x")).toThrow(expect.objectContaining({ code: "invalid_schema" }))
    expect(() => validatorOf(slow)("x")).toThrow(/asynchronously/)
  })
})

describe("a JSON Schema is interpreted", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: "string", minLength: 2 },
      list: { type: "array", items: { type: "object", properties: { p: { type: "number" } }, required: ["p"] } },
    },
    required: ["a"],
    additionalProperties: false,
  } as const

  test("a value that fits comes back as it is", () => {
    const input = { a: "xx", list: [{ p: 1 }] }
    expect(value(validatorOf(schema)(input))).toBe(input)
  })

  test("what does not fit is told with its path, and only once", () => {
    expect(value(validatorOf(schema)({ a: "x", list: [{ p: "1" }, {}] }))).toEqual([
      { path: "a", message: expect.stringContaining("too short") },
      { path: "list[0].p", message: expect.stringContaining("number") },
      { path: "list[1]", message: expect.stringContaining('"p"') },
    ])
    expect(validatorOf(schema)({ a: "xx", b: 1 }).ok).toBe(false)
  })

  test("the schema stays as it was, and may be frozen", () => {
    const frozen = Object.freeze({
      type: "object",
      properties: Object.freeze({ a: Object.freeze({ type: "string" }) }),
    })
    expect(validatorOf(frozen)({ a: 1 }).ok).toBe(false)
    expect(Reflect.ownKeys(frozen)).toEqual(["type", "properties"])
    const mutable = { type: "object", properties: { a: { type: "string" } } }
    validatorOf(mutable)({ a: 1 })
    expect(Reflect.ownKeys(mutable)).toEqual(["type", "properties"])
  })

  test("draft 7 is read as draft 7", () => {
    const tuple: JsonSchema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { p: { $ref: "#/definitions/point" } },
      definitions: {
        point: { type: "array", items: [{ type: "number" }, { type: "number" }] as never, additionalItems: false },
      },
    }
    expect(validatorOf(tuple)({ p: [1, 2] }).ok).toBe(true)
    expect(validatorOf(tuple)({ p: [1, "2"] }).ok).toBe(false)
    expect(validatorOf(tuple)({ p: [1, 2, 3] }).ok).toBe(false)
  })

  test("a pattern of another language is passed over, a property of that name is not", () => {
    const foreign = { type: "object", properties: { pattern: { type: "string", pattern: "(?i)^[a-z]+$" } } }
    expect(validatorOf(foreign)({ pattern: "ABC" }).ok).toBe(true)
    expect(validatorOf(foreign)({ pattern: 1 }).ok).toBe(false)
  })

  test("a reference that points to nothing is the schema's fault, not the value's", () => {
    const broken = { type: "object", properties: { a: { $ref: "#/$defs/nope" } } }
    expect(() => validatorOf(broken)({ a: 1 })).toThrow('its $ref "#/$defs/nope" points to nothing')
    expect(() => validatorOf({ $ref: "#" })({})).toThrow(expect.objectContaining({ code: "invalid_schema" }))
  })
})

describe("FR-28 a null stands for an absent optional value", () => {
  test("it is dropped before validation, deep inside too", () => {
    const schema = z.object({
      a: z.string(),
      b: z.string().optional(),
      count: z.coerce.number().optional(),
      page: z.number().default(1),
      deep: z.array(z.object({ x: z.number().optional() })).optional(),
    })
    const given = { a: "x", b: null, count: null, page: null, deep: [{ x: null }] }
    expect(value(validatorOf(schema)(given))).toEqual({ a: "x", page: 1, deep: [{}] })
    expect(given.b).toBeNull()
  })

  test("where null means something it stays: nullable, required, any", () => {
    const schema = z.object({
      a: z.string().nullable().optional(),
      b: z.null(),
      c: z.any(),
      d: z.literal(null).optional(),
    })
    const given = { a: null, b: null, c: null, d: null }
    expect(value(validatorOf(schema)(given))).toEqual(given)
    expect(validatorOf(z.object({ a: z.string() }))({ a: null }).ok).toBe(false)
  })

  test("through unions, references and recursion", () => {
    const Node = z.object({
      value: z.string().optional(),
      get children() {
        return z.array(Node).optional()
      },
    })
    expect(value(validatorOf(Node)({ value: null, children: [{ value: "x", children: null }] }))).toEqual({
      children: [{ value: "x" }],
    })
    const union = z.object({ u: z.union([z.object({ k: z.string(), o: z.number().optional() }), z.string()]) })
    expect(value(validatorOf(union)({ u: { k: "a", o: null } }))).toEqual({ u: { k: "a" } })
  })

  test("nothing is dropped that a JSON Schema does not describe, and names are safe", () => {
    const schema = { type: "object", properties: { a: { type: "string" } } }
    const given = JSON.parse('{"a":null,"other":null,"__proto__":{"a":null}}') as object
    const result = validatorOf(schema)(given)
    expect(result.ok && Object.keys(result.value as object)).toEqual(["other", "__proto__"])
  })
})

describe.skipIf(!hasCorpus)("the schemas of the corpus", () => {
  test("each can be used: some value fits or is refused with a reason", () => {
    const schemas = mcpTools()
    expect(schemas.length).toBeGreaterThan(100)
    for (const [name, schema] of schemas) {
      for (const input of [{}, { a: null }, [], "text"]) {
        const result = validatorOf(schema)(input)
        if (!result.ok)
          expect(
            result.issues.every(({ message }) => message.length > 0),
            name,
          ).toBe(true)
      }
    }
  })
})
