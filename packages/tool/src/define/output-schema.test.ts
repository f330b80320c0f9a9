import { describe, expect, test } from "vitest"
import { z } from "zod"
import { outputSchemaOf } from "./output-schema.ts"
import { tool } from "./tool.ts"

const base = { name: "t", description: "A test", input: {}, execute: () => ({ n: 1 }) }
const literal = { type: "object", properties: { n: { type: "integer" } } } as const

describe("the output schema of a tool", () => {
  test("is the literal that it was made with", () => {
    expect(outputSchemaOf(tool({ ...base, output: literal }))).toBe(literal)
  })

  test("is the JSON Schema of a zod schema", () => {
    const made = outputSchemaOf(tool({ ...base, output: z.object({ n: z.number() }) }))
    expect(made).toMatchObject({ type: "object", required: ["n"] })
  })

  test("is what a tool made by hand says", () => {
    const schema = { name: "t", description: "A test", parameters: {} }
    expect(outputSchemaOf({ name: "t", description: "A test", schema, external: false, outputSchema: literal })).toBe(
      literal,
    )
  })

  test("is absent where nothing is said, or JSON has no word for it", () => {
    expect(outputSchemaOf(tool(base))).toBeUndefined()
    const dated = tool({ ...base, output: z.object({ at: z.date() }), execute: () => ({ at: new Date() }) })
    expect(outputSchemaOf(dated)).toBeUndefined()
  })
})
