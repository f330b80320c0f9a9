import { hasCorpus, mcpTools } from "@agentscope-ts/fixtures"
import type { JsonSchema } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { openAISchema } from "./index.ts"
import { toolFields } from "./request-fields.ts"

/** Every schema in a schema. */
function schemasIn(schema: unknown): readonly Record<string, unknown>[] {
  if (typeof schema !== "object" || schema === null) return []
  if (Array.isArray(schema)) return schema.flatMap(schemasIn)
  const own = schema as Record<string, unknown>
  return [
    own,
    ...Object.entries(own).flatMap(([key, value]) => {
      if (["enum", "const", "default", "examples", "required"].includes(key)) return []
      const isTable = ["properties", "$defs", "definitions", "patternProperties"].includes(key)
      return schemasIn(isTable ? Object.values(value as object) : value)
    }),
  ]
}

const strictWords =
  /^(?:type|properties|required|additionalProperties|items|enum|const|anyOf|\$ref|\$defs|description|title|pattern|format|(?:exclusive)?(?:Min|Max)imum|m(?:in|ax)imum|multipleOf|m(?:in|ax)Items)$/

describe.skipIf(!hasCorpus)("the tools of MCP servers", () => {
  const tools = mcpTools()

  it("have an object at their root and no alternatives there; the rest is as it was, and so is the original", () => {
    expect(tools.length).toBeGreaterThan(200)
    for (const [name, parameters] of tools) {
      const before = JSON.stringify(parameters)
      const schema = openAISchema(parameters)
      expect(JSON.stringify(parameters), name).toBe(before)
      expect(schema.type, name).toBe("object")
      for (const word of ["anyOf", "oneOf", "allOf", "$ref"]) expect(schema, name).not.toHaveProperty(word)
      if (parameters.type === "object" && !parameters["anyOf"]) expect(schema, name).toBe(parameters)
    }
  })

  it("are strict where the strict rules can say them, and as they are otherwise", () => {
    const said = tools.map(([name, parameters]) => toolFields({ name, parameters, strict: true }))
    expect(said.filter(({ strict }) => strict).length).toBeGreaterThan(tools.length / 2)
    for (const { name, parameters, strict } of said) {
      expect(parameters.type, name).toBe("object")
      if (!strict) continue
      for (const schema of schemasIn(parameters)) {
        expect(
          Object.keys(schema).filter((key) => !strictWords.test(key)),
          name,
        ).toEqual([])
        if (schema["type"] !== "object") continue
        expect(schema["additionalProperties"], name).toBe(false)
        expect((schema["required"] as string[]).toSorted(), name).toEqual(
          Object.keys(schema["properties"] ?? {}).toSorted(),
        )
      }
    }
  })
})

it("parts of an allOf at the root become one object", () => {
  const parts: JsonSchema[] = [
    { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    { type: "object", properties: { b: { type: "integer" } } },
  ]
  expect(openAISchema({ allOf: parts })).toEqual({
    type: "object",
    properties: { a: { type: "string" }, b: { type: "integer" } },
    required: ["a"],
  })
})
