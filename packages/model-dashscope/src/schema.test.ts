import { describe, expect, it } from "vitest"
import { hasCorpus, mcpTools } from "./fixtures/corpus.ts"
import { dashscopeSchema } from "./index.ts"

describe.skipIf(!hasCorpus)("the tools of MCP servers", () => {
  it.each(mcpTools())("%s has a schema that DashScope takes", (_, parameters) => {
    const before = structuredClone(parameters)
    const schema = dashscopeSchema(parameters)
    expect(schema.type).toBe("object")
    // all else stays as it is
    expect({ ...schema, type: undefined }).toEqual({ ...parameters, type: undefined })
    expect(parameters).toEqual(before)
  })
})

it("a schema without a type is an object's", () => {
  expect(dashscopeSchema({})).toEqual({ type: "object" })
  const schema = { type: "object", properties: { a: { type: "string" } } } as const
  expect(dashscopeSchema(schema)).toBe(schema)
})
