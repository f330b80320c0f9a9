import type { JsonSchema } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { objectSchema, originalNames } from "./object-schema.ts"

const string: JsonSchema = { type: "string" }
const schemaOf = (parameters: JsonSchema) => objectSchema(parameters).schema

describe("an object schema", () => {
  test("has an object at its root, whatever stood there", () => {
    expect(schemaOf({})).toEqual({ type: "object" })
    expect(schemaOf({ type: "object" })).toEqual({ type: "object" })
    const p = { type: "object", properties: { x: string } } as const
    expect(schemaOf({ $ref: "#/$defs/p", $defs: { p } })).toEqual({ ...p, $defs: { p } })
  })

  test("has the parts of an allOf in one, and the words of alternatives in its description", () => {
    const a = { type: "object", properties: { a: string }, required: ["a"] } as const
    const b = { properties: { b: string }, required: ["b"] } as const
    expect(schemaOf({ allOf: [a, { $ref: "#/$defs/b" }], $defs: { b } })).toEqual({
      type: "object",
      properties: { a: string, b: string },
      required: ["a", "b"],
      $defs: { b },
    })
    expect(schemaOf({ description: "d", anyOf: [a, b], properties: { c: string } })).toEqual({
      type: "object",
      description: `d anyOf: ${JSON.stringify([a, b])}`,
      properties: { a: string, b: string, c: string },
    })
  })

  test("takes a property as any of the alternatives describes it", () => {
    const circle = { properties: { kind: { const: "circle" }, n: string }, required: ["kind"] } as const
    const square = { properties: { kind: { const: "square" }, n: string }, required: ["n", "kind"] } as const
    expect(schemaOf({ oneOf: [circle, square] })).toMatchObject({
      properties: { kind: { anyOf: [{ const: "circle" }, { const: "square" }] }, n: string },
      required: ["kind"],
    })
  })

  test("says what older drafts said in today's words", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        p: { type: "array", items: [string, string], additionalItems: false },
        n: { type: "number", minimum: 0, exclusiveMinimum: true, required: true },
      },
    } as unknown as JsonSchema
    expect(schemaOf(schema)).toEqual({
      type: "object",
      properties: {
        p: { type: "array", prefixItems: [string, string], items: false },
        n: { type: "number", minimum: 0 },
      },
    })
  })

  test("gives names that do not fit others, the same each time, and gives them back", () => {
    const key = /^[a-zA-Z0-9_.-]{1,64}$/
    const inner: JsonSchema = { type: "object", properties: { "a b": string, "a-b": string }, required: ["a b"] }
    const properties = { 名前: string, "a b": { type: "array", items: inner }, ["x".repeat(65)]: string } as const
    const { schema, names } = objectSchema({ type: "object", properties, required: ["名前"] }, key)
    const [name = "", list = "", long = ""] = Object.keys(schema.properties ?? {})
    expect([name, list, long].every((text) => key.test(text))).toBe(true)
    expect(new Set([name, list, long]).size).toBe(3)
    expect(schema.required).toEqual([name])
    expect(schema.properties?.[list]).toMatchObject({ items: { required: [list] } })
    expect(objectSchema({ type: "object", properties, required: ["名前"] }, key).schema).toEqual(schema)
    const told = { [name]: "n", [list]: [{ [list]: "1", "a-b": "2" }] }
    expect(originalNames(told, names ?? new Map())).toEqual({ 名前: "n", "a b": [{ "a b": "1", "a-b": "2" }] })
    expect(objectSchema({ type: "object", properties: { a: string } }, key).names).toBeUndefined()
  })
})
