import type { JsonSchema } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { grammarSchema } from "./grammar-schema.ts"

describe("a schema for a grammar", () => {
  test("is closed, and tells bounds in words", () => {
    const n = { type: "integer", minimum: 1, exclusiveMaximum: 9, description: "age" } as const
    const minimum = { type: "array", items: { type: "string" }, minItems: 2 } as const
    expect(grammarSchema({ type: "object", properties: { n, minimum }, required: ["n", "minimum"] })).toEqual({
      type: "object",
      properties: {
        n: { type: "integer", description: "age (minimum: 1, exclusiveMaximum: 9)" },
        minimum: { type: "array", items: { type: "string" }, description: "(minItems: 2)" },
      },
      required: ["n", "minimum"],
      additionalProperties: false,
    })
  })

  test("is none for records, recursion, and too many alternatives", () => {
    const node: JsonSchema = { type: "object", properties: { next: { $ref: "#/$defs/node" } } }
    expect(
      grammarSchema({ type: "object", properties: { n: { $ref: "#/$defs/node" } }, $defs: { node } }),
    ).toBeUndefined()
    expect(grammarSchema({ type: "object", properties: { next: { $ref: "#" } } })).toBeUndefined()
    expect(grammarSchema({ type: "object", additionalProperties: { type: "string" } })).toBeUndefined()
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`p${i}`, { type: "string" as const }]))
    expect(grammarSchema({ type: "object", properties: many })).toBeUndefined()
    expect(grammarSchema({ type: "object", properties: many, required: Object.keys(many) })).toBeDefined()
  })
})
