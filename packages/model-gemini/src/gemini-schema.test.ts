import { corpusFiles, hasCorpus, readCorpus } from "@agentscope-ts/fixtures"
import type { JsonSchema } from "@agentscope-ts/message"
import { jsonSchemaOf, validatorOf } from "@agentscope-ts/model"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { problemsOf, type Rules, usualRules } from "./fixtures/schema-rules.ts"
import { randomSchema, valueOf } from "./fixtures/random-schema.ts"
import { geminiSchema } from "./index.ts"

const rules = hasCorpus ? (readCorpus("vectors/dialects.json") as { gemini: Rules }).gemini : usualRules
const seeds = process.env["AGENTSCOPE_SOAK"] === "1" ? 20_000 : 1500
const property = (schema: JsonSchema): unknown =>
  geminiSchema({ type: "object", properties: { a: schema } }).properties?.["a"]

describe("geminiSchema", () => {
  it.skipIf(!hasCorpus).each(corpusFiles("mcp-schemas"))("FR-29 makes valid schemas of the tools in %s", (file) => {
    const { tools } = readCorpus(`mcp-schemas/${file}`) as {
      tools: readonly { name: string; inputSchema: JsonSchema }[]
    }
    for (const { name, inputSchema } of tools) {
      const before = JSON.stringify(inputSchema)
      const said = geminiSchema(inputSchema)
      expect(problemsOf(said, rules), `${name}: ${JSON.stringify(said)}`).toEqual([])
      // what validates the arguments is as it was
      expect(JSON.stringify(inputSchema)).toBe(before)
    }
  })

  it("FR-29 says zod's constructs in Gemini's words", () => {
    const node: z.ZodType = z.lazy(() => z.object({ name: z.string(), children: z.array(node).optional() }))
    const schema = jsonSchemaOf(
      z.object({
        n: z.coerce.number().int().positive().optional().nullable().default(null),
        x: z.literal("x"),
        five: z.literal(5),
        map: z.record(z.string(), z.number()),
        shape: z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("circle"), r: z.number().gt(0) }),
          z.object({ kind: z.literal("square"), side: z.number() }),
        ]),
        node,
      }),
    )
    const said = geminiSchema(schema)
    expect(problemsOf(said, rules)).toEqual([])
    expect(said.properties).toMatchObject({
      n: { type: "integer", nullable: true, description: "exclusiveMinimum: 0" },
      x: { type: "string", enum: ["x"] },
      five: { type: "number", description: "one of: [5]" },
      map: { type: "object", description: 'additionalProperties: {"type":"number"}' },
      shape: {
        anyOf: [
          {
            type: "object",
            properties: { kind: { enum: ["circle"] }, r: { type: "number", description: "exclusiveMinimum: 0" } },
            required: ["kind", "r"],
          },
          { properties: { kind: { enum: ["square"] } } },
        ],
      },
      node: { type: "object", properties: { children: { type: "array", items: { type: "object" } } } },
    })
  })

  it("keeps values that are no strings what they are, so that arguments still fit the original", () => {
    expect(property({ type: "integer", enum: [1, 2, 3] })).toEqual({ type: "integer", description: "one of: [1,2,3]" })
    expect(property({ enum: ["a", 1, true, null] })).toEqual({
      anyOf: [
        { type: "string", enum: ["a"] },
        { type: "integer", description: "one of: [1]" },
        { type: "boolean", description: "one of: [true]" },
      ],
      nullable: true,
    })
    // an empty value is refused in a list of values
    expect(property({ type: "string", enum: ["", "a"] })).toEqual({ type: "string", description: 'one of: ["","a"]' })
  })

  it("says null, several types and any type", () => {
    expect(property({ type: ["string", "null"], description: "who" })).toEqual({
      type: "string",
      nullable: true,
      description: "who",
    })
    expect(property({ type: ["string", "number"] })).toEqual({ anyOf: [{ type: "string" }, { type: "number" }] })
    expect(property({ anyOf: [{ type: "null" }] })).toEqual({
      type: "string",
      nullable: true,
      description: "Always null.",
    })
    expect(property({ description: "any" })).toMatchObject({
      description: "any",
      nullable: true,
      anyOf: [{ type: "string" }, {}, {}, {}, { items: { anyOf: [{}, {}, {}, {}] } }],
    })
    expect(property({ minimum: 2 })).toEqual({ type: "number", minimum: 2 })
    expect(geminiSchema({ properties: { no: false, yes: true }, required: ["no", "yes"] } as never)).toMatchObject({
      type: "object",
      required: ["yes"],
    })
  })

  it("joins the parts of allOf", () => {
    const said = geminiSchema({
      allOf: [
        { type: "object", properties: { a: { type: "string", minLength: 2 } }, required: ["a"] },
        { properties: { a: { minLength: 4, description: "long" }, b: { type: "integer" } }, required: ["b"] },
      ],
    })
    expect(said).toEqual({
      type: "object",
      properties: { a: { type: "string", minLength: 4, description: "long" }, b: { type: "integer" } },
      required: ["a", "b"],
    })
  })

  it("makes one object of a root with several shapes", () => {
    const said = geminiSchema({
      anyOf: [
        { type: "object", properties: { url: { type: "string" }, n: { type: "number" } }, required: ["url", "n"] },
        { type: "object", properties: { html: { type: "string" }, n: { type: "string" } }, required: ["html", "n"] },
      ],
    })
    expect(problemsOf(said, rules)).toEqual([])
    expect(said).toMatchObject({
      type: "object",
      properties: {
        url: { type: "string" },
        html: { type: "string" },
        n: { anyOf: [{ type: "number" }, { type: "string" }] },
      },
      required: ["n"],
    })
    expect(said.description).toContain('"required":["url","n"]')
  })

  it("says a tuple as a list of what it may hold", () => {
    expect(
      property({ type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false as never }),
    ).toEqual({
      type: "array",
      items: { anyOf: [{ type: "string" }, { type: "number" }] },
      maxItems: 2,
      description: 'prefixItems: [{"type":"string"},{"type":"number"}]',
    })
  })

  it("makes a valid schema of any schema, that takes all which the original takes", () => {
    let fitting = 0
    for (let seed = 1; seed <= seeds; seed++) {
      const schema = randomSchema(seed)
      const said = geminiSchema(schema)
      expect(problemsOf(said, rules), `seed ${seed}: ${JSON.stringify(schema)} → ${JSON.stringify(said)}`).toEqual([])
      expect(problemsOf(geminiSchema(said), rules)).toEqual([])
      const value = valueOf(schema, seed)
      if (!validatorOf(schema)(value).ok) continue
      fitting++
      const takes = validatorOf(asJsonSchema(said) as JsonSchema)(value)
      expect(takes, `seed ${seed}: ${JSON.stringify({ schema, said, value })}`).toMatchObject({ ok: true })
    }
    expect(fitting).toBeGreaterThan(seeds / 3)
  })
})

/** Gemini's `nullable` in JSON Schema's words. */
function asJsonSchema(said: unknown): unknown {
  if (Array.isArray(said)) return said.map(asJsonSchema)
  if (typeof said !== "object" || said === null) return said
  const {
    nullable,
    default: _,
    ...rest
  } = Object.fromEntries(
    Object.entries(said).map(([key, value]) => [key, key === "enum" ? value : asJsonSchema(value)]),
  )
  return nullable === true ? { anyOf: [rest, { type: "null" }] } : rest
}
