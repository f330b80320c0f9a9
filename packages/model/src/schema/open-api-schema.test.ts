import { expect, it } from "vitest"
import { openApiSchema } from "./open-api-schema.ts"

it("says a schema in OpenAPI's words, and the rest in the description", () => {
  const schema = {
    type: "object",
    properties: {
      at: { $ref: "#/$defs/time" },
      n: { type: ["integer", "null"], exclusiveMinimum: 0, description: "how many" },
      kind: { oneOf: [{ const: "a" }, { const: 2 }] },
    },
    required: ["at"],
    additionalProperties: false,
    $defs: { time: { type: "string", format: "date-time" } },
  } as const
  const said = openApiSchema(schema)
  expect(said).toEqual({
    type: "object",
    properties: {
      at: { type: "string", format: "date-time" },
      n: { type: "integer", nullable: true, description: "how many (exclusiveMinimum: 0)" },
      kind: {
        anyOf: [
          { type: "string", enum: ["a"] },
          { type: "integer", description: "one of: [2]" },
        ],
      },
    },
    required: ["at"],
  })
  expect(openApiSchema(schema)).toBe(said)
})

it("always has an object at its root", () => {
  expect(openApiSchema({})).toEqual({ type: "object" })
  expect(openApiSchema({ anyOf: [{ type: "object", properties: { a: { type: "string" } } }] })).toMatchObject({
    type: "object",
    properties: { a: { type: "string" } },
  })
})
