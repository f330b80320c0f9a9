import { mcpTools } from "@agentscope-ts/fixtures"
import type { JsonSchema } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { inlineRefs } from "./inline-refs.ts"
import { validatorOf } from "./validator.ts"

const point: JsonSchema = { type: "object", properties: { x: { type: "number" } }, required: ["x"] }
const tree: JsonSchema = {
  type: "object",
  properties: { root: { $ref: "#/$defs/node" } },
  $defs: {
    node: {
      type: "object",
      description: "A node.",
      properties: { value: { type: "number" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
    },
  },
}

describe("inlineRefs", () => {
  test("a schema without references is the same object", () => {
    expect(inlineRefs(point)).toBe(point)
    const named: JsonSchema = {
      type: "object",
      properties: { $ref: { type: "string" }, definitions: { type: "object" } },
    }
    expect(inlineRefs(named)).toBe(named)
    const literal: JsonSchema = { type: "object", default: { $ref: "#/none" }, enum: [{ $ref: "#/none" }] }
    expect(inlineRefs(literal)).toBe(literal)
  })

  test.each<[string, JsonSchema]>([
    ["$defs", { properties: { p: { $ref: "#/$defs/p" } }, $defs: { p: point } }],
    ["definitions", { properties: { p: { $ref: "#/definitions/p" } }, definitions: { p: point } }],
    ["a pointer with ~1 and ~0", { properties: { p: { $ref: "#/$defs/a~1b~0c" } }, $defs: { "a/b~c": point } }],
    [
      "a pointer with percent signs",
      { properties: { p: { $ref: "#/$defs/Page%3CItem%3E" } }, $defs: { "Page<Item>": point } },
    ],
    ["a plain percent sign", { properties: { p: { $ref: "#/$defs/100%" } }, $defs: { "100%": point } }],
    [
      "a reference to a reference",
      { properties: { p: { $ref: "#/$defs/q" } }, $defs: { q: { $ref: "#/$defs/p" }, p: point } },
    ],
    ["an anchor", { properties: { p: { $ref: "#p" } }, $defs: { p: { $anchor: "p", ...point } } }],
    [
      "the schema's own id",
      { $id: "https://x.test/s", properties: { p: { $ref: "https://x.test/s#/$defs/p" } }, $defs: { p: point } },
    ],
  ])("puts what stands in its place: %s", (_, schema) => {
    expect(inlineRefs(schema)).toEqual({ properties: { p: point } })
  })

  test("a reference to another property, and in every place where a schema can stand", () => {
    const ref = { $ref: "#/$defs/p" }
    const all: JsonSchema = {
      properties: { a: ref, b: { $ref: "#/properties/a" } },
      items: ref,
      prefixItems: [ref],
      additionalProperties: ref,
      patternProperties: { "^x": ref },
      anyOf: [ref, { not: ref }],
    }
    expect(inlineRefs({ ...all, $defs: { p: point } })).toEqual(
      JSON.parse(JSON.stringify(all).replaceAll(/\{"\$ref":"[^"]*"\}/g, JSON.stringify(point))),
    )
  })

  test("what stands beside a reference is kept and counts more", () => {
    const schema: JsonSchema = {
      properties: {
        p: { $ref: "#/$defs/p", description: "Here.", properties: { y: { type: "number" } }, required: ["y"] },
      },
      $defs: { p: { ...point, description: "There.", title: "P" } },
    }
    expect(inlineRefs(schema).properties?.["p"]).toEqual({
      type: "object",
      title: "P",
      description: "Here.",
      properties: { x: { type: "number" }, y: { type: "number" } },
      required: ["x", "y"],
    })
  })

  test("FR-29 what holds itself is cut at a depth, and the description says what stood there", () => {
    const shallow = inlineRefs(tree, { maxDepth: 0 })
    expect(shallow).toEqual({
      type: "object",
      properties: {
        root: {
          type: "object",
          description: "A node.",
          properties: {
            value: { type: "number" },
            children: {
              type: "array",
              items: {
                type: "object",
                description: 'A node. Has the same shape as "node" above; written out only so far.',
              },
            },
          },
        },
      },
    })
    const depth = (schema: JsonSchema) => JSON.stringify(schema).split('"children"').length - 1
    expect([depth(shallow), depth(inlineRefs(tree)), depth(inlineRefs(tree, { maxDepth: 4 }))]).toEqual([1, 3, 5])
  })

  test("FR-29 what was valid stays valid: what is cut takes what the definition took, and more", () => {
    const before = validatorOf(tree)
    const after = validatorOf(inlineRefs(tree))
    const nested = (levels: number): unknown => ({ value: 1, children: levels === 0 ? [] : [nested(levels - 1)] })
    for (const levels of [0, 1, 3, 6]) {
      expect(before({ root: nested(levels) }).ok).toBe(true)
      expect(after({ root: nested(levels) }).ok).toBe(true)
    }
    expect(after({ root: { children: [{ value: "one" }] } }).ok).toBe(false)
  })

  test("a schema that holds its root, and definitions that only hold each other, come to an end", () => {
    const list: JsonSchema = { type: "object", properties: { next: { $ref: "#" } } }
    expect(inlineRefs(list, { maxDepth: 0 }).properties?.["next"]).toEqual({
      type: "object",
      description: "Has the same shape as the whole above; written out only so far.",
    })
    const loop: JsonSchema = {
      properties: { a: { $ref: "#/$defs/a" } },
      $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
    }
    expect(JSON.stringify(inlineRefs(loop))).not.toContain("$ref")
  })

  test("definitions that hold each other many times over stay of a size that can be sent", () => {
    const names = Array.from({ length: 12 }, (_, i) => `d${i}`)
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]))
    const schema: JsonSchema = {
      type: "object",
      properties,
      $defs: Object.fromEntries(names.map((name) => [name, { type: "object", properties }])),
    }
    expect(JSON.stringify(inlineRefs(schema)).length).toBeLessThan(500_000)
  })

  test.each(["#/$defs/gone", "https://x.test/other.json", "other.json#/a", "#nowhere"])(
    "%s is an error that names it",
    (ref) => {
      const schema: JsonSchema = { properties: { p: { $ref: ref } } }
      expect(() => inlineRefs(schema, { subject: 'tool "search"' })).toThrow(
        expect.objectContaining({
          code: "invalid_schema",
          message: expect.stringContaining(`tool "search" has a $ref "${ref}"`),
        }),
      )
    },
  )

  test("true and false are schemas as well", () => {
    const schema: JsonSchema = {
      properties: { p: { $ref: "#/$defs/any" }, q: { $ref: "#/$defs/none" } },
      $defs: { any: true, none: false },
    }
    expect(inlineRefs(schema)).toEqual({ properties: { p: {}, q: { not: {} } } })
  })

  test.skipIf(mcpTools().length === 0)("no tool of the recorded servers has a reference left", () => {
    for (const [name, schema] of mcpTools()) {
      expect(JSON.stringify(inlineRefs(schema, { subject: name }))).not.toMatch(/"\$ref":"/)
    }
  })
})
