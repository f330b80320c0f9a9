import type { JsonSchema } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { hasCorpus, mcpTools } from "./fixtures/corpus.ts"
import { ollamaSchema } from "./index.ts"

/** The keywords of a schema; the names of properties are none. */
function keysOf(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return []
  if (Array.isArray(schema)) return schema.flatMap(keysOf)
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === "enum" || key === "const" || key === "default" || key === "examples") return [key]
    if (key !== "properties") return [key, ...keysOf(value)]
    return [key, ...Object.values(value as object).flatMap(keysOf)]
  })
}

describe.skipIf(!hasCorpus)("the tools of MCP servers", () => {
  it.each(mcpTools())("%s has a schema that Ollama takes", (_, parameters) => {
    const before = structuredClone(parameters)
    const schema = ollamaSchema(parameters)
    expect(schema.type).toBe("object")
    expect(keysOf(schema)).not.toContain("$ref")
    expect(parameters).toEqual(before)
  })
})

it("what a reference points to stands in its place", () => {
  const schema = {
    properties: { at: { $ref: "#/$defs/Place" } },
    $defs: { Place: { type: "object", properties: { city: { type: "string" } } } },
  } as const
  expect(ollamaSchema(schema as unknown as JsonSchema)).toEqual({
    type: "object",
    properties: { at: { type: "object", properties: { city: { type: "string" } } } },
  })
})
