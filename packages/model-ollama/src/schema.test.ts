import type { JsonSchema } from "@agentscope-ts/message"
import { expect, it } from "vitest"
import { ollamaSchema } from "./index.ts"

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
