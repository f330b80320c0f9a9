import { describe, expect, it } from "vitest"
import { flatSchema, schemaCases } from "./schema-cases.ts"

describe("flatSchema", () => {
  it("joins the words of allOf, so that what fits the result fits them all", () => {
    const name = { type: ["string", "null"], minLength: 2, maxLength: 9, description: "a name" }
    const parts = [
      { properties: { name }, required: ["name"] },
      { properties: { name: { minLength: 4 }, n: { type: "integer" } }, required: ["n", "name"], minProperties: 1 },
      { enum: [{ n: 1 }, { n: 2 }], minProperties: 2 },
      { enum: [{ n: 2 }, { n: 3 }], type: "object" },
    ]
    expect(flatSchema({ description: "d", allOf: parts })).toEqual({
      description: "d",
      type: "object",
      properties: { name: { allOf: [name, { minLength: 4 }] }, n: { type: "integer" } },
      required: ["name", "n"],
      minProperties: 2,
      enum: [{ n: 2 }],
    })
    expect(flatSchema({ allOf: [name, { type: "string", minLength: 4, description: "long" }] })).toEqual({
      type: "string",
      minLength: 4,
      maxLength: 9,
      description: "a name long",
    })
    expect(flatSchema({ allOf: [{ type: "number" }, { type: "integer", const: 3 }] })).toEqual({
      type: "integer",
      enum: [3],
    })
  })

  it("has an object for what is no object", () => {
    expect([true, false, null, 7].map(flatSchema)).toEqual([{}, { not: {} }, {}, {}])
  })
})

describe("schemaCases", () => {
  it("has a case for each type and alternative, with what stands beside it", () => {
    expect(schemaCases({ type: ["string", "null"], maxLength: 3 })).toEqual([
      { type: "string", maxLength: 3 },
      { type: "null", maxLength: 3 },
    ])
    const oneOf = [{ type: "string" }, { anyOf: [{ type: "number" }, { const: true }] }]
    expect(schemaCases({ title: "t", oneOf })).toEqual([
      { title: "t", type: "string" },
      { title: "t", type: "number" },
      { title: "t", type: "boolean", enum: [true] },
    ])
    const anyOf = [{ minimum: 1 }, { maximum: 0 }]
    expect(schemaCases({ anyOf, oneOf: anyOf }).length).toBe(4)
  })

  it("finds the type where none is told", () => {
    const types = (schema: object) => schemaCases({ ...schema }).map(({ type }) => type)
    expect(types({ enum: ["a", 1, null] })).toEqual(["string", "integer", "null"])
    expect(types({ enum: [1, 2.5] })).toEqual(["number"])
    expect(types({ properties: {} })).toEqual(["object"])
    expect(types({ items: {} })).toEqual(["array"])
    expect(types({ pattern: "a" })).toEqual(["string"])
    expect(types({}).length).toBe(6)
  })

  it("stops where alternatives of alternatives would be too many", () => {
    const anyOf = Array.from({ length: 20 }, (_, i) => ({ const: i }))
    expect(schemaCases({ anyOf, oneOf: anyOf }).length).toBe(64)
  })
})
