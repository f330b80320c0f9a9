import { hasCorpus, mcpTools, readCorpus } from "@agentscope-ts/fixtures"
import type { JsonSchema } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { jsonSchemaOf } from "./json-schema-of.ts"
import { strictSchema } from "./strict-schema.ts"

const strict = (schema: JsonSchema) => {
  const result = strictSchema(schema)
  if (!result.strict) throw new TypeError(result.reason)
  return result.schema
}
const reason = (schema: JsonSchema) => {
  const result = strictSchema(schema)
  expect(result.schema).toBe(schema)
  return result.strict ? "" : result.reason
}
const object = (properties: Record<string, unknown>, rest: object = {}) =>
  ({ type: "object", properties, ...rest }) as JsonSchema

test("FR-28 optional zod fields are required and may be null, and every object is closed", () => {
  const schema = z.object({ a: z.string(), b: z.string().optional(), c: z.object({ d: z.number().optional() }) })
  expect(strict(jsonSchemaOf(schema))).toEqual({
    type: "object",
    properties: {
      a: { type: "string" },
      b: { anyOf: [{ type: "string" }, { type: "null" }] },
      c: {
        type: "object",
        properties: { d: { anyOf: [{ type: "number" }, { type: "null" }] } },
        required: ["d"],
        additionalProperties: false,
      },
    },
    required: ["a", "b", "c"],
    additionalProperties: false,
  })
})

describe("what strict mode can say", () => {
  test("null is added once, at the end of a union, and the description stays outside", () => {
    const { properties } = strict(
      object({
        union: { anyOf: [{ type: "string" }, { type: "number" }], description: "u" },
        nullable: { anyOf: [{ type: "string" }, { type: "null" }] },
        types: { type: ["integer", "null"] },
        value: { enum: ["a", null] },
        text: { type: "string", description: "t" },
      }),
    )
    expect(properties).toEqual({
      union: { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }], description: "u" },
      nullable: { anyOf: [{ type: "string" }, { type: "null" }] },
      types: { type: ["integer", "null"] },
      value: { enum: ["a", null] },
      text: { description: "t", anyOf: [{ type: "string" }, { type: "null" }] },
    })
  })

  test("recursion stays a reference, and only definitions in use are kept", () => {
    const node = object(
      { children: { type: "array", items: { $ref: "#/definitions/node" } } },
      { required: ["children"] },
    )
    const document = object(
      { tree: { $ref: "#/definitions/node", description: "the tree", default: {} } },
      { required: ["tree"], definitions: { node, unused: { type: "object", patternProperties: {} } } },
    )
    expect(strict(document)).toEqual({
      type: "object",
      properties: { tree: { description: "the tree", anyOf: [{ $ref: "#/$defs/node" }] } },
      required: ["tree"],
      additionalProperties: false,
      $defs: {
        node: {
          type: "object",
          properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } },
          required: ["children"],
          additionalProperties: false,
        },
      },
    })
  })

  test("a root that is a reference is that definition", () => {
    const document = { $ref: "#/$defs/root", $defs: { root: object({ a: { type: "string" } }, { required: ["a"] }) } }
    expect(strict(document).properties).toEqual({ a: { type: "string" } })
  })

  test("bounds that strict mode does not know are told in words, annotations go", () => {
    const { properties } = strict(
      object(
        {
          a: { type: "string", minLength: 2, format: "uri", description: "A link.", examples: ["x"], default: "y" },
          b: { type: "string", format: "date-time", pattern: "^2" },
          c: { type: "array", items: { type: "integer", minimum: 1 }, uniqueItems: true, maxItems: 3 },
        },
        { required: ["a", "b", "c"] },
      ),
    )
    expect(properties).toEqual({
      a: { type: "string", description: "A link. (minLength: 2, format: uri)" },
      b: { type: "string", format: "date-time", pattern: "^2" },
      c: { type: "array", items: { type: "integer", minimum: 1 }, description: "(uniqueItems: true)", maxItems: 3 },
    })
  })

  test("oneOf is anyOf, allOf of one schema is that schema", () => {
    const { properties } = strict(
      object(
        {
          o: { oneOf: [{ type: "string" }, { type: "integer" }], discriminator: {} },
          p: { allOf: [{ type: "string", pattern: "x" }], description: "d" },
        },
        { required: ["o", "p"] },
      ),
    )
    expect(properties).toEqual({
      o: { anyOf: [{ type: "string" }, { type: "integer" }] },
      p: { type: "string", pattern: "x", description: "d" },
    })
  })

  test("a tool without parameters takes none", () => {
    const empty = { type: "object", properties: {}, required: [], additionalProperties: false }
    expect(strict({ type: "object" })).toEqual(empty)
    expect(strict(jsonSchemaOf(z.object({})))).toEqual(empty)
  })

  test("a schema is converted once", () => {
    const schema = object({})
    expect(strictSchema(schema)).toBe(strictSchema(schema))
  })
})

describe("what it cannot say falls back, with the reason and its place", () => {
  const inside = (schema: object) => object({ a: object({ b: schema }) })
  test.each<[string, JsonSchema, string]>([
    [
      "a record",
      inside({ type: "object", additionalProperties: { type: "string" } }),
      'additionalProperties (a record) at "a.b"',
    ],
    ["an open object", inside({ type: "object", properties: {}, additionalProperties: true }), 'at "a.b"'],
    ["an object of any shape", inside({ type: "object" }), 'an object of any shape at "a.b"'],
    ["patternProperties", inside({ type: "object", patternProperties: { "^x-": {} } }), 'patternProperties at "a.b"'],
    ["a tuple", inside({ type: "array", prefixItems: [{ type: "string" }] }), 'prefixItems at "a.b"'],
    ["an old tuple", inside({ type: "array", items: [{ type: "string" }] }), 'a tuple at "a.b"'],
    ["a list of anything", inside({ type: "array" }), 'a list of anything at "a.b"'],
    ["anything", inside({ description: "any" }), 'a value of any type at "a.b"'],
    ["true", inside(true as never), 'a schema "true" at "a.b"'],
    ["allOf", inside({ allOf: [{ type: "string" }, { pattern: "x" }] }), 'allOf at "a.b"'],
    ["not", inside({ type: "string", not: { const: "x" } }), 'not at "a.b"'],
    ["if", object({ a: { type: "string" } }, { if: {} }), "if at the root"],
    ["a union as the root", object({}, { anyOf: [{ required: ["a"] }] }), "anyOf is not allowed at the root"],
    ["no object as the root", { type: "string" }, "no object at the root"],
    ["a reference to nothing", inside({ $ref: "#/$defs/nope" }), 'a reference to #/$defs/nope at "a.b"'],
    [
      "a reference into the middle",
      object({ a: { type: "string" }, b: { $ref: "#/properties/a" } }),
      "a reference to #/properties/a",
    ],
    ["more beside a reference", object({ a: { $ref: "#", minimum: 1 } }), 'minimum beside $ref at "a"'],
    ["required but not described", object({}, { required: ["ghost"] }), '"ghost" required but not described'],
    ["too many values", object({ a: { enum: Array.from({ length: 1001 }, String) } }), "more than 1000 enum values"],
  ])("%s", (_, schema, why) => {
    expect(reason(schema)).toContain(why)
  })

  test("more than ten levels", () => {
    const deep = (levels: number): JsonSchema => (levels === 0 ? { type: "string" } : object({ a: deep(levels - 1) }))
    expect(strictSchema(deep(9)).strict).toBe(true)
    expect(reason(deep(10))).toContain("more than 10 levels")
  })
})

interface StrictRules {
  readonly openai: { readonly strict: { readonly allowed: string[]; readonly formats: string[] } }
}

describe.skipIf(!hasCorpus)("the schemas of the corpus", () => {
  const rules = (hasCorpus ? (readCorpus("vectors/dialects.json") as StrictRules) : undefined)?.openai.strict

  function check(schema: unknown, path: string): void {
    if (typeof schema !== "object" || schema === null) throw new TypeError(`${path} is no schema`)
    const node = schema as Record<string, unknown>
    for (const keyword of Object.keys(node)) expect(rules?.allowed, path).toContain(keyword)
    if (node["format"] !== undefined) expect(rules?.formats, path).toContain(node["format"])
    if (node["properties"] !== undefined) {
      expect(node["additionalProperties"], path).toBe(false)
      expect(node["required"], path).toEqual(Object.keys(node["properties"] as object))
    }
    for (const key of ["properties", "$defs"]) {
      for (const [name, part] of Object.entries(node[key] ?? {})) check(part, `${path}.${name}`)
    }
    for (const part of (node["anyOf"] ?? []) as unknown[]) check(part, `${path}.anyOf`)
    if (node["items"] !== undefined) check(node["items"], `${path}[]`)
  }

  test("each is said strictly by the rules, or comes back as it was with a reason", () => {
    let count = 0
    for (const [name, schema] of mcpTools()) {
      const result = strictSchema(schema)
      if (result.strict) {
        count++
        expect(result.schema.type, name).toBe("object")
        check(result.schema, name)
      } else {
        expect(result.schema).toBe(schema)
        expect(result.reason, name).toMatch(/ at /)
      }
    }
    expect(count).toBeGreaterThan(100)
  })
})
