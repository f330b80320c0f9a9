import { expectTypeOf, test } from "vitest"
import { z } from "zod"
import type { FromJsonSchema, InferInput, InferOutput, JsonObject, JsonSchema, JsonValue, Schema } from "./index.ts"

const infer = <const S extends Schema>(_schema: S) => ({}) as { input: InferInput<S>; output: InferOutput<S> }

test("a JSON Schema literal gives the type of its values", () => {
  const { output } = infer({
    type: "object",
    properties: {
      city: { type: "string", description: "where" },
      days: { type: "integer" },
      unit: { enum: ["c", "f"] },
      exact: { type: "boolean" },
      kind: { const: "weather" },
      tags: { type: "array", items: { type: "string" } },
      place: { type: "object", properties: { lat: { type: "number" }, note: { type: "string" } }, required: ["lat"] },
      either: { anyOf: [{ type: "string" }, { type: "null" }] },
      nullable: { type: ["string", "null"] },
      list: { type: ["array", "null"], items: { type: "number" } },
      free: { type: "object" },
    },
    required: ["city", "unit", "nullable"],
  })
  expectTypeOf(output).toEqualTypeOf<{
    city: string
    unit: "c" | "f"
    nullable: string | null
    days?: number
    exact?: boolean
    kind?: "weather"
    tags?: string[]
    place?: { lat: number; note?: string }
    either?: string | null
    list?: number[] | null
    free?: JsonObject
  }>()
})

test("without required every property is optional; what is not said is any JSON", () => {
  expectTypeOf(infer({ type: "object", properties: { a: { type: "string" } } }).input).toEqualTypeOf<{ a?: string }>()
  expectTypeOf(infer({ type: "string" }).output).toEqualTypeOf<string>()
  expectTypeOf(infer({ oneOf: [{ type: "string" }] }).output).toEqualTypeOf<JsonValue>()
  expectTypeOf<FromJsonSchema<JsonSchema>>().toEqualTypeOf<JsonObject>()
})

test("a Standard Schema gives its input and its output", () => {
  const schema = z.object({ n: z.string().transform(Number), page: z.number().default(1), b: z.string().optional() })
  const { input, output } = infer(schema)
  expectTypeOf(input).toEqualTypeOf<{ n: string; page?: number | undefined; b?: string | undefined }>()
  expectTypeOf(output).toEqualTypeOf<{ n: number; page: number; b?: string | undefined }>()
})
